/** Access control on every route; the routes are read from the API, so that a new one is covered. */
import { expect, it } from "@effect/vitest"
import { TurnFeed } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Context, Effect, Fiber, Layer } from "effect"
import * as Access from "../../../../src/layers/server/requests/Access.js"
import { asNamed } from "../../../../src/layers/server/sessions/SessionIds.js"
import * as Desk from "../../../support/Desk.js"
import { bodies, fill, type Route, routes } from "../../../support/Routes.js"

/** Routes that are not about one user's session; their expected answers are listed by hand. */
const free = new Set(["health", "ready"])
const operators = new Set([
  "calls",
  "replay",
  "asTest",
  "export",
  "erase",
  "definition",
  "approvals",
  "notify",
  "dispatch",
  "takeover",
  "say",
  "release",
  "suggest"
])
const lists = new Set(["list"])
/** They begin a conversation of the caller, even under another user's session name, or answer the same to everybody. */
const own = new Set([
  "about",
  "turn",
  "stream",
  "begin",
  "beginStream",
  "chat",
  "responses",
  "run",
  "completions",
  "models",
  "history"
])
/** Other tests cover them: forms with files (`uploads.test.ts`), and a stream without an end (`chat.test.ts`). */
const elsewhere = new Set(["upload", "openaiFile", "chatFeed"])

/** Ann's session with a pending approval, and Bob's session. */
const begun = Effect.gen(function*() {
  const client = yield* Desk.client()
  const asked = yield* client.ask("POST", "/sessions/anns/turns", { body: { message: "pay 40" } })
  yield* client.ask("POST", "/sessions/bobs/turns", { as: "bob", body: { message: "Hi" } })
  const [{ callId }] = asked.json.approvals
  const ask = ({ method, name, path }: Route, as: string, id = "anns") =>
    client.ask(method, fill(path, { id, callId, name: "paid" }), {
      as,
      ...(method === "POST" && { body: bodies[name] ?? {} })
    })
  return { ...client, ask, plain: client.ask }
})

it("this test has a request body for every POST route", () => {
  const posts = routes.flatMap(({ method, name }) => method === "POST" ? [name] : [])
  expect(posts.filter((name) => !(name in bodies))).toEqual([])
  expect(routes.length).toBeGreaterThan(13)
})

it.scoped("all routes except health and ready answer 401 without valid credentials", () =>
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

it.scoped("every route answers 404 for another user's session, by name and by id", () =>
  Effect.gen(function*() {
    const { ask, plain } = yield* begun
    const before = (yield* plain("GET", "/sessions/anns")).json
    // Sequentially: a later route would find what an earlier one begins.
    const named = routes.filter(({ name }) => !free.has(name) && !own.has(name) && !elsewhere.has(name))
    for (const id of ["anns", Server.sessionIdOf("ann", "anns")]) {
      for (const route of named) {
        const { json, status, text } = yield* ask(route, "bob", id)
        expect(text).not.toContain("anns")
        if (lists.has(route.name)) {
          expect(json.items.map(({ userId }: { userId: string }) => userId)).toEqual(["bob"])
        } else {
          // A chat without messages has nothing to resume.
          const none = route.name === "resume" ? 204 : 404
          expect([route.name, status]).toEqual([route.name, operators.has(route.name) ? 403 : none])
        }
      }
    }
    for (const route of routes.filter(({ name }) => own.has(name))) {
      const { status, text } = yield* ask(route, "bob")
      expect([route.name, status]).toEqual([route.name, 200])
      expect(text).not.toContain("\"ann\"")
      expect((yield* plain("DELETE", "/sessions/anns", { as: "bob" })).status).toBeLessThan(500)
    }
    expect((yield* plain("GET", "/sessions/anns")).json).toEqual(before)
  }))

it.scoped("a request for a missing session gets the same answer as one for another user's session", () =>
  Effect.gen(function*() {
    const { plain } = yield* begun
    for (
      const { method, name, path } of routes.filter(({ name, path }) =>
        path.includes(":id") &&
        !["turn", "stream", "begin", "beginStream", "resume", "chatFeed", "upload"].includes(name)
      )
    ) {
      const body = bodies[name]
      const at = (id: string) =>
        plain(method, fill(path, { id, callId: "c", name: "paid" }), { as: "bob", ...(body !== undefined && { body }) })
      const [theirs, none] = [yield* at("anns"), yield* at("none")]
      expect([name, none.status, none.text]).toEqual([name, theirs.status, theirs.text])
    }
  }))

it.scoped("two users who begin the same session name concurrently get separate sessions", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    for (const path of ["turns", "turns/stream"]) {
      const begin = (as: string) =>
        ask("POST", `/sessions/${path.length}/${path}`, { as, body: { message: `I am ${as}`, messageId: "m1" } })
      const fibers = yield* Effect.forEach(["ann", "bob"], (as) => Effect.fork(begin(as)))
      for (const { status, text } of yield* Effect.forEach(fibers, Fiber.join)) {
        expect([status, text.includes("TurnFailed")]).toEqual([200, false])
      }
      for (const as of ["ann", "bob"]) {
        const { json } = yield* ask("GET", `/sessions/${path.length}`, { as })
        expect(json).toMatchObject({ id: String(path.length), userId: as, version: 1 })
        expect((yield* ask("GET", `/sessions/${path.length}/messages`, { as })).text).toContain(`I am ${as}`)
      }
    }
  }))

it.scoped("an operator can read every session, but cannot send turns for its owner", () =>
  Effect.gen(function*() {
    const { ask, plain } = yield* begun
    const olga = "olga operator"
    for (const name of ["snapshot", "messages", "join", "approvals", "list"]) {
      const { status } = yield* ask(
        routes.find((route) => route.name === name)!,
        olga,
        Server.sessionIdOf("ann", "anns")
      )
      expect([name, status < 300]).toEqual([name, true])
    }
    for (const path of ["turns", "turns/stream"]) {
      expect(yield* plain("POST", `/sessions/${Desk.idOf("anns")}/${path}`, { as: olga, body: { message: "Hi" } }))
        .toMatchObject({
          status: 404
        })
    }
    expect(yield* plain("DELETE", `/sessions/${Desk.idOf("anns")}/turns/current`, { as: olga })).toMatchObject({
      status: 404
    })
  }))

it.scoped("a session whose first turn ends during the access check belongs to its owner only", () =>
  Effect.gen(function*() {
    const agent = Context.get(yield* Layer.build(Desk.layer()), Desk.Desk)
    const memory = yield* TurnFeed.make
    const access = (sessionId: string) => {
      const turn = agent.respond({ sessionId, message: "Hi", principal: { userId: "ann" } })
      return Access.make({
        agent,
        operatorRole: "operator",
        ids: asNamed,
        feed: { ...memory, running: () => Effect.as(Effect.orDie(turn), []) }
      })
    }
    const as = (userId: string) => Effect.provideService(Access.CurrentPrincipal, { userId })
    expect(yield* access("s1").owned("s1").pipe(as("ann"))).toMatchObject({
      id: "s1",
      session: { version: 1, userId: "ann" }
    })
    expect(yield* Effect.flip(access("s2").owned("s2").pipe(as("bob")))).toMatchObject({ status: 404 })
    expect(yield* Effect.flip(access("s3").speaker("s3").pipe(as("bob")))).toMatchObject({ status: 404 })
    expect(yield* access("s4").speaker("s4").pipe(as("ann"))).toMatchObject({ principal: { userId: "ann" } })
  }))
