/**
 * Who gets what, on every route there is: the routes are read from the API itself, so that a new one cannot be forgotten.
 */
import { HttpApi } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import * as Server from "coxswain/layers/server"
import { Effect, FastCheck, Fiber, Layer, Schema } from "effect"
import * as CountingStore from "../../support/CountingStore.js"
import * as Desk from "../../support/Desk.js"

interface Route {
  readonly name: string
  readonly method: string
  readonly path: string
}

const anything: Server.Schemas<unknown, unknown>["session"] = Schema.Unknown as never

const routes: ReadonlyArray<Route> = (() => {
  const found: Array<Route> = []
  HttpApi.reflect(Server.api({ session: anything, response: anything }), {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => found.push({ name: endpoint.name, method: endpoint.method, path: endpoint.path })
  })
  return found
})()

/** What a route takes that is right for it; a route that is missing here fails the tests. */
const bodies: Readonly<Record<string, unknown>> = {
  turn: { message: "Hi" },
  stream: { message: "Hi" },
  decide: { approved: true },
  notify: { payload: { amount: 1 } },
  dispatch: { target: "Talk" },
  chat: { id: "anns", messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "Hi" }] }] },
  completions: { model: "Desk", messages: [{ role: "user", content: "Hi" }] },
  run: { threadId: "anns", runId: "r", messages: [{ id: "m", role: "user", content: "Hi" }] },
  responses: { model: "Desk", input: "Hi", conversation: "anns" }
}

/** Routes that need no session of somebody: what they are to others is said by hand. */
const free = new Set(["health", "ready"])
const operators = new Set(["approvals", "notify", "dispatch"])
const lists = new Set(["list"])
/** They begin a conversation of the caller, or say what is the same for all. */
const own = new Set(["completions", "models"])

const fill = (path: string, values: Readonly<Record<string, string>>) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? "missing"))

/** Ann's session, in which a call waits, and Bob's. */
const begun = Effect.gen(function*() {
  const client = yield* Desk.client()
  const asked = yield* client.ask("POST", "/sessions/anns/turns", { body: { message: "pay 40" } })
  yield* client.ask("POST", "/sessions/bobs/turns", { as: "bob", body: { message: "Hi" } })
  const [{ callId }] = asked.json.approvals
  const ask = ({ method, name, path }: Route, as: string) =>
    client.ask(method, fill(path, { id: "anns", callId, name: "paid" }), {
      as,
      ...(method === "POST" && { body: bodies[name] ?? {} })
    })
  return { ...client, ask, plain: client.ask }
})

it("every route that takes a body has one in this test", () => {
  const posts = routes.flatMap(({ method, name }) => method === "POST" ? [name] : [])
  expect(posts.filter((name) => !(name in bodies))).toEqual([])
  expect(routes.length).toBeGreaterThan(13)
})

it.scoped("without credentials, and with wrong ones, there is nothing on any route but for health", () =>
  Effect.gen(function*() {
    const { ask, plain } = yield* begun
    const before = (yield* plain("GET", "/sessions/anns")).json
    for (const as of ["", "nobody"]) {
      for (const route of routes) {
        const { json, status } = yield* ask(route, as)
        expect([route.name, status]).toEqual([route.name, free.has(route.name) ? 200 : 401])
        if (!free.has(route.name)) expect(json).toMatchObject({ type: "urn:coxswain:error:Unauthorized", status: 401 })
      }
    }
    expect((yield* plain("GET", "/sessions/anns")).json).toEqual(before)
  }))

it.scoped("another user's session is not there, on any route", () =>
  Effect.gen(function*() {
    const { ask, plain } = yield* begun
    const before = (yield* plain("GET", "/sessions/anns")).json
    for (const route of routes.filter(({ name }) => !free.has(name))) {
      const { json, status, text } = yield* ask(route, "bob")
      expect(text).not.toContain("anns")
      if (own.has(route.name)) expect([route.name, status]).toEqual([route.name, 200])
      else if (lists.has(route.name)) {
        expect(json.items.map(({ userId }: { userId: string }) => userId)).toContain("bob")
      } else expect([route.name, status]).toEqual([route.name, operators.has(route.name) ? 403 : 404])
    }
    expect((yield* plain("GET", "/sessions/anns")).json).toEqual(before)
  }))

