/** Phase 7: the hooks that run before a step speaks, and their effects. */
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import { play } from "../../support/Dialogue.js"
import { table } from "../../support/ScriptedUnderstanding.js"
import * as Stage from "../../support/Stage.js"

const { at, kit, steps, talk } = Stage

describe("hooks before speaking", () => {
  it.effect("`flow.onEnter`, `step.onEnter` and `prepare` run in this order, and each sees the writes before it", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          hooks: {
            onEnter: ({ data }) => {
              seen.push({ flow: data })
              return { dataUpdate: { city: "Lisbon" } }
            }
          },
          steps: [{
            id: "a",
            prompt: ({ data }) => `at ${data.city} ${data.name} ${data.note}`,
            onEnter: ({ data, dispatch }) => {
              seen.push({ onEnter: data })
              return dispatch({ dataUpdate: { name: "Ada" } })
            },
            prepare: ({ data }) => {
              seen.push({ prepare: data })
              return { dataUpdate: { note: "quiet" } }
            }
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(seen).toEqual([
        { flow: {} },
        { onEnter: { city: "Lisbon" } },
        { prepare: { city: "Lisbon", name: "Ada" } }
      ])
      expect(response.message).toBe("at \"Lisbon\" \"Ada\" \"quiet\"")
      expect(response.collected).toEqual({ city: "Lisbon", name: "Ada", note: "quiet" })
      expect(response.directiveChain.map(({ phase, source }) => [source, phase])).toEqual([
        ["flow:f.onEnter", "pre"],
        ["step:a.onEnter", "pre"],
        ["step:a.prepare", "pre"]
      ])
    }))

  it.effect("`flow.onEnter` and `step.onEnter` run on entry only, `prepare` in each turn", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const log = (name: string) => () => void ran.push(name)
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          hooks: { onEnter: log("flow") },
          steps: [{ id: "a", prompt: "a", collect: ["city"], onEnter: log("onEnter"), prepare: log("prepare") }]
        }]
      }).pipe(Effect.provide(stage.layer))
      yield* Effect.forEach(["1", "2"], talk(agent))
      expect(ran).toEqual(["flow", "onEnter", "prepare", "prepare"])
    }))

  it.effect("a flow's `initialData` is written when the flow is entered, and only to fields without a value", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({ fields: { city: "Porto" } }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          initialData: { city: "Lisbon", guests: 2 },
          optionalFields: ["city"],
          hooks: { onEnter: ({ data }) => ({ dataUpdate: { note: `${data.guests} in ${data.city}` } }) },
          steps: [{ id: "a", prompt: "a" }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("Porto")
      expect(response.session.data).toEqual({ city: "Porto", guests: 2, note: "2 in Porto" })
    }))

  it.effect("`onComplete` and `onExit` see the writes of the directive that completes the flow", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          hooks: {
            onExit: ({ data }) => void seen.push(["onExit", data.note]),
            onComplete: ({ data }) => void seen.push(["onComplete", data.note])
          },
          steps: [{ id: "a", prompt: "a", finalize: () => ({ complete: true, dataUpdate: { note: "done" } }) }]
        }]
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("hi")
      expect(seen).toEqual([["onComplete", "done"], ["onExit", "done"]])
    }))
})

