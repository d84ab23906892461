/** Turns with many silent steps, and turns that loop. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Stage from "../../support/Stage.js"

const { kit, talk } = Stage

const turnOf = (steps: ReadonlyArray<object>, options: object = {}) =>
  Stage.make().pipe(
    Effect.flatMap((stage) =>
      kit.make({ name: "Bot", ...options, flows: [{ title: "F", steps: steps as never }] }).pipe(
        Effect.provide(stage.layer)
      )
    ),
    Effect.flatMap((agent) => talk(agent)("hi"))
  )

const end = { id: "end", prompt: "The end" }
const up = ({ data }: { readonly data: { readonly note?: string } }) => ({
  dataUpdate: { note: `${data.note ?? ""}x` }
})

describe("a flow with many steps", () => {
  it.effect("runs 300 auto steps in one turn, following branches", () =>
    Effect.gen(function*() {
      const steps = Array.from({ length: 300 }, (_, i) => ({
        id: `s${i}`,
        auto: true,
        branches: [{ then: i === 299 ? "end" : `s${i + 1}` }]
      }))
      const response = yield* turnOf([...steps, end])
      expect(response.message).toBe("The end")
      expect(response.executedSteps).toHaveLength(301)
    }))

  it.effect("skips steps whose fields are known, following the branches of these steps", () =>
    Effect.gen(function*() {
      const steps = Array.from({ length: 30 }, (_, i) => ({
        id: `s${i}`,
        collect: ["note"],
        branches: [{ then: i === 29 ? "end" : `s${i + 1}` }]
      }))
      const response = yield* turnOf([{ id: "first", auto: true, onEnter: up }, ...steps, end])
      expect(response.message).toBe("The end")
    }))
})

describe("a loop of steps", () => {
  it.effect("fails the turn when the same step is reached twice with the same data", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(turnOf([
        { id: "a", auto: true, branches: [{ if: () => true, then: "b" }] },
        { id: "b", auto: true, branches: [{ if: () => true, then: "a" }] },
        end
      ]))
      expect(error._tag).toBe("FlowConfigurationError")
      expect(error.message).toContain("steps in a circle")
      expect(error.message).toContain("through f/a → f/b → f/a")
    }))

  it.effect("is allowed while the data changes, up to maxAutoStepsPerTurn", () =>
    Effect.gen(function*() {
      const round = { id: "a", auto: true, onEnter: up }
      const leaves = (at: number) => ({
        ...round,
        branches: [
          { if: ({ data }: { data: { note?: string } }) => (data.note ?? "").length >= at, then: "end" },
          { then: { goToStep: "a" } }
        ]
      })
      expect((yield* turnOf([leaves(50), end])).session.data.note).toHaveLength(50)
      const error = yield* Effect.flip(turnOf([leaves(10), end], { maxAutoStepsPerTurn: 5 }))
      expect(error.message).toContain("maxAutoStepsPerTurn of 5")
      const long = yield* Effect.flip(turnOf([leaves(2000), end]))
      expect(long.message).toContain("maxAutoStepsPerTurn of 1000")
      expect(long.message.length).toBeLessThan(1000)
    }))

  it.effect("fails the turn also if the steps are skipped because their fields are known", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(turnOf([
        { id: "first", auto: true, onEnter: up },
        { id: "a", collect: ["note"], branches: [{ if: () => true, then: "b" }] },
        { id: "b", collect: ["note"], branches: [{ if: () => true, then: "a" }] },
        end
      ]))
      expect(error.message).toContain("steps in a circle")
    }))
})
