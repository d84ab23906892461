/** Phase 5: routing a message to a flow. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { table } from "../../support/ScriptedUnderstanding.js"
import * as Stage from "../../support/Stage.js"

const { at, kit, talk } = Stage

/** A flow that waits: its step asks for a code that is never given. */
const flow = (id: string) =>
  kit.flow({
    title: `Flow ${id}`,
    id,
    when: `wants ${id}`,
    steps: [{ id: "ask", prompt: `ask ${id}`, collect: ["code"] }]
  })

const scores = (flowScores: Readonly<Record<string, number>>) => ({ flowScores })

describe("the score that a message needs to enter a flow", () => {
  it.effect("with a score of 39 no flow is entered, and the `idle` prompt answers", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => scores({ a: 39, b: 0 }) })
      const agent = yield* kit.make({ name: "Bot", flows: [flow("a"), flow("b")] }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(at(response)).toBe("nowhere")
      expect(response.stoppedReason).toBe("idle")
    }))

  it.effect("with a score of 40 the flow is entered", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => scores({ a: 40, b: 0 }) })
      const agent = yield* kit.make({ name: "Bot", flows: [flow("a"), flow("b")] }).pipe(Effect.provide(stage.layer))
      expect(at(yield* talk(agent)("hi"))).toBe("a/ask")
    }))

  it.effect("`flowThreshold` changes the minimum", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => scores({ a: 69, b: 70 }) })
      const agent = yield* kit.make({ name: "Bot", flowThreshold: 70, flows: [flow("a"), flow("b")] }).pipe(
        Effect.provide(stage.layer)
      )
      expect(at(yield* talk(agent)("hi"))).toBe("b/ask")
      const none = yield* kit.make({ name: "Bot", flowThreshold: 71, flows: [flow("a"), flow("b")] }).pipe(
        Effect.provide(stage.layer)
      )
      expect(at(yield* talk(none, "s2")("hi"))).toBe("nowhere")
    }))

  it.effect("the flow with the best score is entered; with equal scores, the one declared first", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: table({ best: scores({ a: 50, b: 80, c: 60 }), tie: scores({ a: 40, b: 70, c: 70 }) })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [flow("a"), flow("b"), flow("c")] }).pipe(
        Effect.provide(stage.layer)
      )
      expect(at(yield* talk(agent, "s1")("best"))).toBe("b/ask")
      expect(at(yield* talk(agent, "s2")("tie"))).toBe("b/ask")
    }))

  it.effect("scores are clamped to 0 and 100; a score that is not a number counts as 0", () =>
    Effect.gen(function*() {
      const wild = { a: "100" as never, b: Number.NaN, c: 1_000 }
      const stage = yield* Stage.make({
        understand: ({ flows }) => scores(flows[0]?.active ? { a: 90, c: 1_000 } : wild)
      })
      const agent = yield* kit.make({ name: "Bot", flows: [flow("a"), flow("b"), flow("c")] }).pipe(
        Effect.provide(stage.layer)
      )
      expect(at(yield* talk(agent)("hi"))).toBe("c/ask")
      yield* agent.dispatch("s1", { goTo: "a" })
      yield* talk(agent)("go")
      // 1,000 counts as 100, which does not beat 90 by 15.
      expect(at(yield* talk(agent)("and now"))).toBe("a/ask")
    }))

  it.effect("a score for a flow that was not asked about is ignored", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => scores({ nope: 100, hidden: 100, a: 10 }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [flow("a"), flow("b"), { ...flow("hidden"), if: () => false }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(at(response)).toBe("nowhere")
      expect(response.session.flowHistory).toEqual([])
    }))

  it.effect("the only eligible flow, if it has no `when`, is entered without asking the model", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ title: "Only", steps: [{ id: "hi", prompt: "greet" }] }, { ...flow("b"), if: () => false }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response.message).toBe("greet")
      expect(stage.questions).toHaveLength(0)
      expect(response.usage.modelCalls).toBe(1)
    }))

  it.effect("the only eligible flow, if it has a `when`, is judged by the model", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => scores({ a: 10 }) })
      const agent = yield* kit.make({ name: "Bot", flows: [flow("a")] }).pipe(Effect.provide(stage.layer))
      expect(at(yield* talk(agent)("hi"))).toBe("nowhere")
      expect(stage.questions[0]?.flows.map(({ id }) => id)).toEqual(["a"])
    }))
})

