/** Reads server-sent events over fetch, so that requests carry the page's credentials. */
import type { Asking } from "./api.js"
import { Failed, problem, send } from "./api.js"
import type { Problem } from "./wire.js"

export interface Received {
  readonly event: string
  readonly data: string
}

/** The events in a text that ended with an empty line, and the rest that did not. */
export const parse = (text: string): { readonly events: ReadonlyArray<Received>; readonly rest: string } => {
  const blocks = text.split("\n\n")
  const rest = blocks.pop() ?? ""
  const events = blocks.flatMap((block) => {
    const lines = block.split("\n")
    const of = (name: string) =>
      lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2))
    const data = of("data")
    return data.length === 0 ? [] : [{ event: of("event")[0] ?? "message", data: data.join("\n") }]
  })
  return { events, rest }
}

/** Hands the events of a route to `take` as they arrive, until the server ends them. False where there are none. */
export const follow = async (
  path: string,
  take: (received: Received) => void,
  asking: Asking & { readonly opened?: () => void } = {}
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
      if (one.event === "error") throw problem(new Failed(JSON.parse(one.data) as Problem))
      take(one)
    }
  }
}
