/** Malformed and hostile requests: none makes the server fail, and none is stored. */
import { expect, it } from "@effect/vitest"
import { Effect, FastCheck, Layer } from "effect"
import * as CountingStore from "../support/CountingStore.js"
import * as Desk from "../support/Desk.js"
import { hostile, replaced, textOf } from "../support/HostileBodies.js"
import { bodies, fill, type Route, routes } from "../support/Routes.js"

const wildBody = FastCheck.oneof(
  FastCheck.json(),
  FastCheck.string(),
  FastCheck.constantFrom(
    "{",
    "[]",
    "null",
    "\"x\"",
    "{\"message\":1}",
    "{\"message\":\"\"}",
    "{\"__proto__\":{}}",
    "[".repeat(5000),
    "[".repeat(4500) + "]".repeat(4500),
    "{\"message\":\"\\ud800\",\"id\":\"\\ud800\"}"
  ),
  FastCheck.record({ message: FastCheck.anything() }).map((value) => {
    try {
      return JSON.stringify(value, (_, part) => typeof part === "bigint" ? String(part) : part)
    } catch {
      return "{}"
    }
  }).filter((text) => !/"message":"[^"]*[^\s"][^"]*"/.test(text ?? ""))
)
const wildPart = FastCheck.oneof(
  FastCheck.string({ unit: "binary", minLength: 1, maxLength: 300 }),
  FastCheck.constantFrom("__proto__", "constructor", "..", "%", "%zz", "a".repeat(201), "' OR 1=1 --", "\0")
)
const wildHeaders = FastCheck.constantFrom<Readonly<Record<string, string>>>(
  {},
  { "content-type": "text/plain" },
  { "content-type": "multipart/form-data" },
  { "content-type": "multipart/form-data; boundary=x" },
  { "content-type": "application/x-www-form-urlencoded" },
  { "content-type": "" },
  { "last-event-id": "x:y:-1" },
  { "last-event-id": "a:999999999" },
  { "idempotency-key": "k".repeat(201) }
)
const wildQuery = FastCheck.constantFrom(
  "",
  "?limit=0",
  "?limit=-1",
  "?limit=x",
  "?limit=1&limit=2",
  "?before=1e9",
  "?cursor=%00",
  "?cursor=a&cursor=b",
  "?userId="
)

interface Sent {
  readonly route: Route
  readonly body: string
  readonly id: string
  readonly other: string
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: string
}

/** Whether it is a valid begin request: `begin` has no required fields, so that any object is valid. */
const begins = ({ body, route: { name } }: Sent): boolean => {
  if (!name.startsWith("begin")) return false
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
  } catch {
    return false
  }
}

const serving = Effect.gen(function*() {
  const store = yield* CountingStore.make
  const client = yield* Desk.client(
    { rateLimit: false, turnsPerUser: 1000 },
    Layer.provideMerge(Desk.Desk.layer, Layer.mergeAll(Desk.services(), store.layer))
  )
  return { store, client }
})

/** Sends the requests; each must be answered, or refused with a problem document without internal details. */
const sendAll = ({ ask, open }: Desk.Client, all: Iterable<Sent>) =>
  Effect.gen(function*() {
    for (const { body, headers = {}, id, other, query = "", route: { method, name, path } } of all) {
      const at = fill(path, { id, callId: other, name: other }).replace(/%25/g, "%") + query
      // A chat may begin after its feed was opened, so the feed of an unknown chat stays open.
      if (name === "chatFeed") {
        const response = yield* open(method, at, { as: "ann operator", headers })
        yield* Effect.promise(() => response.body?.cancel() ?? Promise.resolve())
        if (response.status >= 500) throw new Error(`${method} ${at}: ${response.status}`)
        continue
      }
      const { json, status, text } = yield* ask(method, at, {
        as: "ann operator",
        headers,
        ...(method === "POST" && { body })
      })
      if (status >= 500) throw new Error(`${method} ${at} ${body}: ${status} ${text}`)
      if (status >= 400 && text !== "") {
        // OpenAI's routes have their own error format once the request is well-formed.
        expect(json).toMatchObject(
          json.error === undefined
            ? { status, type: expect.stringContaining("urn:coxswain:error:") }
            : { error: { message: expect.any(String), type: expect.any(String) } }
        )
        expect(text).not.toMatch(/node_modules|at \w+ \(|\.ts:/)
      }
    }
  })

it.effect(
  "1,000 malformed HTTP requests cause no server error and no write",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const { client, store } = yield* serving
      const sent = FastCheck.record({
        route: FastCheck.constantFrom(...routes),
        body: wildBody,
        id: wildPart,
        other: wildPart,
        headers: wildHeaders,
        query: wildQuery
      })
      yield* sendAll(client, FastCheck.sample(sent.filter((one) => !begins(one)), { numRuns: 1000, seed: 15 }))
      expect(store.writes).toEqual([])
    }))
)

/** Optional fields of routes. */
const more: Readonly<Record<string, object>> = {
  turn: { messageId: "k", context: { tier: "gold" }, metadata: { a: 1 } },
  stream: { messageId: "k", context: { tier: "gold" }, metadata: { a: 1 } },
  decide: { reason: "why", args: { euros: 1 } },
  notify: { eventId: "e", metadata: { a: 1 } },
  dispatch: { target: { goTo: "Talk", dataUpdate: { city: "Rome" } } },
  chat: {
    trigger: "submit-message",
    messages: [{
      id: "m",
      role: "assistant",
      parts: [{ type: "tool-pay", state: "approval-responded", approval: { id: "x", approved: true, reason: "why" } }]
    }]
  },
  completions: { stream: false, stream_options: { include_usage: true } },
  run: { resume: [{ interruptId: "x", status: "resolved", payload: { approved: true, args: { euros: 1 } } }] },
  responses: { input: [{ role: "user", content: [{ type: "input_text", text: "Hi" }] }], previous_response_id: "r" }
}

it.effect(
  "HTTP requests that are valid except for one hostile part cause no server error",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const { client } = yield* serving
      for (const route of routes.filter(({ method }) => method === "POST")) {
        const asked = yield* client.ask("POST", "/sessions/anns/turns", { as: "ann", body: { message: "pay 40" } })
        const [{ callId }] = asked.json.approvals
        const other = route.name === "notify" ? "paid" : callId
        const whole = { ...bodies[route.name] as object, ...more[route.name] }
        const all = hostile.flatMap((by) => replaced(whole, by))
        yield* sendAll(client, all.map((body) => ({ route, body: textOf(body), id: "anns", other })))
      }
    }))
)
