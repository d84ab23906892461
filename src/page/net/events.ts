/** Reads server-sent events over fetch, so that requests carry the page's credentials. */
import type { Received } from "../../layers/server/streams/parseEvents.js"
import { parse } from "../../layers/server/streams/parseEvents.js"
import type { RequestOptions } from "./api.js"
import { failedIn, send } from "./api.js"
import type { Problem } from "./wire.js"

/**
 * Passes the events of a route to `take` as they arrive, until the server ends them. Returns false if the route has no
 * events.
 */
export const follow = async (
  path: string,
  take: (received: Received) => void,
  asking: RequestOptions & { readonly opened?: () => void } = {}
): Promise<boolean> => {
  const response = await send(path, { ...asking, headers: { accept: "text/event-stream" } })
  if (response.status === 204 || response.body === null) return false
  asking.opened?.()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let waiting = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return true
    const { events, rest } = parse(waiting + value.replaceAll("\r\n", "\n"))
    waiting = rest
    for (const one of events) {
      if (one.event === "error") throw failedIn(response, JSON.parse(one.data) as Problem)
      take(one)
    }
  }
}
