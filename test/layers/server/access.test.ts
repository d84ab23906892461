/**
 * Who gets what, on every route there is: the routes are read from the API itself, so that a new one cannot be forgotten.
 */
import { expect, it } from "@effect/vitest"
import { TurnFeed } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Context, Effect, Fiber, Layer } from "effect"
import * as Access from "../../../src/layers/server/Access.js"
import { asNamed } from "../../../src/layers/server/SessionIds.js"
import * as Desk from "../../support/Desk.js"
import { bodies, fill, type Route, routes } from "../../support/Routes.js"

/** Routes that need no session of somebody: what they are to others is said by hand. */
const free = new Set(["health", "ready"])
const operators = new Set(["approvals", "notify", "dispatch", "takeover", "say", "release", "suggest"])
const lists = new Set(["list"])
/** They begin a conversation of the caller, also under a name that another user has chosen, or say what is the same for all. */
const own = new Set([
  "turn",
  "stream",
  "begin",
  "beginStream",
  "chat",
  "responses",
  "run",
  "completions",
  "models"
])

/** Ann's session, in which a call waits, and Bob's. */
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

it.scoped("another user's session is not there, on any route, by its name and by its id", () =>
  Effect.gen(function*() {
    const { ask, plain } = yield* begun
    const before = (yield* plain("GET", "/sessions/anns")).json
    // One after the other: what one route begins, the next would find.
    const named = routes.filter(({ name }) => !free.has(name) && !own.has(name))
    for (const id of ["anns", Server.sessionIdOf("ann", "anns")]) {
      for (const route of named) {
        const { json, status, text } = yield* ask(route, "bob", id)
        expect(text).not.toContain("anns")
        if (lists.has(route.name)) {
          expect(json.items.map(({ userId }: { userId: string }) => userId)).toEqual(["bob"])
        } else {
          // A chat in which nothing was said yet has nothing to resume.
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

it.scoped("a session that does not exist looks like one of somebody else", () =>
  Effect.gen(function*() {
    const { plain } = yield* begun
    for (
      const { method, name, path } of routes.filter(({ name, path }) =>
        path.includes(":id") && !["turn", "stream", "begin", "beginStream", "resume"].includes(name)
      )
    ) {
      const body = bodies[name]
      const at = (id: string) =>
        plain(method, fill(path, { id, callId: "c", name: "paid" }), { as: "bob", ...(body !== undefined && { body }) })
      const [theirs, none] = [yield* at("anns"), yield* at("none")]
      expect([name, none.status, none.text]).toEqual([name, theirs.status, theirs.text])
    }
  }))

it.scoped("a session that two users begin at once is two, and each is its user's only", () =>
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

it.scoped("an operator reads every session, and does not speak for its owner", () =>
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

it.scoped("a session whose first turn ends between two questions is its owner's, and nobody else's", () =>
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
