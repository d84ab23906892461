/** At the end of a phase the emitted directives are merged, checked together and applied. */
import { describe, expect, it } from "@effect/vitest"
import type { Directive } from "coxswain"
import { Effect, Schema } from "effect"
import { toolCall } from "../../support/Script.js"
import * as Stage from "../../support/Stage.js"

const { at, kit, talk } = Stage

describe("several directives returned in one phase of a turn", () => {
  const phase = (finalize: object, tool: object) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        speak: (_, i) => i === 0 ? [{ type: "text", text: "Said" }, toolCall("act", {})] : "more"
      })
      const agent = yield* kit.make({
        name: "Bot",
        tools: [{ id: "act", handler: () => ({ ok: true, outputMessage: "done", directive: tool }) }],
        flows: [{
          title: "F",
          steps: [{ id: "a", prompt: "a", finalize: () => finalize }, { id: "b", prompt: "b" }, {
            id: "c",
            prompt: "c",
            until: () => false
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      return yield* talk(agent)("hi")
    })

  it.effect("the directive with the stronger move wins; the writes of the other directive are applied too", () =>
    Effect.gen(function*() {
      const response = yield* phase(
        { goToStep: "c", dataUpdate: { note: "finalize", city: "Lisbon" } },
        { complete: true, dataUpdate: { note: "tool", name: "Ada" } }
      )
      expect(response.completedFlows).toEqual(["f"])
      expect(response.session.data).toEqual({ note: "finalize", city: "Lisbon", name: "Ada" })
      expect(response.directiveChain.map(({ applied, phase, source }) => [source, phase, applied])).toEqual([
        ["tool:act", "post", true],
        ["step:a.finalize", "post", false]
      ])
    }))

  it.effect("the later directive wins if both moves are equally strong", () =>
    Effect.gen(function*() {
      const response = yield* phase({ goToStep: "c" }, { goToStep: "b" })
      expect(at(response)).toBe("f/c")
      expect(response.directiveChain.map(({ applied }) => applied)).toEqual([false, true])
    }))

  it.effect("`abort` wins over `complete`, and the data writes are applied", () =>
    Effect.gen(function*() {
      const response = yield* phase({ complete: true }, { abort: "no", dataUpdate: { note: "kept" } })
      expect(response).toMatchObject({
        stoppedReason: "aborted",
        completedFlows: [],
        session: { data: { note: "kept" } }
      })
    }))
})

describe("directives of hooks", () => {
  it.effect("the dispatched and then the returned directive of a hook are applied, with the hook's name", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [{
            id: "a",
            prompt: "a",
            prepare: ({ dispatch }) =>
              Effect.as(dispatch({ reply: "dispatched", dataUpdate: { note: "1", name: "Ada" } }), {
                reply: "returned",
                dataUpdate: { note: "2" }
              })
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response).toMatchObject({ message: "returned", session: { data: { note: "2", name: "Ada" } } })
      expect(response.directiveChain.map(({ directive, source }) => [source, directive.reply])).toEqual([
        ["step:a.prepare", "dispatched"],
        ["step:a.prepare", "returned"]
      ])
    }))

  it.effect("directives of a failed turn are discarded", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        hooks: {
          beforeRespond: ({ dispatch, message }) =>
            message === "bad"
              ? Effect.zipRight(
                dispatch({ reply: "leaked", dataUpdate: { note: "leaked" } }),
                Effect.fail("no" as const)
              )
              : Effect.void
        }
      }).pipe(Effect.provide(stage.layer))
      yield* Effect.flip(talk(agent)("bad"))
      const response = yield* talk(agent)("good")
      expect(response).toMatchObject({ session: { data: {} }, directiveChain: [] })
      expect(response.message).not.toContain("leaked")
    }))

  it.effect("the writes of a phase are checked together, and one invalid field discards all of them", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [{
            id: "a",
            prompt: "a",
            onEnter: () => ({ dataUpdate: { note: "valid" } }),
            prepare: () => ({ dataUpdate: { guests: 99 } })
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const error = yield* Effect.flip(talk(agent)("hi"))
      expect(error).toMatchObject({ _tag: "DataValidationError", emitter: "step:a.prepare" })
      expect(error.message).toMatch(/^\[DataValidationError\] step:a.prepare wrote "guests": .+\. .+\.$/)
      expect(yield* stage.store.snapshot).toEqual({ sessions: [], writes: 0 })
    }))

  it.effect("`reset` restarts the flow; `clearData` clears the flow's fields but keeps the turn's writes", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({ fields: { city: "Lisbon" } }) })
      const agent = yield* kit.make({
        name: "Bot",
        initialData: { name: "Ada" },
        flows: [{
          title: "F",
          steps: [{ id: "city", prompt: "city", collect: ["city"] }, {
            id: "end",
            prompt: "end",
            finalize: () => ({ reset: { clearData: true }, dataUpdate: { note: "again" } })
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response).toMatchObject({ message: "end", stoppedReason: "reset", completedFlows: [] })
      expect(response.session.data).toEqual({ name: "Ada", note: "again" })
      expect(at(response)).toBe("f/")
    }))
})