describe("the score difference needed to leave the active flow for another flow", () => {
  const scene = (second: Readonly<Record<string, number>>, flowSwitchMargin?: number) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: table({ first: scores({ a: 90 }), second: scores(second) }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [flow("a"), flow("b")],
        ...(flowSwitchMargin !== undefined && { flowSwitchMargin })
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("first")
      return yield* talk(agent)("second")
    })

  it.effect("a flow with 14 points more than the active flow is not entered", () =>
    Effect.map(scene({ a: 50, b: 64 }), (response) => {
      expect(at(response)).toBe("a/ask")
    }))

  it.effect("a flow with 15 points more than the active flow is entered", () =>
    Effect.map(scene({ a: 50, b: 65 }), (response) => {
      expect(at(response)).toBe("b/ask")
    }))

  it.effect("a flow below the threshold is not entered, however large the difference is", () =>
    Effect.map(scene({ a: 0, b: 39 }), (response) => {
      expect(at(response)).toBe("a/ask")
    }))

  it.effect("`flowSwitchMargin` changes the required difference", () =>
    Effect.map(scene({ a: 50, b: 65 }, 30), (response) => {
      expect(at(response)).toBe("a/ask")
    }))

  it.effect("the active flow is not left when its own `if` becomes false", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: table({
          first: scores({ a: 90 }),
          second: { ...scores({ a: 60, b: 10 }), fields: { note: "closed" } }
        })
      })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ ...flow("a"), if: ({ data }) => data.note === undefined, optionalFields: ["note"] }, flow("b")]
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("first")
      yield* talk(agent)("second")
      expect(at(yield* talk(agent)("second"))).toBe("a/ask")
    }))
})

describe("an interrupted flow", () => {
  const message = (id: string) => ({ [`want ${id}`]: scores({ [id]: 95 }) })
  const ending = (id: string) =>
    kit.flow({
      title: `Flow ${id}`,
      id,
      when: `wants ${id}`,
      reentrant: true,
      steps: [{ id: "say", prompt: `say ${id}` }]
    })

  it.effect("an interrupted flow is suspended on a stack, and resumes at its step when the interrupting flow ends", () =>
    Effect.gen(function*() {
      const two = kit.flow({
        ...flow("a"),
        steps: [{ id: "one", prompt: "a one", collect: ["city"] }, { id: "two", prompt: "a two", collect: ["code"] }]
      })
      const b = kit.flow({ ...flow("b"), steps: [{ id: "ask", prompt: "ask b", collect: ["name"] }] })
      const stage = yield* Stage.make({
        understand: table({
          "want a": { ...scores({ a: 95 }), fields: { city: "Lisbon" } },
          ...message("b"),
          ...message("c"),
          "I am Ada": { fields: { name: "Ada" } }
        })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [two, b, ending("c")] }).pipe(Effect.provide(stage.layer))
      const say = talk(agent)
      const first = yield* say("want a")
      expect(at(first)).toBe("a/two")
      const second = yield* say("want b")
      expect(at(second)).toBe("b/ask")
      expect(second.session.suspended.map(({ flow, step }) => `${flow.id}/${step?.id}`)).toEqual(["a/two"])
      // c speaks and completes: b is resumed, and speaks in the next turn.
      const third = yield* say("want c")
      expect(third.message).toBe("say c")
      expect(third.completedFlows).toEqual(["c"])
      expect(at(third)).toBe("b/ask")
      expect(third.session.suspended.map(({ flow }) => flow.id)).toEqual(["a"])
      // b completes without text: a is resumed and speaks in the same turn.
      const fourth = yield* say("I am Ada")
      expect(fourth.completedFlows).toEqual(["b"])
      expect(fourth.message).toContain("a two")
      expect(at(fourth)).toBe("a/two")
      expect(fourth.session.currentFlow?.enteredAt).toEqual(first.session.currentFlow?.enteredAt)
      expect(fourth.session.suspended).toEqual([])
    }))

  it.effect("of two suspended flows, the prompt names only the last one as the flow to return to", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: table({ ...message("a"), ...message("b"), ...message("c") }) })
      const agent = yield* kit.make({ name: "Bot", flows: [flow("a"), flow("b"), flow("c")] }).pipe(
        Effect.provide(stage.layer)
      )
      const [, , third] = yield* Effect.forEach(["want a", "want b", "want c"], talk(agent))
      expect(third?.session.suspended.map(({ flow }) => flow.id)).toEqual(["a", "b"])
      expect(Stage.instructions(stage.prompts.at(-1)!)).toContain("return to: Flow b")
      expect(Stage.instructions(stage.prompts.at(-1)!)).not.toContain("return to: Flow a")
    }))

  it.effect("an interrupted flow is resumed, without `onEnter`, when the user asks for the flow again", () =>
    Effect.gen(function*() {
      const entered: Array<string> = []
      const stage = yield* Stage.make({ understand: table({ ...message("a"), ...message("b") }) })
      const watched = kit.flow({ ...flow("a"), hooks: { onEnter: () => void entered.push("a") } })
      const agent = yield* kit.make({ name: "Bot", flows: [watched, flow("b")] }).pipe(Effect.provide(stage.layer))
      const [, , third] = yield* Effect.forEach(["want a", "want b", "want a"], talk(agent))
      expect(at(third!)).toBe("a/ask")
      expect(third?.session.suspended.map(({ flow }) => flow.id)).toEqual(["b"])
      expect(entered).toEqual(["a"])
      expect(third?.session.flowHistory.map(({ flowId }) => flowId)).toEqual(["a", "b"])
    }))

  it.effect("an interrupted flow runs no `onExit` when it is suspended", () =>
    Effect.gen(function*() {
      const left: Array<string> = []
      const stage = yield* Stage.make({ understand: table({ ...message("a"), ...message("b") }) })
      const watched = kit.flow({ ...flow("a"), hooks: { onExit: () => void left.push("a") } })
      const agent = yield* kit.make({ name: "Bot", flows: [watched, flow("b")] }).pipe(Effect.provide(stage.layer))
      const [, second] = yield* Effect.forEach(["want a", "want b"], talk(agent))
      expect(left).toEqual([])
      expect(second?.session.flowHistory[0]).not.toHaveProperty("exitedAt")
    }))

  it.effect("an interrupted flow with `onInterrupt: \"drop\"` is left: its `onExit` hooks run, and the flow does not resume", () =>
    Effect.gen(function*() {
      const left: Array<string> = []
      const dropped = kit.flow({
        ...flow("a"),
        onInterrupt: "drop",
        hooks: { onExit: () => void left.push("flow") },
        steps: [{ id: "ask", prompt: "ask a", collect: ["code"], hooks: { onExit: () => void left.push("step") } }]
      })
      const stage = yield* Stage.make({ understand: table({ ...message("a"), ...message("c") }) })
      const agent = yield* kit.make({ name: "Bot", flows: [dropped, ending("c")] }).pipe(Effect.provide(stage.layer))
      const [, second] = yield* Effect.forEach(["want a", "want c"], talk(agent))
      expect(left).toEqual(["step", "flow"])
      expect(at(second!)).toBe("nowhere")
      expect(second?.session.suspended).toEqual([])
      expect(second?.session.flowHistory).toMatchObject([{ flowId: "a", completed: false }, {
        flowId: "c",
        completed: true
      }])
    }))
})

