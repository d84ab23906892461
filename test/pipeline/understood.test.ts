/** `understood`: a judgement that the caller supplies, under the same rules as one by a model. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Replay, TurnLog } from "coxswain"
import { Effect, Schema, Stream } from "effect"
import * as Stage from "../support/Stage.js"

const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.String,
    hotel: Schema.String.annotations({ dependsOn: ["city"] }),
    guests: Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 4)),
    items: Schema.Array(Schema.String).annotations({ merge: "append" }),
    agreed: Schema.Boolean.annotations({ extract: "asked" }),
    elsewhere: Schema.String
  })
})

const flows = [
  kit.flow({
    title: "Booking",
    when: "wants a room",
    optionalFields: ["items", "hotel"],
    branches: [{ id: "person", when: "wants a person", if: ({ data }) => data.city !== "Rome", then: "Help" }],
    steps: [
      { id: "stay", collect: ["city", "guests"], prompt: "Ask for the stay" },
      { id: "sea", reply: "By the sea then.", when: "wants the sea" },
      { id: "agree", collect: ["agreed"], prompt: "Ask whether that is right" }
    ]
  }),
  kit.flow({ title: "Help", when: "needs help", steps: [{ prompt: "Help" }] }),
  kit.flow({ title: "Closed", when: "wants it closed", if: () => false, steps: [{ prompt: "Closed" }] })
]

const signals = [
  kit.signal({
    id: "angry",
    phase: "pre",
    when: "is angry",
    extract: Schema.Struct({ level: Schema.Int }),
    handler: ({ extracted, reason }) => ({ reply: `Sorry, ${extracted.level}, ${reason}` })
  }),
  kit.signal({ id: "late", phase: "post", when: "is late", handler: () => ({}) })
]

const make = Effect.gen(function*() {
  const stage = yield* Stage.make({ understand: () => ({}) })
  const agent = yield* kit.make({ name: "Test", flows, signals }).pipe(Effect.provide(stage.layer))
  const respond = (understood: unknown, more: object = {}) =>
    agent.respond({ sessionId: "s1", message: "a message", understood, ...more } as never)
  /** The questions about messages, without those of post signals. */
  const asked = () => stage.questions.filter(({ reply }) => reply === undefined)
  return { agent, asked, respond }
})

