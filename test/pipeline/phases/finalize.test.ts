/** Phase 9: `finalize`, and the completion of flows. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { play } from "../../support/Dialogue.js"
import { table } from "../../support/ScriptedUnderstanding.js"
import * as Stage from "../../support/Stage.js"

const { at, kit, steps, talk } = Stage

const says = (fields: Readonly<Record<string, unknown>>) => ({ fields })

describe("completion of a flow", () => {
  it.effect("known `requiredFields` do not complete a flow: the remaining prompt steps still speak first", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => says({ city: "Lisbon" }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          requiredFields: ["city"],
          steps: [
            { id: "city", prompt: "city", collect: ["city"] },
            { id: "sum", prompt: "sum" },
            { id: "tip", reply: "tip" },
            { id: "bye", prompt: "bye" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const answers = yield* Effect.forEach(["1", "2", "3"], talk(agent))
      expect(answers.map(({ message }) => message)).toEqual(["sum", "tip", "bye"])
      expect(answers.map(({ isFlowComplete }) => isFlowComplete)).toEqual([false, false, true])
    }))

  it.effect("a flow completes when its last step has finished and all `requiredFields` are known", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: table({ Lisbon: says({ city: "Lisbon" }) }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          requiredFields: ["city"],
          steps: [{ id: "hi", prompt: "hi" }, { id: "city", prompt: "city", collect: ["city"] }, {
            id: "bye",
            prompt: "bye"
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const answers = yield* Effect.forEach(["1", "2", "Lisbon"], talk(agent))
      expect(answers.map(({ completedFlows }) => completedFlows)).toEqual([[], [], ["f"]])
      expect(answers[2]?.session.flowHistory).toMatchObject([{ flowId: "f", completed: true }])
      expect(at(answers[2]!)).toBe("nowhere")
    }))

  it.effect("a flow completes although later steps remain, if those steps would be skipped", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        initialData: { name: "Ada" },
        flows: [{
          title: "F",
          steps: [
            { id: "a", prompt: "a" },
            { id: "closed", prompt: "x", if: () => false },
            { id: "known", prompt: "x", collect: ["name"] }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent)("hi")).completedFlows).toEqual(["f"])
    }))

  it.effect("if `requiredFields` are missing after the last step, the flow goes back to a step that collects one", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          requiredFields: ["name", "city"],
          steps: [
            { id: "start", auto: true, branches: [{ if: ({ message }) => message === "1", then: "last" }] },
            { id: "city", prompt: "city", collect: ["city"] },
            { id: "name", prompt: "name", collect: ["name", "city"] },
            { id: "last", prompt: "last" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const first = yield* talk(agent)("1")
      expect(first).toMatchObject({ message: "last", stoppedReason: "last_step", completedFlows: [] })
      const second = yield* talk(agent)("2")
      expect(steps(second)).toEqual(["f/city"])
    }))

  it.effect("a `complete` directive completes the flow from any step", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          requiredFields: ["city"],
          steps: [{ id: "a", prompt: "a", finalize: () => ({ complete: true }) }, { id: "b", collect: ["city"] }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response).toMatchObject({ message: "a", completedFlows: ["f"], stoppedReason: "completed" })
      expect(at(response)).toBe("nowhere")
    }))

  it.effect("`finalize` runs each time after the step has spoken, and sees the data that tools wrote", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const stage = yield* Stage.make({
        speak: (_, i) => i === 0 ? [{ type: "tool-call", id: "1", name: "note", params: {} }] : "spoken"
      })
      const agent = yield* kit.make({
        name: "Bot",
        tools: [{ id: "note", handler: () => ({ ok: true, outputMessage: "ok", dataUpdate: { note: "by tool" } }) }],
        flows: [{
          title: "F",
          steps: [{ id: "a", prompt: "a", collect: ["city"], finalize: ({ data }) => void seen.push(data.note) }]
        }]
      }).pipe(Effect.provide(stage.layer))
      yield* Effect.forEach(["1", "2"], talk(agent))
      expect(seen).toEqual(["by tool", "by tool"])
    }))

  const writes = () => ({ dataUpdate: { city: "Lisbon" } })
  const stays = [{ say: "hi", then: { at: "f/a", completed: [] } }]

  it.effect("a flow completes in the turn whose `finalize` makes `isComplete` true, although a step follows", () =>
    play(
      kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          isComplete: ({ data }) => data.city !== undefined,
          steps: [{ id: "a", prompt: "a", finalize: writes }, { id: "b", prompt: "b" }]
        }]
      }),
      [{ say: "hi", then: { at: "nowhere", completed: ["f"] } }]
    ))

  it.effect("a flow does not complete before a later step with branches, although the values of that step are known", () =>
    play(
      kit.make({
        name: "Bot",
        initialData: { city: "Lisbon" },
        flows: [{
          title: "F",
          steps: [{ id: "a", prompt: "a" }, { id: "b", collect: ["city"], branches: [{ then: "a" }] }]
        }]
      }),
      stays
    ))

  it.effect("a flow does not complete if `finalize` moves to the step itself", () =>
    play(
      kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [{ id: "a", prompt: "a", collect: ["city"], finalize: () => ({ ...writes(), goToStep: "a" }) }]
        }]
      }),
      stays
    ))

  it.effect("a flow does not complete if `finalize` hands the conversation over", () =>
    play(
      kit.make({
        name: "Bot",
        flows: [{ title: "F", steps: [{ id: "a", prompt: "a", finalize: () => ({ handOff: "person" as const }) }] }]
      }),
      stays
    ))
})

describe("`onComplete` of a flow", () => {
  const after = kit.flow({ title: "After", if: () => false, steps: [{ id: "go", prompt: "after" }] })

  it.effect("with a flow's name, that flow speaks in the next turn", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ title: "F", steps: [{ id: "a", prompt: "a" }], onComplete: "After" }, after]
      }).pipe(Effect.provide(stage.layer))
      const first = yield* talk(agent)("1")
      expect(first).toMatchObject({ message: "a", completedFlows: ["f"], stoppedReason: "goto" })
      expect(at(first)).toBe("after/")
      expect(steps(first)).toEqual(["f/a"])
      expect((yield* talk(agent)("2")).message).toBe("after")
    }))

  it.effect("with a function, the returned directive is applied and its writes are stored", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [{ id: "a", prompt: "a" }],
          onComplete: ({ data }) =>
            Effect.succeed(data.note === undefined ? { goTo: "after", dataUpdate: { note: "done" } } : undefined)
        }, after]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("1")
      expect(at(response)).toBe("after/")
      expect(response.session.data).toEqual({ note: "done" })
    }))

  it.effect("given as `hooks.onComplete`, can move too, and runs before the flow's `onExit`", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [{ id: "a", prompt: "a", hooks: { onExit: () => void ran.push("step.onExit") } }],
          hooks: {
            onComplete: () => {
              ran.push("onComplete")
              return { goTo: "After" }
            },
            onExit: () => void ran.push("flow.onExit")
          }
        }, after]
      }).pipe(Effect.provide(stage.layer))
      expect(at(yield* talk(agent)("1"))).toBe("after/")
      expect(ran).toEqual(["step.onExit", "onComplete", "flow.onExit"])
    }))

  it.effect("is overruled by the `next` of a `complete` directive", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const other = kit.flow({ title: "Other", if: () => false, steps: [{ id: "x", prompt: "x" }] })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [
          {
            title: "F",
            steps: [{ id: "a", prompt: "a", finalize: () => ({ complete: { next: { goTo: "Other" } } }) }],
            onComplete: "After"
          },
          after,
          other
        ]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("1")
      expect(at(response)).toBe("other/")
      expect(response.directiveChain.map(({ applied, source }) => [source, applied])).toEqual([
        ["step:a.finalize", true],
        ["flow:f.onComplete", false],
        ["flow:f.complete.next", true]
      ])
    }))

  it.effect("can enter another flow; an earlier suspended flow resumes only after that flow", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: table({ a: { flowScores: { a: 90 } }, b: { flowScores: { b: 90 } } })
      })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [
          { title: "A", when: "a", steps: [{ id: "ask", prompt: "ask a", collect: ["city"] }] },
          { title: "B", when: "b", steps: [{ id: "say", prompt: "say b" }], onComplete: "After" },
          after
        ]
      }).pipe(Effect.provide(stage.layer))
      const [, second, third] = yield* Effect.forEach(["a", "b", "go on"], talk(agent))
      expect(at(second!)).toBe("after/")
      expect(second?.session.suspended.map(({ flow }) => flow.id)).toEqual(["a"])
      expect(third?.message).toBe("after")
      expect(at(third!)).toBe("a/ask")
    }))
})

describe("completion of a flow that has sent no message", () => {
  const quiet = (onComplete?: string) =>
    kit.flow({
      title: "Quiet",
      when: "quiet",
      steps: [{ id: "work", auto: true }],
      ...(onComplete !== undefined && { onComplete })
    })
  const waiting = kit.flow({
    title: "Waiting",
    when: "waiting",
    steps: [{ id: "ask", prompt: "ask", collect: ["city"] }]
  })
  const understand = table({ quiet: { flowScores: { quiet: 90 } }, waiting: { flowScores: { waiting: 90 } } })

  it.effect("a suspended flow resumes and speaks in the same turn", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand })
      const agent = yield* kit.make({ name: "Bot", flows: [quiet(), waiting] }).pipe(Effect.provide(stage.layer))
      const [first, second] = yield* Effect.forEach(["waiting", "quiet"], talk(agent))
      expect(second?.message).toBe(first?.message)
      expect(second).toMatchObject({ completedFlows: ["quiet"], stoppedReason: "last_step" })
      expect(steps(second!)).toEqual(["quiet/work", "waiting/ask"])
      expect(second?.usage.modelCalls).toBe(1)
    }))

  it.effect("the flow named by `onComplete` speaks in the same turn", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand })
      const agent = yield* kit.make({ name: "Bot", flows: [quiet("Waiting"), waiting] }).pipe(
        Effect.provide(stage.layer)
      )
      const response = yield* talk(agent)("quiet")
      expect(steps(response)).toEqual(["quiet/work", "waiting/ask"])
      expect(response.completedFlows).toEqual(["quiet"])
      expect(response.message).toContain("ask")
    }))

  it.effect("without a suspended flow, the `idle` prompt answers", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand })
      const agent = yield* kit.make({ name: "Bot", idle: { prompt: "What else?" }, flows: [quiet(), waiting] }).pipe(
        Effect.provide(stage.layer)
      )
      const response = yield* talk(agent)("quiet")
      expect(response).toMatchObject({ message: "What else?", stoppedReason: "completed", completedFlows: ["quiet"] })
      expect(Stage.instructions(stage.prompts[0]!)).toContain("Just completed: Quiet")
    }))

  it.effect("with `idle: \"silent\"`, the message is empty", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand })
      const agent = yield* kit.make({ name: "Bot", idle: "silent", flows: [quiet(), waiting] }).pipe(
        Effect.provide(stage.layer)
      )
      expect(yield* talk(agent)("quiet")).toMatchObject({ message: "", completedFlows: ["quiet"] })
      expect(yield* talk(agent)("hm")).toMatchObject({ message: "", stoppedReason: "idle" })
      expect(stage.prompts).toHaveLength(0)
    }))
})