describe("completed flows", () => {
  const once = (reentrant: boolean) =>
    kit.flow({
      title: "Order",
      id: "order",
      when: "wants to order",
      reentrant,
      optionalFields: ["note"],
      steps: [{ id: "city", prompt: "which city", collect: ["city"] }, { id: "end", prompt: "done" }]
    })

  it.effect("a completed flow that is not reentrant is not offered to the model again", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({ ...scores({ order: 90 }), fields: { city: "Lisbon" } }) })
      const agent = yield* kit.make({ name: "Bot", flows: [once(false), flow("b")] }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent)("order")).completedFlows).toEqual(["order"])
      expect(at(yield* talk(agent)("order"))).toBe("nowhere")
      expect(stage.questions[1]?.flows.map(({ id }) => id)).toEqual(["b"])
      // Its known values can still be corrected.
      expect(stage.questions[1]?.fields).toMatchObject([{ name: "city", known: true }])
    }))

  it.effect("a reentrant flow is entered again, and only the fields it declares are cleared", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: table({
          first: { ...scores({ order: 90 }), fields: { city: "Lisbon", note: "quiet" } },
          again: scores({ order: 90 })
        })
      })
      const agent = yield* kit.make({
        name: "Bot",
        initialData: { name: "Ada" },
        flows: [once(true), flow("b")]
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("first")
      const response = yield* talk(agent)("again")
      expect(response.session.data).toEqual({ name: "Ada" })
      expect(at(response)).toBe("order/city")
    }))

  it.effect("a reentrant flow stores the values of the message that enters the flow again", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: table({
          first: { ...scores({ order: 90 }), fields: { city: "Lisbon", note: "quiet" } },
          again: { ...scores({ order: 90 }), fields: { city: "Porto" } }
        })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [once(true), flow("b")] }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("first")
      const response = yield* talk(agent)("again")
      expect(response.session.data).toEqual({ city: "Porto" })
      expect(response.completedFlows).toEqual(["order"])
    }))

  it.effect("a reentrant flow does not lose a value that the message repeats unchanged", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: table({ same: { ...scores({ order: 90 }), fields: { city: "Lisbon" } } })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [once(true), flow("b")] }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("same")
      const response = yield* talk(agent)("same")
      expect(response.session.data).toEqual({ city: "Lisbon" })
      expect(response.message).toBe("done")
    }))
})
