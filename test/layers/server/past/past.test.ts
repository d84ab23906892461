/** Looking back over HTTP: past turns, replay, tests, the clock of a demonstration, and the data of a user. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore, TurnLog, Understanding } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Effect, HashMap, Layer, Logger, Schema } from "effect"
import * as Desk from "../../../support/Desk.js"
import * as Script from "../../../support/Script.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
const understanding = Layer.succeed(Understanding.Understanding, {
  answer: () => Effect.succeed({ flowScores: {}, conditions: {}, signals: {}, fields: {} })
})

const opened = ({ demo = false, logged = true, snapshots = true } = {}) =>
  Effect.gen(function*() {
    let count = 0
    const model = Script.make(() => `Answer-${++count}`)
    const services = Layer.mergeAll(model.layer, SessionStore.layerMemory, understanding)
    const agent = kit.make({
      name: "Past",
      ...(snapshots && { snapshots: { keep: 10 } }),
      flows: [{
        title: "Talk",
        steps: [{
          id: "talk",
          prompt: "Talk",
          until: () => false,
          after: { "2 days": () => ({ reply: "Are you there?" }) }
        }]
      }]
    }).pipe(Effect.provide(logged ? Layer.merge(services, TurnLog.layerMemory) : services))
    const client = yield* Desk.serve(Server.layer(agent, { authenticate: Desk.authenticate, docs: false, demo }))
    const say = (message: string, as = "ann") => client.ask("POST", "/sessions/s/turns", { as, body: { message } })
    return { ...client, say }
  })

const olga = { as: "olga operator" }
const at = `/sessions/${Desk.idOf("s")}`

describe("GET /sessions/:id/turns", () => {
  it.scoped("returns each turn's response to the owner, and also the turn-log entry to operators", () =>
    Effect.gen(function*() {
      const { ask, say } = yield* opened()
      for (const text of ["One", "Two", "Three"]) yield* say(text)
      const mine = (yield* ask("GET", "/sessions/s/turns")).json.items
      expect(mine.map(({ n, response, said }: any) => [n, said, response.message, response.session.id])).toEqual([
        [1, "One", "Answer-1", "s"],
        [2, "Two", "Answer-2", "s"],
        [3, "Three", "Answer-3", "s"]
      ])
      expect(mine.filter((one: object) => "entry" in one || "input" in one)).toEqual([])
      const all = (yield* ask("GET", `${at}/turns`, olga)).json.items
      expect(all.map(({ entry, input }: any) => [input.message, entry.reply])).toEqual([
        ["One", "Answer-1"],
        ["Two", "Answer-2"],
        ["Three", "Answer-3"]
      ])
      const page = (yield* ask("GET", "/sessions/s/turns?limit=2")).json
      expect([page.items.map(({ n }: any) => n), page.next]).toEqual([[2, 3], 2])
      expect((yield* ask("GET", "/sessions/s/turns?limit=2&before=2")).json).toMatchObject({ items: [{ n: 1 }] })
    }))

  it.scoped("without snapshots, returns the logged turns to operators only; without a turn log too, returns no turns", () =>
    Effect.gen(function*() {
      const logged = yield* opened({ snapshots: false })
      yield* logged.say("One")
      const { json } = yield* logged.ask("GET", `${at}/turns`, olga)
      expect(json.items).toMatchObject([{ n: 1, input: { message: "One" } }])
      expect((yield* logged.ask("GET", "/sessions/s/turns")).json.items).toEqual([])
      const none = yield* opened({ snapshots: false, logged: false })
      yield* none.say("One")
      expect((yield* none.ask("GET", `${at}/turns`, olga)).json.items).toEqual([])
    }))
})

describe("a recorded session", () => {
  it.scoped("can be replayed and exported as a test by operators only", () =>
    Effect.gen(function*() {
      const { ask, say } = yield* opened()
      yield* say("One")
      yield* say("Two")
      expect((yield* ask("POST", `${at}/replay`, { ...olga, body: {} })).json).toEqual({
        turns: 2,
        reproduced: 2,
        sessions: [{ turns: 2, reproduced: 2, needs: [] }]
      })
      const { source } = (yield* ask("GET", `${at}/test`, olga)).json
      expect(source).toContain("\"Two\"")
      const first = (yield* ask("GET", `${at}/test?upTo=1`, olga)).json.source
      expect([first.includes("\"One\""), first.includes("\"Two\"")]).toEqual([true, false])
      expect((yield* ask("POST", "/sessions/s/replay", { body: {} })).status).toBe(403)
      expect((yield* ask("GET", "/sessions/s/test")).status).toBe(403)
    }))

  it.scoped("cannot be exported as a test if the agent has no turn log: the route answers 404", () =>
    Effect.gen(function*() {
      const { ask, say } = yield* opened({ logged: false })
      yield* say("One")
      expect(yield* ask("GET", `${at}/test`, olga)).toMatchObject({
        status: 404,
        json: { detail: expect.stringContaining("TurnLog") }
      })
    }))
})

describe("the adjustable clock of a session (server option `demo`)", () => {
  it.scoped("is advanced for one session only, and the due timers of that session run", () =>
    Effect.gen(function*() {
      const { ask, say } = yield* opened({ demo: true })
      yield* say("One")
      yield* say("One", "bob")
      expect((yield* ask("GET", "/agent")).json.features).toMatchObject({ clock: true })
      const advance = (millis: number) => ask("POST", "/sessions/s/clock", { body: { advance: millis } })
      const day = 86_400_000
      expect((yield* advance(day)).json).toMatchObject({ ahead: day, fired: 0, now: "1970-01-02T00:00:00.000Z" })
      expect((yield* advance(day)).json).toMatchObject({ ahead: 2 * day, fired: 1 })
      expect((yield* ask("GET", "/sessions/s/messages")).text).toContain("Are you there?")
      expect((yield* say("Two")).json.session.updatedAt).toBe("1970-01-03T00:00:00.000Z")
      expect((yield* ask("GET", "/sessions/s/clock", { as: "bob" })).json).toMatchObject({ ahead: 0 })
      expect((yield* ask("GET", "/sessions/s/messages", { as: "bob" })).text).not.toContain("Are you there?")
      expect((yield* advance(-1)).status).toBe(400)
      // Graph and replay are those of the agent itself.
      expect((yield* ask("GET", "/definition", olga)).json.graph.flows).toHaveLength(1)
      const replayed = (yield* ask("POST", `${at}/replay`, { ...olga, body: {} })).json
      expect(replayed.reproduced).toBe(replayed.turns)
    }))

  it.scoped("is not available without the option `demo`", () =>
    Effect.gen(function*() {
      const { ask, say } = yield* opened()
      yield* say("One")
      expect((yield* ask("POST", "/sessions/s/clock", { body: { advance: 1 } })).status).toBe(404)
      expect((yield* ask("GET", "/agent")).json.features).toMatchObject({ clock: false })
    }))
})

it.scoped("only operators can export and erase the data of a user", () =>
  Effect.gen(function*() {
    const { ask, say } = yield* opened()
    yield* say("One")
    yield* say("Mine", "bob")
    expect((yield* ask("GET", "/users/ann/export")).status).toBe(403)
    expect((yield* ask("DELETE", "/users/ann")).status).toBe(403)
    const exported = yield* ask("GET", "/users/ann/export", olga)
    expect(exported.json).toMatchObject({
      userId: "ann",
      sessions: [{ messages: [{ seq: 1 }, { seq: 2 }] }],
      files: []
    })
    expect(exported.text).not.toContain("Mine")
    const { json } = yield* ask("DELETE", "/users/ann", olga)
    expect(json).toMatchObject({ userId: "ann", sessions: [{ messageCount: 2 }] })
    expect((yield* ask("GET", "/sessions/s")).status).toBe(404)
    expect((yield* ask("GET", "/sessions/s", { as: "bob" })).status).toBe(200)
  }))

describe("GET /sessions/:id/calls", () => {
  it.scoped("returns the prompts and answers of a recorded turn's model calls, to operators only", () =>
    Effect.gen(function*() {
      const { ask, say } = yield* opened()
      yield* say("One")
      yield* say("Two")
      const { items } = (yield* ask("GET", `${at}/calls?version=2`, olga)).json
      expect(items).toMatchObject([{ purpose: "speak", isSame: true, tools: [], answer: "Answer-2" }])
      const roles = items[0].prompt.map(({ role }: any) => role)
      expect(roles[0]).toBe("system")
      const texts = items[0].prompt.map(({ text }: any) => text)
      expect(texts.join("\n")).toMatch(/One\nAnswer-1\n[^]*Task: Talk[^]*\nTwo$/)
      expect((yield* ask("GET", `${at}/calls?version=1`, olga)).json.items[0].answer).toBe("Answer-1")
      expect((yield* ask("GET", `${at}/calls`, olga)).json.items).toEqual(items)
      expect((yield* ask("GET", `${at}/calls?version=9`, olga)).json).toEqual({ items: [] })
      expect((yield* ask("GET", "/sessions/s/calls?version=1")).status).toBe(403)
    }))

  it.scoped("marks the calls for which the current definition would make a different prompt", () =>
    Effect.gen(function*() {
      let prompt = "Talk"
      const model = Script.make(() => "Yes")
      const agent = kit.make({
        name: "Past",
        flows: [{ title: "Talk", steps: [{ id: "talk", prompt: () => prompt, until: () => false }] }]
      }).pipe(
        Effect.provide(Layer.mergeAll(model.layer, SessionStore.layerMemory, understanding, TurnLog.layerMemory))
      )
      const { ask } = yield* Desk.serve(Server.layer(agent, { authenticate: Desk.authenticate, docs: false }))
      yield* ask("POST", "/sessions/s/turns", { body: { message: "One" } })
      prompt = "Be silent"
      const [call] = (yield* ask("GET", `${at}/calls?version=1`, olga)).json.items
      expect([call.isSame, call.answer]).toEqual([false, "Yes"])
      expect(JSON.stringify(call.prompt)).toContain("Be silent")
    }))
})

describe("the header x-request-id", () => {
  it.scoped("is in every response and in the request's log lines, and keeps a well-formed id of a proxy", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ annotations }) => void lines.push(Array.from(HashMap.values(annotations))))
      const { ask } = yield* opened({ logged: false })
      const idOf = (headers: Record<string, string>) =>
        Effect.map(ask("GET", "/sessions/none", { headers }), (found) => found.headers.get("x-request-id"))
      expect(yield* idOf({ "x-request-id": "proxy-7" })).toBe("proxy-7")
      const [one, other] = [yield* idOf({ "x-request-id": "a b" }), yield* idOf({})]
      expect(one).toMatch(/^[0-9a-f]{24}$/)
      expect(other).not.toBe(one)
      const failing = yield* Desk.serve(
        Server.layer(Desk.Desk, { authenticate: () => Effect.die("broken"), docs: false }).pipe(
          Layer.provide(Desk.layer()),
          Layer.provide(Logger.replace(Logger.defaultLogger, logger))
        )
      )
      yield* failing.ask("GET", "/agent", { headers: { "x-request-id": "proxy-8" } }).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
      expect(lines.flat()).toContain("proxy-8")
    }))
})
