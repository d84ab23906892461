/**
 * Reads the feed of a chat with `fetch`, so that headers can be sent. Connects again after the connection breaks off.
 */
import { parse } from "../server/streams/parseEvents.js"

/** Options for reading a feed. */
interface Following {
  readonly open: (signal: AbortSignal) => Promise<Response>
  /** Called with the data of each event, in order. The next event is passed on only after the promise has resolved. */
  readonly next: (data: unknown) => Promise<void>
  /** Called when the server refuses the feed with a status after which no further attempt is made. */
  readonly refused: (error: Error) => void
  readonly signal: AbortSignal
}

/** Milliseconds between attempts: the first, and the longest. */
const pause = { first: 1_000, longest: 30_000 }

/** HTTP statuses after which no further attempt is made, because another attempt would get the same status. */
const final = new Set([400, 401, 403, 404, 405])

const wait = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, millis)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    }, { once: true })
  })

/** Reads one connection to its end. Returns true if it received an event. */
const read = async (body: ReadableStream<Uint8Array>, next: Following["next"]): Promise<boolean> => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  let came = false
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return came
    const { events, rest } = parse(text + decoder.decode(value, { stream: true }))
    text = rest
    for (const { data, event } of events) {
      // The feed ends with an event of one of these names: an error, or a server that stops.
      if (event === "error" || event === "closing") return came
      came = true
      await next(JSON.parse(data))
    }
  }
}

/** Follows a feed until the signal is aborted. */
export const follow = async ({ next, open, refused, signal }: Following): Promise<void> => {
  let millis = pause.first
  while (!signal.aborted) {
    try {
      const response = await open(signal)
      if (final.has(response.status)) return refused(new Error(await response.text()))
      if (response.ok && response.body !== null && await read(response.body, next)) millis = pause.first
    } catch {
      // The connection broke off.
    }
    if (signal.aborted) return
    await wait(millis, signal)
    millis = Math.min(pause.longest, millis * 2)
  }
}
