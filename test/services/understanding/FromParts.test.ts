import { Prompt } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Understanding } from "coxswain"
import { Effect, Fiber, Layer, Option, Schema, TestClock } from "effect"
import * as CountingStore from "../../support/CountingStore.js"
import { booking, hours } from "../../support/Hotel.js"
import * as Script from "../../support/Script.js"
import * as ScriptedUnderstanding from "../../support/ScriptedUnderstanding.js"
import { kit, steps, talk, task } from "../../support/Stage.js"

const all: Understanding.Questions = {
  sessionId: "s1",
  message: "a room in Lisbon",
  history: Prompt.make("before"),
  flows: [{ id: "book", title: "Book", when: ["a room"], active: false }],
  fields: [{ name: "city", schema: Schema.String, known: false, asked: false }],
  conditions: [{ id: "c", when: ["it rains"] }],
  signals: [{ id: "s", when: ["they are angry"] }]
}

const answers: Understanding.Answers = {
  flowScores: { book: 90 },
  fields: { city: "Lisbon" },
  conditions: { c: true },
  signals: { s: { matched: true, reason: "shouting" } }
}

const partsOf = ({ conditions, fields, flows, signals }: Understanding.Questions) =>
  [flows, fields, conditions, signals].map(({ length }) => length)

/** Answers each of its questions; `before` runs before each answer. */
const wrapped = (before: (questions: Understanding.Questions) => Effect.Effect<unknown> = () => Effect.void) => {
  const asked: Array<Understanding.Questions> = []
  const service: Understanding.Service = {
    answer: (questions) =>
      Effect.suspend(() => {
        asked.push(questions)
        return Effect.as(before(questions), {
          flowScores: questions.flows.length > 0 ? answers.flowScores : {},
          fields: questions.fields.length > 0 ? answers.fields : {},
          conditions: questions.conditions.length > 0 ? answers.conditions : {},
          signals: questions.signals.length > 0 ? answers.signals : {}
        })
      })
  }
  return { asked, service }
}

describe("fromParts (understanding in separate requests)", () => {
  it.effect("makes one request each for flows, field values, and conditions with signals; joins the answers", () =>
    Effect.gen(function*() {
      const { asked, service } = wrapped()
      expect(yield* Understanding.fromParts(service).answer(all)).toEqual(answers)
      expect(asked.map(partsOf)).toEqual([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]])
      for (const { history, message } of asked) expect([message, history]).toEqual([all.message, all.history])
    }))

  it.effect("makes no request for a part without questions", () =>
    Effect.gen(function*() {
      const { asked, service } = wrapped()
      const split = Understanding.fromParts(service)
      expect(yield* split.answer({ ...all, flows: [], conditions: [], signals: [] })).toEqual({
        ...Understanding.none,
        fields: answers.fields
      })
      yield* split.answer({ ...all, fields: [], flows: [], conditions: [], reply: "hello" })
      expect(asked.map(partsOf)).toEqual([[0, 1, 0, 0], [0, 0, 0, 1]])
      expect(asked[1]!.reply).toBe("hello")
      expect(yield* split.answer({ ...all, fields: [], flows: [], conditions: [], signals: [] })).toEqual(
        Understanding.none
      )
      expect(asked).toHaveLength(2)
    }))

  it.effect("makes its requests concurrently", () =>
    Effect.gen(function*() {
      const { asked, service } = wrapped(() => Effect.sleep("1 second"))
      const fiber = yield* Effect.fork(Understanding.fromParts(service).answer(all))
      yield* TestClock.adjust("1 second")
      expect(asked).toHaveLength(3)
      expect(Option.isSome(yield* Fiber.poll(fiber))).toBe(true)
      expect(yield* Fiber.join(fiber)).toEqual(answers)
    }))

  it.effect("fails when one of its requests fails", () =>
    Effect.gen(function*() {
      const split = Understanding.fromParts({
        answer: ({ fields }) =>
          fields.length > 0 ? Effect.fail(ScriptedUnderstanding.failing) : Effect.succeed(Understanding.none)
      })
      expect(yield* Effect.flip(split.answer(all))).toMatchObject({ reason: "overloaded" })
    }))
})

describe("an agent with layerSplit", () => {
  it.effect("returns the same turn with three smaller model calls as with one call", () =>
    Effect.gen(function*() {
      const judge = {
        flowScores: { booking: 90, hours: 5 },
        fields: { city: "Lisbon" },
        conditions: {},
        signals: { angry: { matched: true, reason: "shouting" } }
      }
      const fired: Array<string> = []
      const turn = (split: boolean) =>
        Effect.gen(function*() {
          const store = yield* CountingStore.make
          const model = Script.make((asked) => asked.json ? judge : task(asked))
          const layer = Layer.merge(model.layer, store.layer)
          const agent = yield* kit.make({
            name: "A",
            flows: [booking, hours],
            signals: [{
              id: "angry",
              phase: "pre",
              when: "they are angry",
              handler: ({ reason }) => void fired.push(reason)
            }]
          }).pipe(Effect.provide(split ? Layer.provideMerge(Understanding.layerSplit(), layer) : layer))
          const response = yield* talk(agent)("A ROOM IN LISBON")
          return { response, texts: model.asked.filter(({ json }) => json).map(({ text }) => text) }
        })
      const whole = yield* turn(false)
      const parts = yield* turn(true)
      expect(fired).toEqual(["shouting", "shouting"])
      expect([whole.texts.length, parts.texts.length]).toEqual([1, 3])
      for (const text of parts.texts) expect(text.length).toBeLessThan(whole.texts[0]!.length)
      expect(steps(parts.response)).toEqual(["booking/checkIn"])
      const { session: _, usage: __, ...given } = parts.response
      const { session: _s, usage: _u, ...expected } = whole.response
      expect(given).toEqual({
        ...expected,
        triggeredSignals: expected.triggeredSignals.map((firing) => ({ ...firing }))
      })
      expect(parts.response.usage.calls.map(({ purpose }) => purpose)).toEqual([
        "understand",
        "understand",
        "signals",
        "speak"
      ])
    }))
})
