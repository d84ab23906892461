/** Whole conversations: the number of model calls, and the routing of messages. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { booked, booking, cancellation, hours } from "../support/Hotel.js"
import type { Asked } from "../support/Script.js"
import * as Stage from "../support/Stage.js"

const { kit, talk } = Stage

/** A model that understands by a table of messages, and echoes its task otherwise. */
const model = (understood: Readonly<Record<string, object>>) => (asked: Asked) => {
  if (!asked.json) return Stage.task(asked)
  const said = /<message>"(.*)"<\/message>/.exec(asked.text)?.[1] ?? ""
  return understood[said] ?? {}
}

/** The booking without `when`, so that it is entered immediately. */
const { when: _, ...plainBooking } = booking

const selecting = (id: string) => ({ flowScores: { [id]: 90 } })

const fiveFlows = (branched = false) =>
  ["a", "b", "c", "d", "e"].map((id) =>
    kit.flow({
      title: `Flow ${id}`,
      id,
      when: `the guest wants ${id}`,
      steps: [
        {
          id: "one",
          prompt: `${id} one`,
          ...(branched && {
            branches: [
              { when: "fast", then: "three" },
              { when: "slow", then: "two" },
              { when: "other", then: "two" }
            ]
          })
        },
        { id: "two", prompt: `${id} two` },
        { id: "three", prompt: `${id} three` }
      ]
    })
  )

describe("the number of model calls of a turn", () => {
  it.effect("a turn in a flow with one prompt step and no questions to understand takes one model call", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.makeWhole(() => "Welcome")
      const agent = yield* kit.make({ name: "Bot", flows: [{ title: "Hi", steps: [{ prompt: "Greet" }] }] }).pipe(
        Effect.provide(stage.layer)
      )
      const response = yield* talk(agent)("hello")
      expect(stage.prompts).toHaveLength(1)
      const tokens = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 }
      expect(response.usage).toEqual({
        modelCalls: 1,
        ...tokens,
        calls: [{ purpose: "speak", model: "default", finishReason: "stop", ...tokens }]
      })
      expect(response.message).toBe("Welcome")
    }))

  it.effect("a message with all values leads to the confirmation in one turn with two model calls", () =>
    Effect.gen(function*() {
      const message = "Lisbon for two on 2027-03-15"
      const stage = yield* Stage.makeWhole(model({ [message]: { fields: booked } }))
      const agent = yield* kit.make({ name: "Bot", flows: [plainBooking] }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)(message)
      expect(stage.prompts.map(({ json }) => json)).toEqual([true, false])
      expect(response.usage.modelCalls).toBe(2)
      expect(response.message).toBe("Confirm \"Lisbon\", \"2027-03-15\", 2")
      expect(Stage.steps(response)).toEqual(["booking/confirm"])
      expect(response.completedFlows).toEqual(["booking"])
    }))

  it.effect("with one value per message, a turn takes at most two model calls, and no reply is empty", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.makeWhole(model({
        "Lisbon": { fields: { city: "Lisbon" } },
        "on the 15th": { fields: { checkIn: { words: "the 15th", value: "2027-03-15" } } },
        "two": { fields: { guests: { words: "two", value: 2 } } },
        "hi": { fields: { city: null, checkIn: null, guests: null } }
      }))
      const agent = yield* kit.make({ name: "Bot", flows: [plainBooking] }).pipe(Effect.provide(stage.layer))
      const answers = yield* Effect.forEach(["hi", "Lisbon", "on the 15th", "two"], talk(agent))
      expect(answers.map(({ message }) => message.split(" Ask for:")[0])).toEqual([
        "Ask which city",
        "Ask which day",
        "Ask how many guests",
        "Confirm \"Lisbon\", \"2027-03-15\", 2"
      ])
      for (const { usage } of answers) expect(usage.modelCalls).toBeLessThanOrEqual(2)
      expect(stage.prompts).toHaveLength(answers.reduce((sum, { usage }) => sum + usage.modelCalls, 0))
      expect(answers.at(-1)?.completedFlows).toEqual(["booking"])
    }))

  it.effect("choosing between five flows and answering takes two sequential model calls", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.makeWhole(model({ "c please": selecting("c") }))
      const agent = yield* kit.make({ name: "Bot", flows: fiveFlows() }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("c please")
      expect(stage.prompts.map(({ json }) => json)).toEqual([true, false])
      expect(response.message).toBe("c one")
      expect(response.usage.modelCalls).toBe(2)
    }))

  it.effect("with 12 pre-signals, 4 post-signals and branches, the reply waits for two sequential model calls", () =>
    Effect.gen(function*() {
      const { run, slow, started } = Stage.slowly(
        model({ "c please": selecting("c"), "fast": { conditions: { "c/one/branch-1": true } } })
      )
      const stage = yield* Stage.makeWhole(slow)
      const signal = (phase: "pre" | "post") => (_: unknown, i: number) =>
        kit.signal({ id: `${phase}${i}`, phase, when: `${phase} ${i}`, handler: () => undefined })
      const agent = yield* kit.make({
        name: "Bot",
        flows: fiveFlows(true),
        signals: [
          ...Array.from({ length: 12 }, signal("pre")),
          ...Array.from({ length: 4 }, signal("post"))
        ]
      }).pipe(Effect.provide(stage.layer))
      // Understanding and the pre-signals beyond ten run concurrently, then the reply, then the post-signals.
      const first = yield* run(talk(agent)("c please"))
      expect(first.message).toBe("c one")
      expect(started).toEqual([0, 0, 1, 2])
      expect(first.usage.modelCalls).toBe(4)
      const second = yield* run(talk(agent)("fast"))
      expect(second.message).toBe("c three")
      expect(started).toEqual([0, 0, 1, 2])
      expect(stage.prompts.map(({ json }) => json)).toEqual([true, true, false, true, true, true, false, true])
    }))

  it.effect("`usage` counts every model call of the turn, including retries", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.makeWhole((asked, i) => i === 0 ? "not json" : asked.json ? {} : "Hello")
      const agent = yield* kit.make({ name: "Bot", flows: [booking] }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(stage.prompts).toHaveLength(3)
      expect(response.usage).toMatchObject({ modelCalls: 3, inputTokens: 30, outputTokens: 15 })
    }))

  it.effect("one turn makes one commit and at most one load", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({ fields: { city: "Lisbon" } }) })
      const agent = yield* kit.make({ name: "Bot", flows: [booking, hours] }).pipe(Effect.provide(stage.layer))
      for (let turns = 1; turns <= 3; turns++) {
        yield* talk(agent)("Lisbon")
        expect(stage.store.count("commit")).toBe(turns)
        expect(stage.store.count("load")).toBeLessThanOrEqual(turns)
      }
    }))
})

