/** Turns that would loop forever end. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Stage from "../../support/Stage.js"

const { at, kit, talk } = Stage

describe("a branch that only writes data and has no target", () => {
  it.effect("fails the turn with `maxDirectiveChain` if the branch has no condition", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [{ id: "a", auto: true, branches: [{ then: { dataUpdate: { city: "Lisbon" } } }] }, {
            id: "b",
            prompt: "b"
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const error = yield* Effect.flip(talk(agent)("hi"))
      expect(error.message).toContain("maxDirectiveChain")
    }))

  it.effect("is taken until its condition fails, and then the next step speaks", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            {
              id: "a",
              auto: true,
              branches: [{ if: ({ data }) => data.city === undefined, then: { dataUpdate: { city: "Lisbon" } } }]
            },
            { id: "b", prompt: "b" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response.message).toBe("b")
      expect(response.session.data).toEqual({ city: "Lisbon" })
    }))
})

describe("the branches of speaking steps that have nothing to ask", () => {
  const known = (id: string, then: string) => ({ id, collect: ["city" as const], branches: [{ then }] })
  const turn = (maxAutoStepsPerTurn: number, last: string) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        maxAutoStepsPerTurn,
        initialData: { city: "Lisbon" },
        flows: [{ title: "F", steps: [known("a", "b"), known("b", last), { id: "c", prompt: "c" }] }]
      }).pipe(Effect.provide(stage.layer))
      return yield* talk(agent)("hi").pipe(
        Effect.map(({ message }) => message),
        Effect.catchAll(({ message }) => Effect.succeed(message))
      )
    })

  it.effect("count for `maxAutoStepsPerTurn`", () =>
    Effect.gen(function*() {
      expect(yield* turn(2, "c")).toBe("c")
      expect(yield* turn(1, "c")).toContain("maxAutoStepsPerTurn of 1")
    }))

  it.effect("fail the turn if they lead in a circle", () =>
    Effect.gen(function*() {
      expect(yield* turn(100, "a")).toContain("steps in a circle")
    }))
})

describe("the last step of a flow, if no step collects one of the flow's `requiredFields`", () => {
  it.effect("speaks again in the next turn, because the flow cannot complete", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: ({ message }) => ({ fields: message === "Lisbon" ? { city: message } : {} })
      })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          requiredFields: ["city", "code"],
          steps: [{ id: "a", prompt: "Where to?", collect: ["city"] }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const say = talk(agent)
      yield* say("hi")
      const response = yield* say("Lisbon")
      expect(at(response)).toBe("f/a")
      expect(response.message).toContain("Where to?")
    }))
})