describe("a directive returned by `prepare` or a flow's `onEnter`", () => {
  const flows = (prepare: () => object | undefined, finalize?: () => void) => [{
    title: "F",
    steps: [
      { id: "a", prompt: "a", prepare, ...(finalize !== undefined && { finalize }) },
      { id: "b", prompt: "b" },
      { id: "c", prompt: "c" }
    ]
  }, { title: "G", if: () => false, steps: [{ id: "g", prompt: "g" }] }]

  it.effect("with `halt`, the turn has no model call and an empty message", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", flows: flows(() => ({ halt: true })) }).pipe(
        Effect.provide(stage.layer)
      )
      const response = yield* talk(agent)("hi")
      expect(response).toMatchObject({ message: "", stoppedReason: "halt", usage: { modelCalls: 0 } })
      expect(stage.prompts).toHaveLength(0)
      expect(stage.store.count("commit")).toBe(1)
    }))

  it.effect("with `halt`, the step does not speak, so the next turn continues with the same step", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      let first = true
      const agent = yield* kit.make({
        name: "Bot",
        flows: flows(() => {
          const halt = first
          first = false
          return halt ? { halt } : undefined
        })
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("hi")
      expect((yield* talk(agent)("again")).message).toBe("a")
    }))

  it.effect("with `reply`, the text is sent verbatim without a model call", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      let finalized = 0
      const agent = yield* kit.make({
        name: "Bot",
        flows: flows(() => ({ reply: "Hello {{name}} <b>" }), () => void finalized++)
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response).toMatchObject({ message: "Hello {{name}} <b>", stoppedReason: "reply" })
      expect(stage.prompts).toHaveLength(0)
      expect(finalized).toBe(1)
      expect(response.session.messageCount).toBe(2)
    }))

  it.effect("with `halt` and `reply`, the text is sent as the agent's message", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", flows: flows(() => ({ halt: true, reply: "Closed" })) }).pipe(
        Effect.provide(stage.layer)
      )
      const response = yield* talk(agent)("hi")
      expect(response.message).toBe("Closed")
      expect(stage.prompts).toHaveLength(0)
    }))

  it.effect("with a move, the target step speaks in the same turn", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", flows: flows(() => ({ goToStep: "c" })) }).pipe(
        Effect.provide(stage.layer)
      )
      const response = yield* talk(agent)("hi")
      expect(steps(response)).toEqual(["f/a", "f/c"])
      expect(response.message).toBe("c")
      const other = yield* kit.make({ name: "Bot", flows: flows(() => ({ goTo: "G" })) }).pipe(
        Effect.provide(stage.layer)
      )
      const moved = yield* talk(other, "s2")("hi")
      expect(moved.message).toBe("g")
      expect(moved.completedFlows).toEqual(["g"])
    }))

  it.effect("with `abort` and `halt`, the flow is left without completing and the message is empty", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: flows(() => ({ abort: "no more", halt: true }))
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response).toMatchObject({ message: "", stoppedReason: "aborted", completedFlows: [] })
      expect(at(response)).toBe("nowhere")
      expect(response.session.flowHistory).toMatchObject([{ flowId: "f", completed: false }])
    }))

  it.effect("with a move in a flow's `onEnter`, no step of that flow is entered", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const [first, second] = flows(() => undefined)
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ ...first!, hooks: { onEnter: () => ({ goTo: "G" }) } }, second!]
      }).pipe(Effect.provide(stage.layer))
      expect(steps(yield* talk(agent)("hi"))).toEqual(["g/g"])
    }))

  it.effect("a loop of moves fails the turn with `maxDirectiveChain` and names the steps visited", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        maxDirectiveChain: 3,
        flows: [{
          title: "F",
          steps: [
            { id: "a", prompt: "a", prepare: () => ({ goToStep: "b" }) },
            { id: "b", prompt: "b", prepare: () => ({ goToStep: "a" }) }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const error = yield* Effect.flip(talk(agent)("hi"))
      expect(error._tag).toBe("FlowConfigurationError")
      expect(error.message).toContain("maxDirectiveChain of 3")
      expect(error.message).toContain("f/a → f/b → f/a → f/b")
      expect(stage.store.writes).toEqual([])
    }))

  it.effect("a chain of up to `maxDirectiveChain` moves in a turn is allowed", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const hop = (id: string, to: string) => ({ id, prompt: id, prepare: () => ({ goToStep: to }) })
      const agent = yield* kit.make({
        name: "Bot",
        maxDirectiveChain: 3,
        flows: [{
          title: "F",
          steps: [hop("a", "b"), hop("b", "c"), hop("c", "d"), { id: "d", prompt: "d" }, { id: "e", prompt: "e" }]
        }]
      }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent)("hi")).message).toBe("d")
    }))
})

describe("the limit `maxDirectiveChain`", () => {
  const leads = (id: string, then: string) => ({ id, auto: true as const, branches: [{ then }] })
  const end = { id: "end", prompt: "end" }
  const says = [{ say: "hi", then: { said: "end" } }]

  it.effect("does not count a branch within its flow, and counts a branch to another flow", () =>
    Effect.gen(function*() {
      const within = [{ title: "F", steps: [leads("a", "b"), leads("b", "c"), leads("c", "end"), end] }]
      yield* play(kit.make({ name: "Bot", maxDirectiveChain: 1, flows: within }), says)
      const across = (maxDirectiveChain: number) =>
        kit.make({
          name: "Bot",
          maxDirectiveChain,
          flows: [
            { title: "F", steps: [leads("a", "G")] },
            { title: "G", if: () => false, steps: [leads("a", "H")] },
            { title: "H", if: () => false, steps: [end] }
          ]
        })
      expect((yield* Effect.flip(play(across(1), says))).message).toContain("maxDirectiveChain of 1")
      yield* play(across(2), says)
    }))

  it.effect("counts the end of a flow, and the transition that its `onComplete` names", () =>
    Effect.gen(function*() {
      const agent = (maxDirectiveChain: number) =>
        kit.make({
          name: "Bot",
          maxDirectiveChain,
          flows: [
            { title: "F", onComplete: "G", steps: [{ id: "a", prompt: "a", skip: () => true }] },
            { title: "G", if: () => false, steps: [end] }
          ]
        })
      expect((yield* Effect.flip(play(agent(1), says))).message).toContain("maxDirectiveChain of 1")
      yield* play(agent(2), says)
    }))
})

