/** Phase 3: the questions about a message, and the treatment of the answers. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { booking, hours } from "../../support/Hotel.js"
import { failing, table } from "../../support/ScriptedUnderstanding.js"
import * as Stage from "../../support/Stage.js"

const { at, kit, talk } = Stage

const hidden = JSON.parse("{\"__proto__\":{\"polluted\":true},\"nope\":\"x\",\"city\":\"Lisbon\"}") as Record<
  string,
  unknown
>

describe("the questions of understanding", () => {
  it.effect("the questions about flows, fields, conditions and pre-signals are in one call", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [
          { ...booking, steps: [{ id: "vip", prompt: "vip", when: "is a vip" }, ...booking.steps] },
          { ...hours, description: "When the desk is open" }
        ],
        signals: [{ id: "angry", phase: "pre", when: "is angry", handler: () => undefined }]
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("hi")
      expect(stage.questions).toHaveLength(1)
      expect(stage.questions[0]).toMatchObject({
        message: "hi",
        flows: [
          { id: "booking", title: "Booking", when: ["the guest wants a room"], active: false },
          { id: "hours", title: "Opening hours", description: "When the desk is open", active: false }
        ],
        fields: [
          { name: "city", known: false, asked: false },
          { name: "checkIn", known: false, asked: false },
          { name: "guests", known: false, asked: false }
        ],
        conditions: [{ when: ["is a vip"] }],
        signals: [{ id: "angry", when: ["is angry"] }]
      })
    }))

  it.effect("without questions there is no model call", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", flows: [{ title: "F", steps: [{ prompt: "hi" }] }] }).pipe(
        Effect.provide(stage.layer)
      )
      yield* talk(agent)("hi")
      expect(stage.questions).toEqual([])
    }))

  it.effect("the question for a field contains whether the field is known and whether the step collects the field", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: table({ Lisbon: { flowScores: { booking: 90 }, fields: { city: "Lisbon" } } })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [booking, hours] }).pipe(Effect.provide(stage.layer))
      yield* Effect.forEach(["Lisbon", "hm"], talk(agent))
      expect(stage.questions[1]?.flows.map(({ active, id }) => [id, active])).toEqual([["booking", true], [
        "hours",
        false
      ]])
      expect(stage.questions[1]?.fields.map(({ asked, known, name }) => [name, known, asked])).toEqual([
        ["city", true, false],
        ["checkIn", false, true],
        ["guests", false, false]
      ])
    }))

  it.effect("the history in the prompt is limited, and contains no tool calls", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        speak: (_, i) => i === 0 ? [{ type: "tool-call", id: "1", name: "look", params: {} }] : `answer ${i}`
      })
      const agent = yield* kit.make({
        name: "Bot",
        tools: [{ id: "look", handler: () => "seen" }],
        flows: [booking, hours]
      }).pipe(Effect.provide(stage.layer))
      for (let i = 0; i < 12; i++) yield* talk(agent)(`message ${i}`)
      const roles = stage.questions.map(({ history }) => history.content.map(({ role }) => role))
      expect(roles[1]).toEqual(["user", "assistant"])
      // The last ten, and as many before them as there are since a tenth message.
      expect(Math.max(...roles.map(({ length }) => length))).toBeLessThanOrEqual(19)
      expect(roles.at(-1)!.length).toBeGreaterThanOrEqual(10)
      expect(JSON.stringify(stage.questions.at(-1)?.history)).toContain("message 10")
      expect(JSON.stringify(stage.questions.at(-1)?.history)).not.toContain("message 2\"")
    }))

  it.effect("more than `signalBatchSize` signals are split into parallel requests", () =>
    Effect.gen(function*() {
      const fired: Array<string> = []
      const stage = yield* Stage.make({
        understand: ({ signals }) => ({
          signals: Object.fromEntries(signals.map(({ id }) => [id, { matched: true, reason: "so" }]))
        })
      })
      const agent = yield* kit.make({
        name: "Bot",
        signalBatchSize: 2,
        signals: ["a", "b", "c", "d", "e"].map((id) => ({
          id,
          phase: "pre" as const,
          when: id,
          handler: () => void fired.push(id)
        }))
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("hi")
      expect(stage.questions.map(({ signals }) => signals.map(({ id }) => id))).toEqual([["a", "b"], ["c", "d"], ["e"]])
      expect(fired).toEqual(["a", "b", "c", "d", "e"])
    }))
})

describe("validation of the model's answers", () => {
  it.effect("fields without a question, unknown keys and `__proto__` are ignored", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: () => ({
          flowScores: { booking: 90 },
          fields: { ...hidden, __proto__: null, name: "Ada", code: "x" }
        })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [booking, hours] }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response.session.data).toEqual({ city: "Lisbon" })
      expect(Object.keys(response.session.data)).toEqual(["city"])
    }))

  it.effect("a `__proto__` key in scores, conditions or signals has no effect", () =>
    Effect.gen(function*() {
      const poisoned = JSON.parse("{\"__proto__\":{\"matched\":true,\"booking\":100}}")
      const stage = yield* Stage.make({
        understand: () => ({ flowScores: poisoned, fields: hidden, conditions: poisoned, signals: poisoned })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [booking, hours] }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(at(response)).toBe("nowhere")
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
      expect(Object.getPrototypeOf(response.session.data)).toBe(Object.prototype)
    }))

  it.effect("a field that is null or absent is neither collected nor rejected", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({ flowScores: { booking: 90 }, fields: { city: null } }) })
      const agent = yield* kit.make({ name: "Bot", flows: [booking, hours] }).pipe(Effect.provide(stage.layer))
      expect(yield* talk(agent)("hi")).toMatchObject({ collected: {}, rejected: [] })
    }))

  it.effect("each field is decoded by its own Schema; only fields that fail to decode are rejected", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: () => ({ flowScores: { booking: 90 }, fields: { city: "Lisbon", checkIn: 5, guests: 2.5 } })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [booking, hours] }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response.collected).toEqual({ city: "Lisbon" })
      expect(response.session.data).toEqual({ city: "Lisbon" })
      expect(response.rejected.map(({ field, value }) => [field, value])).toEqual([["checkIn", 5], ["guests", 2.5]])
    }))

  it.effect("a rejected correction does not change the known value", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: table({
          two: { flowScores: { booking: 90 }, fields: { guests: 2 } },
          forty: { flowScores: { booking: 90 }, fields: { guests: 40 } }
        })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [booking, hours] }).pipe(Effect.provide(stage.layer))
      const [, second] = yield* Effect.forEach(["two", "forty"], talk(agent))
      expect(second?.session.data.guests).toBe(2)
      expect(second?.rejected).toHaveLength(1)
    }))

  it.effect("a value equal to the known value is not reported as collected", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: () => ({ flowScores: { booking: 90 }, fields: { city: "Lisbon" } })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [booking, hours] }).pipe(Effect.provide(stage.layer))
      const [first, second] = yield* Effect.forEach(["1", "2"], talk(agent))
      expect([first?.collected, second?.collected]).toEqual([{ city: "Lisbon" }, {}])
    }))

  it.effect("a new value overwrites the old value of a field that is already known", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: ({ message }) => ({ flowScores: { booking: 90 }, fields: { city: message } })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [booking, hours] }).pipe(Effect.provide(stage.layer))
      const [, second] = yield* Effect.forEach(["Lisbon", "Porto"], talk(agent))
      expect(second).toMatchObject({ collected: { city: "Porto" }, session: { data: { city: "Porto" } } })
    }))

  it.effect("a failed understanding call fails the turn and stores nothing", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: ({ message }) => message === "2" ? Effect.fail(failing) : {} })
      const agent = yield* kit.make({ name: "Bot", flows: [booking, hours] }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("1")
      const before = yield* stage.store.snapshot
      const { _tag, message } = yield* Effect.flip(talk(agent)("2"))
      expect([_tag, message]).toEqual(["ResponseGenerationError", failing.message])
      expect(yield* stage.store.snapshot).toEqual(before)
    }))
})

describe("fields with `extract: \"asked\"`", () => {
  const flow = kit.flow({
    title: "F",
    steps: [
      { id: "city", prompt: "city", collect: ["city"] },
      { id: "breakfast", prompt: "breakfast", collect: ["breakfast"] },
      { id: "code", prompt: "code", collect: ["code"] },
      { id: "end", prompt: "end" }
    ]
  })

  it.effect("are collected only if their step has asked for them before", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: () => ({ fields: { city: "Lisbon", breakfast: true, code: "123" } })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [flow] }).pipe(Effect.provide(stage.layer))
      const answers = yield* Effect.forEach(["yes", "yes", "3"], talk(agent))
      expect(answers.map(({ collected }) => collected)).toEqual([{ city: "Lisbon" }, { breakfast: true }, {
        code: "123"
      }])
      expect(stage.questions.map(({ fields }) => fields.map(({ name }) => name))).toEqual([
        ["city", "breakfast"],
        ["city", "breakfast"],
        ["city", "breakfast", "code"]
      ])
    }))

  it.effect("also collect false as a value", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({ fields: { city: "Lisbon", breakfast: false } }) })
      const agent = yield* kit.make({ name: "Bot", flows: [flow] }).pipe(Effect.provide(stage.layer))
      const [, second] = yield* Effect.forEach(["ok", "no"], talk(agent))
      expect(second?.collected).toEqual({ breakfast: false })
      expect(at(second!)).toBe("f/code")
    }))
})