it.scoped("a session that does not exist looks like one of somebody else", () =>
  Effect.gen(function*() {
    const { plain } = yield* begun
    for (
      const { method, name, path } of routes.filter(({ name, path }) =>
        path.includes(":id") && !["turn", "stream", "resume"].includes(name)
      )
    ) {
      const body = bodies[name]
      const at = (id: string) =>
        plain(method, fill(path, { id, callId: "c", name: "paid" }), { as: "bob", ...(body !== undefined && { body }) })
      const [theirs, none] = [yield* at("anns"), yield* at("none")]
      expect([name, none.status, none.text]).toEqual([name, theirs.status, theirs.text])
    }
  }))

it.scoped("a session that two users begin at once belongs to one of them, and is not there for the other", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    for (const path of ["turns", "turns/stream"]) {
      const begin = (as: string) =>
        ask("POST", `/sessions/${path.length}/${path}`, { as, body: { message: `I am ${as}`, messageId: "m1" } })
      const fibers = yield* Effect.forEach(["ann", "bob"], (as) => Effect.fork(begin(as)))
      const answers = yield* Effect.forEach(fibers, Fiber.join)
      const losers = answers.filter(({ text }) => !text.includes("You said it."))
      expect(losers).toHaveLength(1)
      expect(losers[0]!.text).toContain("urn:coxswain:error:NotFound")
    }
  }))

it.scoped("an operator reads every session, and does not speak for its owner", () =>
  Effect.gen(function*() {
    const { ask, plain } = yield* begun
    const olga = "olga operator"
    for (const name of ["snapshot", "messages", "join", "approvals", "list"]) {
      const { status } = yield* ask(routes.find((route) => route.name === name)!, olga)
      expect([name, status < 300]).toEqual([name, true])
    }
    for (const path of ["turns", "turns/stream"]) {
      expect(yield* plain("POST", `/sessions/anns/${path}`, { as: olga, body: { message: "Hi" } })).toMatchObject({
        status: 404
      })
    }
    expect(yield* plain("DELETE", "/sessions/anns/turns/current", { as: olga })).toMatchObject({ status: 404 })
  }))

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
    "[".repeat(5000)
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

it.effect(
  "of 1,000 malformed requests none is a failure of the server, and nothing is stored",
  () =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      yield* Effect.scoped(Effect.gen(function*() {
        const { ask } = yield* Desk.client(
          { rateLimit: false },
          Layer.provideMerge(Desk.Desk.layer, Layer.mergeAll(Desk.services(), store.layer))
        )
        const samples = FastCheck.sample(
          FastCheck.tuple(FastCheck.constantFrom(...routes), wildBody, wildPart, wildPart, wildHeaders, wildQuery),
          { numRuns: 1000, seed: 15 }
        )
        for (const [{ method, path }, body, id, other, headers, query] of samples) {
          const at = fill(path, { id, callId: other, name: other }).replace(/%25/g, "%") + query
          const answer = yield* ask(method, at, {
            as: "ann operator",
            headers,
            ...(method === "POST" && { body })
          })
          expect([method, at, body, answer.status, answer.text].slice(answer.status < 500 ? 3 : 0)[0]).toBeLessThan(500)
          if (answer.status >= 400 && answer.text !== "") {
            expect(answer.json).toMatchObject({
              status: answer.status,
              type: expect.stringContaining("urn:coxswain:error:")
            })
            expect(answer.text).not.toMatch(/node_modules|at \w+ \(|\.ts:/)
          }
        }
      }))
      expect(store.writes).toEqual([])
    }),
  30_000
)
