import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { DateTime, Effect, Schema } from "effect"
import * as ReadBack from "../../../src/domain/session/ReadBack.js"
import * as Stage from "../../support/Stage.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, nights: Schema.Int, note: Schema.String }) })

const desk = (confirm: true | (() => string) = true) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({
      understand: ({ message }) =>
        ({
          "Lisbon for 3": { fields: { city: "Lisbon", nights: 3 } },
          "no, 4 nights": { fields: { nights: 4 }, conditions: { "confirm.no": true } },
          "sounds all right to me": { conditions: { "confirm.yes": true } },
          Porto: { fields: { city: "Porto" } }
        })[message] ?? {}
    })
    const agent = yield* kit.make({
      name: "Trips",
      flows: [{
        title: "Trip",
        steps: [
          { id: "what", prompt: "Ask for the trip", collect: ["city", "nights"], confirm },
          { id: "done", reply: ({ data }) => `Booked: ${data.city} for ${data.nights}.` }
        ]
      }]
    }).pipe(Effect.provide(stage.layer))
    return { ...stage, say: Stage.talk(agent) }
  })

const readBack = "City: Lisbon; nights: 3. Is that right?"

describe("a step with `confirm`", () => {
  it.effect("reads back the collected values, and continues after a plain yes, without a model call", () =>
    Effect.gen(function*() {
      const { prompts, questions, say } = yield* desk()
      expect((yield* say("Lisbon for 3")).message).toBe(readBack)
      const asked = questions.length
      const { executedSteps, message } = yield* say("Yes")
      expect(message).toBe("Booked: Lisbon for 3.")
      expect(executedSteps.map(({ stepId }) => stepId)).toEqual(["done"])
      expect([prompts.length, questions.length - asked]).toEqual([0, 0])
    }))

  it("reads back the parts of a struct by name", () => {
    const items = [{ item: "tea", count: 2 }, { item: "cake", count: 1 }]
    expect(ReadBack.question(["address", "items"], { address: { street: "Main Street 5", zipCode: "1010" }, items }))
      .toBe(
        "Address: street Main Street 5, zip code 1010; items: item tea count 2, item cake count 1. Is that right?"
      )
  })

  it("reads back dates and times as texts", () => {
    const day = DateTime.unsafeMake("2027-03-10T00:00:00Z")
    const zoned = DateTime.unsafeMakeZoned("2027-03-10T08:00:00Z", { timeZone: "Asia/Tokyo" })
    const data = {
      day,
      time: DateTime.unsafeMake("2027-03-10T08:00:00Z"),
      zoned,
      dates: [day.pipe(DateTime.toDateUtc)]
    }
    expect(ReadBack.question(["day", "time", "zoned", "dates"], data)).toBe(
      "Day: 2027-03-10; time: 2027-03-10T08:00:00.000Z; zoned: 2027-03-10T17:00:00.000+09:00[Asia/Tokyo]; " +
        "dates: 2027-03-10. Is that right?"
    )
  })

  it.effect("asks which value is wrong after a plain no; a yes to this question confirms nothing", () =>
    Effect.gen(function*() {
      const { prompts, say } = yield* desk()
      yield* say("Lisbon for 3")
      expect((yield* say("no")).message).toBe("What should I change: city or nights?")
      expect((yield* say("yes")).message).toBe("What should I change: city or nights?")
      expect((yield* say("Porto")).message).toBe("City: Porto; nights: 3. Is that right?")
      expect((yield* say("yes")).message).toBe("Booked: Porto for 3.")
      expect(prompts).toEqual([])
    }))

  it.effect("reads a corrected value back, also when the message contains a no", () =>
    Effect.gen(function*() {
      const { say } = yield* desk()
      yield* say("Lisbon for 3")
      expect((yield* say("no, 4 nights")).message).toBe("City: Lisbon; nights: 4. Is that right?")
      expect((yield* say("sounds all right to me")).message).toBe("Booked: Lisbon for 4.")
    }))

  it.effect("answers a question of the user, and then reads the values back again", () =>
    Effect.gen(function*() {
      const { say } = yield* desk()
      yield* say("Lisbon for 3")
      const { message } = yield* say("Is it warm there?")
      expect(message).toMatch(/^Answer what the user has just said.*\n\nCity: Lisbon; nights: 3\. Is that right\?$/s)
      expect(message).not.toContain("Ask for the trip")
      expect((yield* say("yes")).message).toBe("Booked: Lisbon for 3.")
    }))

  it.effect("lets the model judge each branch's `when` after \"Forget it\", but not after a plain no", () =>
    Effect.gen(function*() {
      const gives = "the user gives up what is under way"
      for (const [message, judged] of [["Forget it", true], ["No thanks", false], ["Never mind", false]] as const) {
        const stage = yield* Stage.make({
          understand: (asked) =>
            asked.message === "Lisbon for 3"
              ? { fields: { city: "Lisbon", nights: 3 } }
              : {
                conditions: Object.fromEntries(
                  asked.conditions.map(({ id, when }) => [id, judged && when.includes(gives)])
                )
              }
        })
        const agent = yield* kit.make({
          name: "Trips",
          branches: [{ when: gives, then: { abort: "given up" } }],
          flows: [{
            title: "Trip",
            steps: [{ id: "what", prompt: "Ask for the trip", collect: ["city", "nights"], confirm: true }, {
              id: "done",
              reply: "Booked."
            }]
          }]
        }).pipe(Effect.provide(stage.layer))
        const say = Stage.talk(agent)
        yield* say("Lisbon for 3")
        const asked = stage.questions.length
        const response = yield* say(message)
        expect([message, stage.questions.length - asked]).toEqual([message, message === "No thanks" ? 0 : 1])
        if (judged) expect(response.stoppedReason).toBe("aborted")
        // The model did not judge it as giving up: it is the plain no that code hears.
        else expect(response.message).toBe("What should I change: city or nights?")
      }
    }))

  it.effect("can use a question that the application writes", () =>
    Effect.gen(function*() {
      const { say } = yield* desk(() => "All as told?")
      expect((yield* say("Lisbon for 3")).message).toBe("All as told?")
      expect((yield* say("sim")).message).toBe("Booked: Lisbon for 3.")
    }))

  it.effect("with `confirm` but without `collect` is refused by `make`", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const error = yield* Effect.flip(
        kit.make({ name: "Trips", flows: [{ title: "Trip", steps: [{ id: "a", prompt: "Talk", confirm: true }] }] })
          .pipe(
            Effect.provide(stage.layer)
          )
      )
      expect(error.message).toContain("confirm without collect")
    }))
})