describe("`understood`, a judgement of the message that the caller sends", () => {
  it.effect("replaces the model's judgement; the model is asked only for the missing parts", () =>
    Effect.gen(function*() {
      const { asked, respond } = yield* make
      const { session } = yield* respond({ flow: "Booking", values: { city: "Lisbon", guests: "2" } })
      expect(session.data).toEqual({ city: "Lisbon", guests: 2 })
      expect(session.currentFlow?.id).toBe("booking")
      const [questions] = asked()
      expect(questions?.flows).toEqual([])
      expect(questions?.fields.map(({ name }) => name).sort()).toEqual(["hotel", "items", "items.remove"])
      expect(questions?.conditions.map(({ id }) => id)).toContain("booking/sea")
      expect(questions?.signals.map(({ id }) => id)).toEqual(["angry"])
    }))

  it.effect("asks no model if nothing is missing", () =>
    Effect.gen(function*() {
      const { asked, respond } = yield* make
      const all = { city: "Lisbon", guests: "2", hotel: "Ritz", items: ["bed"] }
      const response = yield* respond({
        flow: "booking",
        values: all,
        conditions: { "booking/sea": true, "booking/*/person": false },
        signals: { angry: false }
      })
      expect(asked()).toEqual([])
      expect(response.message).toContain("By the sea then.")
    }))

  it.effect("must obey the same rules as a judgement by the model", () =>
    Effect.gen(function*() {
      const { respond } = yield* make
      yield* respond({ flow: "booking", values: { city: "Lisbon", hotel: "Ritz", items: ["bed"] } })
      // `agreed` is taken only when it is asked for; `elsewhere` is declared by no flow.
      const refused = yield* respond({ values: { agreed: true, elsewhere: "x", items: ["tea"] } })
      expect(refused.session.data).toEqual({ city: "Lisbon", hotel: "Ritz", items: ["bed", "tea"] })
      expect(refused.trace.filter(({ kind }) => kind === "value_not_taken").map(({ source }) => source).sort())
        .toEqual(["agreed", "elsewhere"])
      // A correction clears the fields that depend on it.
      const corrected = yield* respond({ values: { city: "Rome" } })
      expect(corrected.session.data).toEqual({ city: "Rome", items: ["bed", "tea"] })
      // A branch's `if` is checked before its `when`.
      const kept = yield* respond({ conditions: { "booking/*/person": true } })
      expect(kept.session.currentFlow?.id).toBe("booking")
    }))

  it.effect("cannot enter a flow whose `if` is false, and the trace says so", () =>
    Effect.gen(function*() {
      const { respond } = yield* make
      const response = yield* respond({ flow: "Closed" })
      expect(response.session.currentFlow).toBeUndefined()
      expect(response.trace).toMatchObject([{ kind: "flow_not_taken", source: "closed" }])
    }))

  it.effect("can judge a signal and contain its extracted values", () =>
    Effect.gen(function*() {
      const { respond } = yield* make
      const said = { matched: true, reason: "shouting", extracted: { level: 3 } }
      expect((yield* respond({ signals: { angry: said } })).message).toBe("Sorry, 3, shouting")
    }))

  it.effect("can name the flow for form values, and no model is asked", () =>
    Effect.gen(function*() {
      const { agent, asked } = yield* make
      const response = yield* agent.respond({
        sessionId: "s1",
        values: { city: "Lisbon", guests: "2" },
        understood: { flow: "booking" }
      })
      expect(response.session.currentFlow?.id).toBe("booking")
      expect(response.session.data).toEqual({ city: "Lisbon", guests: 2 })
      expect(asked()).toEqual([])
    }))

  const wrong: ReadonlyArray<readonly [what: string, understood: unknown, where: string]> = [
    ["a value that is not an object", "booking", "understood"],
    ["an unknown key, such as `goTo`", { goTo: "help" }, "understood"],
    ["the unknown key `approvals`", { approvals: { call: true } }, "understood"],
    ["an unknown flow", { flow: "Nope" }, "understood.flow"],
    ["an unknown field", { values: { nope: 1 } }, "understood.values.\"nope\""],
    ["a value that does not decode", { values: { guests: "9" } }, "understood.values.\"guests\""],
    ["an unknown condition", { conditions: { "booking/nope": true } }, "understood.conditions.\"booking/nope\""],
    ["a condition that is not a boolean", { conditions: { "booking/sea": 1 } }, "understood"],
    ["an unknown signal", { signals: { nope: true } }, "understood.signals.\"nope\""],
    ["a signal that is checked after the reply", { signals: { late: true } }, "understood.signals.\"late\""],
    [
      "an extracted value that the signal's Schema refuses",
      { signals: { angry: { matched: true, extracted: { level: "x" } } } },
      "understood.signals.\"angry\""
    ],
    ["a `__proto__` key", JSON.parse("{\"values\":{\"__proto__\":1}}"), "understood"],
    ["a value larger than the limit of a message", { values: { city: "x".repeat(50_000) } }, "understood"]
  ]
  for (const [what, understood, where] of wrong) {
    it.effect(`with ${what}, the request is refused without asking a model`, () =>
      Effect.gen(function*() {
        const { asked, respond } = yield* make
        const error = yield* Effect.flip(respond(understood))
        expect(error).toMatchObject({ _tag: "InvalidRequest" })
        expect(error.message).toContain(`[InvalidRequest] ${where}`)
        expect(asked()).toEqual([])
      }))
  }

  it.effect("is refused if it differs for a repeated `messageId`", () =>
    Effect.gen(function*() {
      const { respond } = yield* make
      const once = yield* respond({ flow: "booking" }, { messageId: "m1" })
      expect(yield* respond({ flow: "booking" }, { messageId: "m1" })).toEqual(once)
      expect(yield* Effect.flip(respond({ flow: "help" }, { messageId: "m1" }))).toMatchObject({ what: "messageId" })
    }))

  it.live("is stored in the turn log and used by a replay, also if the turn had form values", () =>
    Effect.gen(function*() {
      const { layer } = yield* Stage.make({ understand: () => ({}) })
      const agent = yield* kit.make({ name: "Test", flows }).pipe(Effect.provide(layer))
      yield* agent.respond({
        sessionId: "s1",
        message: "x",
        understood: { flow: "booking", values: { city: "Lisbon", guests: "2" } }
      })
      yield* agent.respond({ sessionId: "s1", values: { agreed: true } })
      const log = yield* TurnLog.TurnLog
      const entries = Array.from(yield* Stream.runCollect(log.read()))
      const report = yield* Replay.run(entries, agent)
      expect(Replay.render(report)).toBe("Test: 2 of 2 turns as they were, in 1 session.")
      expect(report.sessions[0]?.session).toMatchObject({ data: { city: "Lisbon", agreed: true } })
    }).pipe(Effect.provide(TurnLog.layerMemory)))
})
