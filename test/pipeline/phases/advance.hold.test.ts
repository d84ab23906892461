/** Phase 6: auto steps, and steps that wait. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { table } from "../../support/ScriptedUnderstanding.js"
import * as Stage from "../../support/Stage.js"

const { kit, steps, talk } = Stage

const says = (fields: Readonly<Record<string, unknown>>) => ({ fields })

describe("steps with `auto: true`", () => {
  it.effect("run one after the other in one turn without a model call, and the next step speaks", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [{ id: "a", auto: true }, { id: "b", auto: true }, { id: "c", auto: true }, { id: "d", reply: "Here" }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(steps(response)).toEqual(["f/a", "f/b", "f/c", "f/d"])
      expect(response.message).toBe("Here")
      expect(response.usage.modelCalls).toBe(0)
      expect(stage.prompts).toHaveLength(0)
    }))

  it.effect("`maxAutoStepsPerTurn` allows that many auto steps; one more fails the turn and names the steps", () =>
    Effect.gen(function*() {
      const chain = (n: number) =>
        Stage.make().pipe(Effect.flatMap((stage) =>
          kit.make({
            name: "Bot",
            maxAutoStepsPerTurn: 3,
            flows: [{
              title: "F",
              steps: [
                ...Array.from({ length: n }, (_, i) => ({ id: `a${i + 1}`, auto: true as const })),
                { id: "end", prompt: "end" }
              ]
            }]
          }).pipe(
            Effect.provide(stage.layer),
            Effect.flatMap((agent) => talk(agent)("hi")),
            Effect.either,
            Effect.map((result) => ({ result, writes: stage.store.writes }))
          )
        ))
      const three = yield* chain(3)
      expect(three.result).toMatchObject({ _tag: "Right", right: { message: "end" } })
      const four = yield* chain(4)
      expect(four.result).toMatchObject({ _tag: "Left", left: { _tag: "FlowConfigurationError" } })
      if (four.result._tag === "Left") {
        expect(four.result.left.message).toContain("maxAutoStepsPerTurn of 3")
        expect(four.result.left.message).toContain("f/a1 → f/a2 → f/a3 → f/a4")
      }
      expect(four.writes).toEqual([])
    }))

  it.effect("call their hooks in order: `onExit` of the previous step, `onEnter`, `prepare`", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const log = (name: string) => () => void ran.push(name)
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          hooks: { onEnter: log("flow") },
          steps: [
            {
              id: "a",
              auto: true,
              hooks: { onEnter: log("a.onEnter"), prepare: log("a.prepare"), onExit: log("a.onExit") }
            },
            { id: "b", auto: true, onEnter: log("b.onEnter"), prepare: log("b.prepare") },
            { id: "c", prompt: "c", onEnter: log("c.onEnter") }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("hi")
      expect(ran).toEqual(["flow", "a.onEnter", "a.prepare", "a.onExit", "b.onEnter", "b.prepare", "c.onEnter"])
    }))
})

describe("steps that wait for the user", () => {
  it.effect("a prompt step without `collect` speaks once", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ title: "F", steps: [{ id: "a", prompt: "a" }, { id: "b", prompt: "b" }, { id: "c", prompt: "c" }] }]
      }).pipe(Effect.provide(stage.layer))
      const answers = yield* Effect.forEach(["1", "2", "3"], talk(agent))
      expect(answers.map(({ message }) => message)).toEqual(["a", "b", "c"])
      expect(answers.map(({ stoppedReason }) => stoppedReason)).toEqual(["needs_input", "needs_input", "completed"])
    }))

  it.effect("a prompt step with `until` waits until the predicate is true", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: table({ enough: says({ note: "enough" }) }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          optionalFields: ["note"],
          steps: [
            { id: "chat", prompt: "chat", until: ({ data }) => data.note === "enough" },
            { id: "end", prompt: "end" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const answers = yield* Effect.forEach(["1", "2", "enough"], talk(agent))
      expect(answers.map(({ message }) => message)).toEqual(["chat", "chat", "end"])
    }))

  it.effect("a step with `collect` and `until` waits until the field is known and the predicate is true", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: ({ message }) => says({ city: message }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            { id: "city", prompt: "city", collect: ["city"], until: ({ data }) => data.city === "Porto" },
            { id: "end", prompt: "end" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const answers = yield* Effect.forEach(["Lisbon", "Porto"], talk(agent))
      expect(answers.map(({ message }) => message)).toEqual(["city", "end"])
    }))

  it.effect("a step with `collect` asks in each turn until its field is known; `onEnter` runs only once", () =>
    Effect.gen(function*() {
      const entered: Array<string> = []
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [{
            id: "city",
            prompt: "city",
            collect: ["city"],
            onEnter: () => void entered.push("onEnter"),
            prepare: () => void entered.push("prepare")
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const answers = yield* Effect.forEach(["1", "2"], talk(agent))
      expect(answers.map(({ session }) => session.currentStep?.id)).toEqual(["city", "city"])
      expect(entered).toEqual(["onEnter", "prepare", "prepare"])
    }))
})