describe("additions to the prompt by a hook", () => {
  it.effect("`appendPrompt` and `injectTools` apply to this turn only", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const tool = kit.tool({ id: "look_up", description: "Looks up", handler: () => "found" })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            { id: "a", prompt: "a", prepare: () => ({ appendPrompt: ["Be brief", "Be brief"], injectTools: [tool] }) },
            { id: "b", prompt: "b" },
            { id: "c", prompt: "c" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      yield* Effect.forEach(["1", "2"], talk(agent))
      const [first, second] = stage.prompts
      expect(Stage.instructions(first!).split("Be brief")).toHaveLength(3)
      expect(first?.tools).toEqual(["look_up"])
      expect(Stage.instructions(second!)).not.toContain("Be brief")
      expect(second?.tools).toEqual([])
      expect(JSON.stringify(yield* stage.store.snapshot)).not.toContain("Be brief")
    }))

  it.effect("`appendPrompt` and `halt` returned after the model spoke are ignored and never stored", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const late = { appendPrompt: ["Too late"], halt: true, dataUpdate: { note: "kept" } }
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ title: "F", steps: [{ id: "a", prompt: "a", finalize: () => late }, { id: "b", prompt: "b" }] }]
      }).pipe(Effect.provide(stage.layer))
      const first = yield* talk(agent)("1")
      expect(first).toMatchObject({ message: "a", stoppedReason: "needs_input", collected: { note: "kept" } })
      expect(first.directiveChain.map(({ directive }) => directive)).toEqual([{ dataUpdate: { note: "kept" } }])
      const second = yield* talk(agent)("2")
      expect(second.message).toBe("b")
      expect(stage.prompts[1]?.text).not.toContain("Too late")
      expect(JSON.stringify(yield* stage.store.snapshot)).not.toContain("Too late")
    }))
})

describe("`onDataUpdate` and `onContextUpdate`", () => {
  it.effect("run for the agent and for the active flow, with the new values", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const stage = yield* Stage.make({ understand: table({ two: { fields: { guests: 2 } } }) })
      const withContext = Agent.define({
        data: Stage.Data,
        context: Schema.Struct({ tier: Schema.Literal("vip", "std") })
      })
      const agent = yield* withContext.make({
        name: "Bot",
        hooks: {
          onDataUpdate: ({ data }) => void seen.push(["agent", data.guests]),
          onContextUpdate: ({ context }) => void seen.push(["agent", context.tier])
        },
        flows: [{
          title: "F",
          hooks: {
            onDataUpdate: ({ data }) => void seen.push(["flow", data.guests]),
            onContextUpdate: ({ context }) => void seen.push(["flow", context.tier])
          },
          steps: [{ id: "a", prompt: "a", collect: ["guests"] }, {
            id: "b",
            prompt: "b",
            prepare: () => ({ contextUpdate: { tier: "vip" } })
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const say = (message: string) => agent.respond({ sessionId: "s1", message, context: { tier: "std" } })
      yield* say("hi")
      expect(seen).toEqual([])
      const response = yield* say("two")
      expect(seen).toEqual([["agent", 2], ["flow", 2], ["agent", "vip"], ["flow", "vip"]])
      expect(response.session.context).toEqual({ tier: "vip" })
    }))

  it.effect("a move returned by `onDataUpdate` takes precedence over routing", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({ flowScores: { f: 95 }, fields: { guests: 9 } }) })
      const agent = yield* kit.make({
        name: "Bot",
        hooks: { onDataUpdate: ({ data }) => (data.guests ?? 0) > 8 ? { goTo: "Groups" } : undefined },
        flows: [
          { title: "F", when: "f", optionalFields: ["guests"], steps: [{ id: "a", prompt: "a", collect: ["code"] }] },
          { title: "Groups", when: "groups", steps: [{ id: "g", prompt: "g", collect: ["code"] }] }
        ]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("nine of us")
      expect(at(response)).toBe("groups/g")
      expect(response.session.suspended).toEqual([])
    }))
})
