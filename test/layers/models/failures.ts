/** Faults of a server, and the failure that each must lead to, for every dialect. */
import { Duration } from "effect"
import type { Dialect, Said } from "./dialects.js"
import type { Behaviour } from "./server.js"

export interface Failing {
  readonly name: string
  readonly does: Behaviour
  /** The expected fields of the failure. */
  readonly expected: { readonly reason?: string; readonly retryable?: boolean } & Record<string, unknown>
  /** Limits short enough for a test that waits for them. */
  readonly limits?: { readonly firstToken: Duration.Duration; readonly model: Duration.Duration }
}

const say = (said: Said): Behaviour => ({ _tag: "Say", said })

const always: ReadonlyArray<Failing> = [
  { name: "filtered", does: say({ stop: "filter" }), expected: { reason: "content_filter", retryable: false } },
  { name: "nothing said", does: say({}), expected: { reason: "empty" } },
  {
    name: "401",
    does: { _tag: "Refuse", status: 401, message: "bad key" },
    expected: { reason: "auth", retryable: false }
  },
  {
    name: "404, no such model",
    does: { _tag: "Refuse", status: 404, message: "The model does not exist" },
    expected: { reason: "invalid_request", retryable: false, why: "404 The model does not exist" }
  },
  {
    name: "429 with retry-after",
    does: { _tag: "Refuse", status: 429, headers: { "retry-after": "7" } },
    expected: { reason: "rate_limited", retryable: true, retryAfter: Duration.seconds(7) }
  },
  { name: "500", does: { _tag: "Refuse", status: 500 }, expected: { reason: "overloaded", retryable: true } },
  { name: "529", does: { _tag: "Refuse", status: 529 }, expected: { reason: "overloaded", retryable: true } },
  {
    name: "malformed JSON",
    does: { _tag: "Raw", body: "{\"id\": nonsense" },
    expected: { reason: "malformed_output", retryable: true }
  },
  { name: "connection reset", does: { _tag: "Reset" }, expected: { reason: "network", retryable: true } },
  {
    name: "a hang",
    does: { _tag: "Hang" },
    expected: { reason: "timeout", retryable: true },
    limits: { firstToken: Duration.millis(150), model: Duration.millis(250) }
  }
]

/** The failures of whole answers, or of streamed ones. */
export const failures = (dialect: Dialect, streamed: boolean): ReadonlyArray<Failing> => {
  if (!streamed) {
    return [...always, {
      name: "a body that breaks off",
      does: { _tag: "Break", said: { text: "Hello" }, events: 0, how: "reset" },
      expected: { retryable: true }
    }]
  }
  const said = { text: "Hello, world. How are you?" }
  const events = dialect.events(said).length - 3
  return [
    ...always,
    {
      name: "a truncated stream",
      does: { _tag: "Break", said, events, how: "end" },
      expected: { reason: "network", retryable: true }
    },
    {
      name: "a stream that is reset",
      does: { _tag: "Break", said, events, how: "reset" },
      expected: { reason: "network", retryable: true }
    },
    {
      name: "a stream that stops",
      does: { _tag: "Break", said, events, how: "hang" },
      expected: { reason: "timeout" },
      limits: { firstToken: Duration.millis(200), model: Duration.millis(300) }
    },
    ...(dialect.errorEvent === undefined ? [] : [{
      name: "an error event",
      does: { _tag: "ErrorEvent", said, events, message: "it broke" } as const,
      expected: { reason: "overloaded", retryable: true }
    }])
  ]
}
