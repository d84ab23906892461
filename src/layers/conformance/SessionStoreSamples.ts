/** The data of the conformance suite: plain sessions, and values and ids that have broken stores before. */
import * as Effect from "effect/Effect"
import type { Json } from "../../domain/base/Json.js"
import type { Page, SessionWrite, StoredMessage } from "../../services/session/SessionStore.js"

/** JSON that a store must return unchanged. */
export const awkwardValues: Record<string, Json> = {
  unicode: "Ünïcödé, 漢字, עברית, e\u0301 and \u00e9",
  emoji: "🏨👩‍👩‍👧‍👦🇵🇹",
  "1 MB": "0123456789abcdef".repeat(65_536),
  "1 MB of emoji": "🛶".repeat(262_144),
  NUL: ["\u0000", "a\u0000b", "\\u0000", "\\\\u0000"],
  "half a surrogate pair": ["\ud800", "\udc00 x"],
  "control characters": "\u0001\u0008\t\n\u000b\r\u001f\u007f\u2028\u2029\ufeff",
  quotes: "'; DROP TABLE sessions; -- \" ` \\ %s ? $1 :x {{y}} ${z}",
  dates: ["2026-02-29T12:00:00.000Z", "2026-02-28", "0000-00-00"],
  numbers: [0, -1, 0.1, 1e-7, 1e21, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE, Number.MAX_VALUE],
  "look-alikes": ["null", "true", "1", "", " ", "NaN", null, true, false, [], {}, [[]], [null]],
  "keys of the prototype": JSON.parse(`{"__proto__":{"polluted":true},"constructor":1,"toString":{"__proto__":2}}`),
  "keys of queries": { "": 1, "$where": "1", "a.b": { "$gt": "" }, "\u0000": 2, "🔑": 3, "1": 4, " ": 5 }
}

/** Ids that a careless store could treat as a query, a path or a pattern, or confuse with each other. */
export const hostileIds: ReadonlyArray<string> = [
  "' OR 1=1 --",
  "\"; DROP TABLE sessions; --",
  "{\"$ne\":null}",
  "*",
  "%",
  "_",
  "a:b:c",
  "a:b",
  "../x",
  "..",
  "/",
  "a/b?c#d&e=f",
  "$where",
  "__proto__",
  "constructor",
  "null",
  "case",
  "CASE",
  "space",
  "space ",
  " space",
  "\u00e9",
  "e\u0301",
  "nul\u0000nul",
  "nul\\u0000nul",
  "half \ud800",
  "half \ud801",
  "line\nbreak",
  "x".repeat(200),
  "🛶".repeat(100)
]

/** Returns the instant this number of seconds after the start of 2026. */
export const time = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()

/** A message of the user, with this text. */
export const message = (seq: number, text: string): StoredMessage => ({
  seq,
  message: { role: "user", content: [{ type: "text", text }] },
  createdAt: time(seq)
})

/** The texts of messages. */
export const texts = (messages: ReadonlyArray<StoredMessage>): ReadonlyArray<string> =>
  messages.map(({ message }) => (message as { content: ReadonlyArray<{ text: string }> }).content[0]!.text)

/** A commit of the next version, with these fields. */
export const write = (id: string, expectedVersion: number, rest: Partial<SessionWrite> = {}): SessionWrite => ({
  id,
  expectedVersion,
  session: { id, version: expectedVersion + 1 },
  updatedAt: time(expectedVersion),
  messages: [],
  ...rest
})

const isArray = (json: Json): json is ReadonlyArray<Json> => Array.isArray(json)

/** Returns JSON text with sorted keys, because a store may reorder keys, but must change nothing else. */
export const canonical = (json: Json): string => {
  if (json === null || typeof json !== "object") return JSON.stringify(json)
  if (isArray(json)) return `[${json.map(canonical).join()}]`
  return `{${
    Object.entries(json).sort(([a], [b]) => a < b ? -1 : 1).map(([key, value]) =>
      `${JSON.stringify(key)}:${canonical(value)}`
    ).join()
  }}`
}

/** Reads all pages, up to a thousand. */
export const pages = <A, C, E>(next: (cursor: C | undefined) => Effect.Effect<Page<A, C>, E>) =>
  Effect.gen(function*() {
    const found: Array<ReadonlyArray<A>> = []
    let cursor: C | undefined
    do {
      const page: Page<A, C> = yield* next(cursor)
      found.push(page.items)
      cursor = page.next
    } while (cursor !== undefined && found.length < 1000)
    return found
  })

const run = globalThis.crypto.randomUUID()
let counter = 0

/** Returns an id that is new in every test and every run, so that several runs may use the same store. */
export const fresh = (what: string): string => `${what}-${run}-${++counter}`