describe("the hotel agent", () => {
  const script: Readonly<Record<string, object>> = {
    "I need a room": { flowScores: { booking: 95 } },
    "In Lisbon": { flowScores: { booking: 80 }, fields: { city: "Lisbon" } },
    "When are you open?": { flowScores: { booking: 5, hours: 95 } },
    "On the 15th": { flowScores: { booking: 80 }, fields: { checkIn: "2027-03-15" } },
    "Actually make it Porto": { flowScores: { booking: 80 }, fields: { city: "Porto" } },
    "For 40 people": { flowScores: { booking: 80 }, fields: { guests: 40 } },
    "Forget it": { flowScores: { booking: 10, cancel: 90 } },
    "For two": { flowScores: { booking: 80 }, fields: { guests: 2 } }
  }
  const scene = Effect.gen(function*() {
    const stage = yield* Stage.make({ understand: ({ message }) => script[message] ?? {} })
    const agent = yield* kit.make({ name: "Hotel", flows: [booking, hours, cancellation] }).pipe(
      Effect.provide(stage.layer)
    )
    return { stage, say: talk(agent) }
  })

  it.effect("answers an unrelated question, and continues the booking at the next message", () =>
    Effect.gen(function*() {
      const { say, stage } = yield* scene
      yield* say("I need a room")
      const before = yield* say("In Lisbon")
      expect(Stage.at(before)).toBe("booking/checkIn")
      const digression = yield* say("When are you open?")
      expect(digression.message).toBe("Say that we are open from 8 to 22")
      expect(Stage.instructions(stage.prompts.at(-1)!)).toContain("return to: Booking")
      expect(Stage.at(digression)).toBe("booking/checkIn")
      expect(digression.session.suspended).toEqual([])
      const after = yield* say("On the 15th")
      expect(after.collected).toEqual({ checkIn: "2027-03-15" })
      expect(after.message).toContain("Ask how many guests")
    }))

  it.effect("overwrites a known value when the user corrects the value", () =>
    Effect.gen(function*() {
      const { say } = yield* scene
      yield* say("I need a room")
      yield* say("In Lisbon")
      const response = yield* say("Actually make it Porto")
      expect(response.collected).toEqual({ city: "Porto" })
      expect(response.session.data.city).toBe("Porto")
      expect(Stage.at(response)).toBe("booking/checkIn")
    }))

  it.effect("rejects an invalid value with the reason and asks again in the same turn", () =>
    Effect.gen(function*() {
      const { say, stage } = yield* scene
      yield* Effect.forEach(["I need a room", "In Lisbon", "On the 15th"], say)
      const response = yield* say("For 40 people")
      expect(response.rejected).toEqual([{ field: "guests", value: 40, message: "we have rooms for 1 to 10 guests" }])
      expect(response.session.data.guests).toBeUndefined()
      expect(response.message).toContain("Ask how many guests")
      const asked = stage.prompts.at(-1)!
      expect(asked.text).toMatch(/<rejected>.*"value":40.*we have rooms for 1 to 10 guests.*<\/rejected>/)
      expect(Stage.instructions(asked)).not.toContain("we have rooms")
      expect(Stage.instructions(asked)).not.toContain("40")
      expect((yield* say("For two")).message).toBe("Confirm \"Lisbon\", \"2027-03-15\", 2")
    }))

  it.effect("enters the cancellation flow when the user says \"Forget it\"", () =>
    Effect.gen(function*() {
      const { say } = yield* scene
      yield* say("I need a room")
      const response = yield* say("Forget it")
      expect(response.message).toContain("Ask whether to cancel")
      expect(Stage.at(response)).toBe("cancel/sure")
    }))
})
