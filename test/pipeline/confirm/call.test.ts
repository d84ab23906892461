import { describe, expect, it } from "@effect/vitest"
import { Agent, ToolExecutor } from "coxswain"
import * as Check from "coxswain/check"
import * as Graph from "coxswain/graph"
import { Effect, Layer, Schema } from "effect"
import * as Stage from "../../support/Stage.js"

const kit = Agent.define({
  data: Schema.Struct({ order: Schema.String, price: Schema.Number, receipt: Schema.String })
})

interface Desk {
  readonly needsApproval?: boolean | { readonly by: "user" }
  readonly permitted?: boolean
  readonly failed?: boolean
  readonly run?: (order: string) => Effect.Effect<unknown, string>
  readonly layer?: Layer.Layer<ToolExecutor.ToolExecutor>
}

const desk = (options: Desk = {}) =>
  Effect.gen(function*() {
    const { failed = true, needsApproval = false, permitted = true } = options
    const ran: Array<string> = []
    const stage = yield* Stage.make({
      understand: ({ message }) => message.startsWith("order ") ? { fields: { order: message.slice(6) } } : {}
    })
    const buy = kit.tool({
      id: "buy",
      parameters: { order: Schema.String },
      needsApproval,
      confirmation: ({ order }) => `Shall I buy ${order}?`,
      checkPermissions: () => permitted,
      handler: ({ order }) =>
        Effect.zipRight(
          Effect.sync(() => ran.push(order)),
          (options.run ?? (() => Effect.succeed({ price: 7, id: "r1" })))(order)
        )
    })
    const agent = yield* kit.make({
      name: "Shop",
      flows: [{
        title: "Buy",
        steps: [
          { id: "what", prompt: "Ask what", collect: ["order"] },
          {
            id: "buy",
            call: buy.with(({ data }) => ({ order: data.order })),
            bind: { price: "price", receipt: "id" },
            ...(failed && { then: { ok: "done", failed: "sorry" } })
          },
          {
            id: "done",
            reply: ({ data }) => `Bought for ${data.price}, receipt ${data.receipt}.`,
            branches: [{ then: { complete: true } }]
          },
          { id: "sorry", reply: "That did not work." }
        ]
      }]
    }).pipe(Effect.provide(Layer.mergeAll(stage.layer, options.layer ?? Layer.empty)))
    return { ...stage, agent, ran, say: Stage.talk(agent) }
  })