describe("directives that are applied before the reply", () => {
  it.effect("a directive that enters a completed reentrant flow again keeps the values stated in the message", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: ({ message }) => ({ fields: message === "Porto" ? { city: "Porto" } : {} })
      })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "Book",
          reentrant: true,
          steps: [{ id: "city", collect: ["city"] }, { id: "done", reply: ({ data }) => `To ${data.city}` }]
        }],
        signals: [{
          id: "again",
          phase: "pre",
          if: ({ message }) => message === "Porto",
          handler: () => ({ goTo: "Book" })
        }]
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("hi")
      const first = yield* talk(agent)("Porto")
      const second = yield* talk(agent)("Porto")
      expect([first.message, second.message]).toEqual(["To Porto", "To Porto"])
    }))

  it.effect("`reset` without an active flow is ignored, and the message is routed", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({})
      const agent = yield* kit.make({
        name: "Bot",
        hooks: { beforeRespond: () => ({ reset: true }) },
        flows: [{ title: "F", steps: [{ id: "a", reply: "Hello" }] }]
      }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent)("hi")).message).toBe("Hello")
    }))

  it.effect("an injected tool that cannot be offered fails the turn with `ToolCreationError`", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({})
      const tool = kit.tool({ id: "t", parameters: { at: Schema.DateFromSelf }, handler: () => 1 })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ title: "F", steps: [{ id: "a", prompt: "a", prepare: () => ({ injectTools: [tool] }) }] }]
      }).pipe(Effect.provide(stage.layer))
      const error = yield* Effect.flip(talk(agent)("hi"))
      expect(error).toMatchObject({ _tag: "ToolCreationError", toolId: "t" })
      expect(error.message).toMatch(/^\[ToolCreationError\] injected tool "t": .*\. .*\.$/)
    }))

  it.effect("an injected tool with an unknown option fails the turn", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({})
      const untyped = kit as never as { readonly tool: (options: object) => never }
      const tool = untyped.tool({ id: "t", needApproval: true, handler: () => 1 })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ title: "F", steps: [{ id: "a", prompt: "a", prepare: () => ({ injectTools: [tool] }) }] }]
      }).pipe(Effect.provide(stage.layer))
      const { message } = yield* Effect.flip(talk(agent)("hi"))
      expect(message).toContain("needApproval: there is no option of this name, \"needsApproval\" is near")
    }))
})

describe("the writes of a dispatched directive", () => {
  const flow = (title: string, requiredFields: ReadonlyArray<"city" | "guests" | "name">, initialData = {}) => ({
    title,
    requiredFields,
    optionalFields: ["note" as const],
    initialData,
    reentrant: true,
    // The step waits for an answer in every turn.
    steps: [{ id: "first", prompt: "Talk", until: () => false }]
  })

  /** In the flow Booking, with a city, two guests and a note; then a turn that begins with the directive. */
  const after = (directive: Directive.Directive) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [flow("Booking", ["city", "guests"], { guests: 1 }), flow("Hours", ["name"])]
      }).pipe(Effect.provide(stage.layer))
      yield* agent.dispatch("s1", {
        goTo: { flow: "Booking", data: { city: "Lisbon", guests: 2 } },
        dataUpdate: { note: "sea" }
      })
      yield* talk(agent)("hi")
      yield* agent.dispatch("s1", directive)
      return (yield* talk(agent)("hi")).session
    })

  it.effect.each<[string, Directive.Directive, string | undefined, Record<string, unknown>]>([
    ["without a move", { dataUpdate: { note: "x" } }, "booking", { city: "Lisbon", guests: 2, note: "x" }],
    ["that are undefined", { dataUpdate: { city: undefined } }, "booking", { guests: 2, note: "sea" }],
    [
      "with `goTo`: its `data` over `dataUpdate`, both after what `carry` clears",
      { goTo: { flow: "booking", carry: "reset", data: { city: "Porto" } }, dataUpdate: { city: "Faro", guests: 4 } },
      "booking",
      { city: "Porto", guests: 4 }
    ],
    ["with `goToStep`", { goToStep: { step: "first", data: { city: "Faro" } } }, "booking", {
      city: "Faro",
      guests: 2,
      note: "sea"
    }],
    ["with `complete`", { complete: true, dataUpdate: { city: "Faro" } }, undefined, {
      city: "Faro",
      guests: 2,
      note: "sea"
    }],
    [
      "with `complete.next`: those of `next` after its own",
      {
        complete: { next: { goTo: { flow: "hours", data: { city: "C" } }, dataUpdate: { note: "b" } } },
        dataUpdate: { note: "a", city: "A", guests: 9 }
      },
      "hours",
      { note: "b", city: "C", guests: 9 }
    ],
    [
      "with `abort` and `clearSession`",
      { abort: { reason: "x", clearSession: true }, dataUpdate: { note: "n" } },
      undefined,
      { note: "n" }
    ],
    ["with `reset` and `clearData`", { reset: { clearData: true }, dataUpdate: { city: "Faro" } }, "booking", {
      city: "Faro",
      guests: 1
    }]
  ])("are applied %s", ([, directive, flowId, data]) =>
    Effect.gen(function*() {
      const session = yield* after(directive)
      expect([session.currentFlow?.id, session.data]).toEqual([flowId, data])
    }))
})
