/** Lists of sessions and of what waits for a person, and the description of the agent, over HTTP. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Effect, Layer, Schema, TestClock } from "effect"
import * as Desk from "../../../support/Desk.js"

const olga = { as: "olga operator" }

describe("GET /sessions", () => {
  const opened = Effect.gen(function*() {
    const client = yield* Desk.client()
    const say = (as: string, id: string, message: string) =>
      client.ask("POST", `/sessions/${id}/turns`, { as, body: { message } })
    yield* say("ann", "trip", "To Lisbon")
    yield* say("bob", "rest", "refund 40")
    yield* say("bob", "trip", "Hello")
    const list = (query: string, as = olga.as) =>
      Effect.map(client.ask("GET", `/sessions${query}`, { as }), ({ json }) => json)
    return { ...client, list, say }
  })

  it.scoped("with `details` returns name, position, state, pending approvals and last message of each session", () =>
    Effect.gen(function*() {
      const { ask, list } = yield* opened
      const { items } = yield* list("?details=true")
      expect(items.find(({ details }: any) => details.last.text === "You said it." && details.name === "trip"))
        .toMatchObject({
          details: {
            state: "agent",
            flow: { id: "talk", title: "Talk" },
            step: "talk",
            waits: [],
            last: { role: "assistant" }
          }
        })
      expect(items.find(({ details }: any) => details.name === "rest")).toMatchObject({
        userId: "bob",
        details: { state: "waiting", waits: [{ toolId: "refund", role: "manager" }] }
      })
      yield* ask("POST", `/sessions/${Desk.idOf("trip")}/takeover`, { ...olga, body: {} })
      const after = yield* list("?details=true&userId=ann")
      expect(after.items).toMatchObject([{ details: { state: "person", person: { id: "olga" } } }])
      expect((yield* list("")).items[0]).not.toHaveProperty("details")
    }))

  it.scoped("with `details` names the session of which another one is a copy, as `GET /approvals` does", () =>
    Effect.gen(function*() {
      const { ask, list, say } = yield* opened
      yield* ask("POST", "/sessions/trip/fork", { as: "ann", body: { as: "trip-2" } })
      yield* say("ann", "trip-2", "pay 7")
      const { items } = yield* list("?details=true&userId=ann")
      const copyOf = (name: string) => items.find(({ details }: any) => details.name === name).details.forkedFrom
      expect([copyOf("trip"), copyOf("trip-2")]).toEqual([undefined, Desk.idOf("trip")])
      const { json } = yield* ask("GET", "/approvals", olga)
      expect(json.items.find(({ userId }: any) => userId === "ann")).toMatchObject({ forkedFrom: Desk.idOf("trip") })
    }))

  it.scoped("gives the reason for which a conversation waits for a person", () =>
    Effect.gen(function*() {
      const { ask, list } = yield* opened
      yield* ask("POST", `/sessions/${Desk.idOf("trip")}/events/paid`, { ...olga, body: { payload: { amount: -1 } } })
      const { items } = yield* list("?state=waiting&details=true&userId=ann")
      const waits = [{ handOff: true, reason: "a negative payment" }]
      expect(items).toMatchObject([{ details: { waits } }])
      const { json } = yield* ask("GET", "/approvals", olga)
      expect(json.items.find(({ userId }: any) => userId === "ann")).toMatchObject({ waiting: waits })
    }))

  it.scoped("`search` matches session names and user ids; `state=waiting` needs a pending approval", () =>
    Effect.gen(function*() {
      const { list } = yield* opened
      expect((yield* list("?search=TRIP")).items).toHaveLength(2)
      expect((yield* list("?search=bob")).items).toHaveLength(2)
      expect((yield* list("?search=nothing")).items).toEqual([])
      expect((yield* list("?state=waiting")).items).toMatchObject([{ userId: "bob", messageCount: 0 }])
      expect((yield* list("?state=waiting&search=ann")).items).toEqual([])
    }))

  it.scoped("a search can be continued over all pages, including pages without a match", () =>
    Effect.gen(function*() {
      const { list, say } = yield* opened
      for (const i of Array.from({ length: 9 }, (_, i) => i)) yield* say("eve", `s${i}`, "Hello")
      const found: Array<string> = []
      let cursor = ""
      do {
        const page = yield* list(`?search=trip&limit=1${cursor}`)
        for (const { userId } of page.items) found.push(userId)
        cursor = page.next === undefined ? "" : `&cursor=${encodeURIComponent(page.next)}`
      } while (cursor !== "")
      expect(found.sort()).toEqual(["ann", "bob"])
    }))

  it.scoped("a user gets only their own sessions, whatever the query parameters are", () =>
    Effect.gen(function*() {
      const { list } = yield* opened
      for (
        const query of ["?details=true", "?search=rest", "?state=waiting", "?userId=bob&details=true", "?search=~"]
      ) {
        const { items } = yield* list(query, "ann")
        expect([query, items.filter(({ userId }: any) => userId !== "ann")]).toEqual([query, []])
      }
    }))
})

describe("GET /approvals", () => {
  const opened = Effect.gen(function*() {
    const client = yield* Desk.client()
    yield* client.ask("POST", "/sessions/s/turns", { body: { message: "refund 40" } })
    yield* client.ask("POST", "/sessions/p/turns", { body: { message: "pay 7" } })
    return {
      ...client,
      waits: (as: string) => Effect.map(client.ask("GET", "/approvals", { as }), ({ json }) => json.items)
    }
  })

  it.scoped("returns for each pending call its arguments, the role that may decide, and its age", () =>
    Effect.gen(function*() {
      const { waits } = yield* opened
      yield* TestClock.adjust("90 seconds")
      const items = yield* waits("olga operator manager")
      expect(items.flatMap(({ waiting }: any) => waiting)).toEqual(expect.arrayContaining([
        expect.objectContaining({
          toolId: "refund",
          role: "manager",
          mayDecide: true,
          args: { euros: 40 },
          age: 90_000
        }),
        expect.objectContaining({ toolId: "pay", mayDecide: true, args: { euros: 7 }, requestedBy: "ann" })
      ]))
      const others = (yield* waits("olga operator")).flatMap(({ waiting }: any) => waiting)
      const refund = others.find(({ toolId }: any) => toolId === "refund")
      expect(refund).toMatchObject({ mayDecide: false, role: "manager" })
      expect(refund).not.toHaveProperty("args")
    }))

  it.scoped("a user with a role gets only the calls that this role may decide; a user without a role gets 403", () =>
    Effect.gen(function*() {
      const { ask, waits } = yield* opened
      expect((yield* waits("mia manager")).flatMap(({ waiting }: any) => waiting)).toMatchObject([
        { toolId: "refund", mayDecide: true }
      ])
      expect(yield* waits("carl clerk")).toEqual([])
      expect((yield* ask("GET", "/approvals", { as: "ann" })).status).toBe(403)
    }))
})

describe("the routes that describe the agent (GET /agent and GET /definition)", () => {
  it.scoped("/agent returns the agent's features and the caller's user id and roles", () =>
    Effect.gen(function*() {
      const { ask } = yield* Desk.client({ clientContext: ["tier"] })
      expect((yield* ask("GET", "/agent")).json).toMatchObject({
        name: "Desk",
        you: { userId: "ann", roles: [], isOperator: false },
        whileBusy: "queue",
        clientContext: ["tier"],
        features: { snapshots: false, turnLog: false }
      })
      expect((yield* ask("GET", "/agent", olga)).json.you.isOperator).toBe(true)
      expect((yield* ask("GET", "/agent", { as: "" })).status).toBe(401)
    }))

  it.scoped("/agent names the first language of the request that the context takes as its locale", () =>
    Effect.gen(function*() {
      const layer = Layer.merge(Desk.services(), SessionStore.layerMemory)
      const served = <D, C, E, E2>(
        make: Effect.Effect<Agent.Agent<D, C, E>, E2, Layer.Layer.Success<typeof layer>>
      ) =>
        Effect.gen(function*() {
          const agent = yield* Effect.provide(make, layer)
          const { ask } = yield* Desk.serve(Server.layer(agent, { authenticate: Desk.authenticate, docs: false }))
          return (languages: string) =>
            Effect.map(
              ask("GET", "/agent", { headers: { "accept-language": languages } }),
              ({ json }): unknown => json.locale
            )
        })
      const kitOf = <L extends string>(locale: Schema.Schema<L>) =>
        Agent.define({ data: Schema.Struct({}), context: Schema.Struct({ locale: Schema.optional(locale) }) })
      const any = yield* served(kitOf(Schema.String).make({ name: "Desk" }))
      expect(yield* any("de-AT,en;q=0.5")).toBe("de-AT")
      expect(yield* any("pt-pt")).toBe("pt-PT")
      expect(yield* any("*")).toBeUndefined()
      expect(yield* any("")).toBeUndefined()
      const some = yield* served(kitOf(Schema.Literal("en", "fr")).make({ name: "Desk" }))
      expect(yield* some("de-AT,fr-CH;q=0.9,en;q=0.8")).toBe("fr")
      expect(yield* some("de")).toBeUndefined()
      const none = yield* served(Agent.define({ data: Schema.Struct({}) }).make({ name: "Desk" }))
      expect(yield* none("de")).toBeUndefined()
      const own = yield* served(
        kitOf(Schema.String).make({ name: "Desk", contextProvider: Effect.succeed({ locale: "fr" }) })
      )
      expect(yield* own("de")).toBeUndefined()
    }))

  it.scoped("/definition returns graph, prompts, tools, fields and events, to operators only", () =>
    Effect.gen(function*() {
      const { ask } = yield* Desk.client()
      expect((yield* ask("GET", "/definition")).status).toBe(403)
      const { json } = yield* ask("GET", "/definition", olga)
      expect(json.graph.flows).toMatchObject([{ id: "talk", title: "Talk" }])
      expect(json.steps).toEqual([{ id: "talk/talk", prompt: expect.stringContaining("Talk to a") }])
      expect(json.tools.find(({ id }: any) => id === "pay").parameters.properties).toHaveProperty("euros")
      expect(json.fields).toMatchObject([{ name: "city", schema: { type: "string" } }])
      expect(json.events).toMatchObject([{ name: "paid", schema: { type: "object" } }])
    }))
})