describe("a step that calls a tool (option `call`)", () => {
  it.effect("runs the tool and writes the result into the data, without a model call", () =>
    Effect.gen(function*() {
      const { agent, prompts, ran, say } = yield* desk()
      const { message, session, toolCalls } = yield* say("order A")
      expect(message).toBe("Bought for 7, receipt r1.")
      expect(session.data).toEqual({ order: "A", price: 7, receipt: "r1" })
      expect(toolCalls).toMatchObject([{ toolId: "buy", outcome: "ok", params: { order: "A" } }])
      expect(ran).toEqual(["A"])
      expect(prompts).toEqual([])
      expect((yield* agent.session("s1").history).map(({ role }) => role)).toEqual(["user", "assistant"])
    }))

  it.effect("continues at the target of `then.failed` when the handler fails", () =>
    Effect.gen(function*() {
      const { say } = yield* desk({ run: () => Effect.fail("sold out") })
      const { message, toolCalls } = yield* say("order A")
      expect(message).toBe("That did not work.")
      expect(toolCalls[0]!.isFailure).toBe(true)
    }))

  it.effect("fails the turn when the handler fails and the step has no `then`", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* desk({ failed: false, run: () => Effect.fail("sold out") })
      expect(yield* Effect.flip(say("order A"))).toMatchObject({ _tag: "ToolExecutionError", toolId: "buy" })
      expect((yield* agent.session("s1").snapshot).version).toBe(0)
    }))

  it.effect("stays at the step when a permission check refuses the call and nothing says what follows", () =>
    Effect.gen(function*() {
      const { say } = yield* desk({ permitted: false })
      const { message, session } = yield* say("order A")
      expect([message, session.currentStep?.id]).toEqual(["I am not allowed to do that.", "buy"])
    }))

  it.effect("fails the turn when a result that `bind` writes does not decode for its field", () =>
    Effect.gen(function*() {
      const { say } = yield* desk({ run: () => Effect.succeed({ price: "a lot", id: "r1" }) })
      expect(yield* Effect.flip(say("order A"))).toMatchObject({
        _tag: "DataValidationError",
        fields: [{ field: "price" }]
      })
    }))

  it.effect("waits for an approval, and continues when it is approved", () =>
    Effect.gen(function*() {
      const { agent, ran, say } = yield* desk({ needsApproval: true })
      const { approvals, stoppedReason } = yield* say("order A")
      expect([stoppedReason, ran.length]).toEqual(["needs_approval", 0])
      const { message, session } = yield* agent.approve("s1", approvals[0]!.id, { approved: true })
      expect(message).toBe("Bought for 7, receipt r1.")
      expect(session.data.price).toBe(7)
      expect((yield* agent.session("s1").history).map(({ role }) => role)).toEqual(["user", "assistant"])
    }))

  it.effect("waits for the user's yes, also after a question of the user; a no leads to `then.failed`", () =>
    Effect.gen(function*() {
      const { prompts, ran, say } = yield* desk({ needsApproval: { by: "user" } })
      expect((yield* say("order A")).message).toBe("Shall I buy A?")
      expect((yield* say("What is it?")).message).toMatch(/\n\nShall I buy A\?$/)
      expect(prompts).toHaveLength(1)
      expect(ran).toEqual([])
      expect((yield* say("no")).message).toBe("That did not work.")
      const other = yield* desk({ needsApproval: { by: "user" } })
      yield* other.say("order B")
      expect((yield* other.say("yes")).message).toBe("Bought for 7, receipt r1.")
      expect(other.ran).toEqual(["B"])
    }))

  it.effect("runs the tool with the provided `ToolExecutor`", () =>
    Effect.gen(function*() {
      const { ran, say } = yield* desk({
        layer: Layer.succeed(
          ToolExecutor.ToolExecutor,
          ToolExecutor.make(() =>
            Effect.succeed({
              _tag: "ToolResult",
              outcome: "ok",
              output: { price: 1, id: "stub" },
              isFailure: false
            })
          )
        )
      })
      expect((yield* say("order A")).message).toBe("Bought for 1, receipt stub.")
      expect(ran).toEqual([])
    }))

  it.effect("causes no finding of the checker, and has the kind 'call' in the graph", () =>
    Effect.sync(() => {
      const buy = kit.tool({ id: "buy", parameters: {}, handler: () => "ok" })
      const options = kit.agent({
        name: "Shop",
        flows: [{
          title: "Buy",
          steps: [
            { id: "buy", call: buy.with({}), bind: "receipt", then: { ok: "done", failed: "sorry" } },
            { id: "done", requires: ["receipt"], reply: "Done.", branches: [{ then: { complete: true } }] },
            { id: "sorry", reply: "Sorry." }
          ]
        }]
      })
      expect(Check.check(kit, options).findings).toEqual([])
      expect(Graph.make(options).steps.find(({ title }) => title === "buy")?.kind).toBe("call")
    }))

  it.effect("is refused by `make` if it has `bind` or `then` without `call`, or an unknown target", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const wrong = { id: "a", prompt: "Talk", bind: "receipt", then: { ok: "nowhere" } } as const
      const error = yield* Effect.flip(
        kit.make({ name: "Shop", flows: [{ title: "Buy", steps: [wrong] }] }).pipe(Effect.provide(stage.layer))
      )
      expect(error.message).toContain("bind without a call")
      expect(error.message).toContain("then without a call")
      expect(error.message).toContain("unknown target \"nowhere\"")
    }))
})
