/** Candidate flows for a message; equal candidates are the same list, so that they can be cached. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Stage from "../../support/Stage.js"

const { at, kit, talk } = Stage

const titles = ["A", "B", "C", "D"]

/** Each flow waits in its step; B is closed once the city is known, C completes after it has spoken. */
const flows = titles.map((title) => ({
  title,
  when: `it is about ${title}`,
  ...(title === "B" && { if: ({ data }: { readonly data: { readonly city?: string } }) => data.city === undefined }),
  optionalFields: ["city" as const],
  steps: [{ id: "talk", prompt: `Talk of ${title}`, ...(title !== "C" && { until: () => false }) }]
}))

const scene = (scores: Record<string, Record<string, number>>) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({
      understand: ({ message }) => ({
        flowScores: scores[message] ?? {},
        fields: message.startsWith("in ") ? { city: message.slice(3) } : {}
      })
    })
    const agent = yield* kit.make({ name: "Bot", flows }).pipe(Effect.provide(stage.layer))
    return { agent, questions: stage.questions }
  })

describe("the flows that the model is asked about", () => {
  it.effect("are those whose `if` is true and that are not completed, in definition order", () =>
    Effect.gen(function*() {
      const { agent, questions } = yield* scene({ c: { c: 90 } })
      const say = talk(agent)
      for (const message of ["hi", "in Lisbon", "c", "and now"]) yield* say(message)
      const asked = questions.map(({ flows }) => flows.map(({ id }) => id).join(""))
      expect(asked).toEqual(["abcd", "abcd", "acd", "ad"])
      yield* talk(agent, "s2")("hi")
      expect(questions.at(-1)?.flows).toBe(questions[0]?.flows)
    }))

  it.effect("include the current flow, marked as active", () =>
    Effect.gen(function*() {
      const { agent, questions } = yield* scene({ a: { a: 90 }, d: { d: 90 } })
      const say = talk(agent)
      for (const message of ["a", "go on", "d", "go on"]) yield* say(message)
      expect(questions.map(({ flows }) => flows.filter(({ active }) => active).map(({ id }) => id))).toEqual([
        [],
        ["a"],
        ["a"],
        ["d"]
      ])
    }))

  it.effect("with equal scores are entered in definition order, whatever the order of the answer", () =>
    Effect.gen(function*() {
      const { agent } = yield* scene({ any: { d: 90, b: 90, nope: 100, a: 70 } })
      const response = yield* talk(agent)("any")
      expect(at(response)).toBe("b/talk")
      expect(response.session.agenda?.map(({ flowId }) => flowId)).toEqual(["d", "a"])
    }))
})
