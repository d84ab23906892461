/** Code that reads the session's data in the middle of a turn reads it with the writes of that turn. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, type Policy, SessionStore } from "coxswain"
import { Effect, Layer, Schema } from "effect"
import * as Script from "../../support/Script.js"
import * as ScriptedUnderstanding from "../../support/ScriptedUnderstanding.js"

const { toolCall } = Script

const kit = Agent.define({
  data: Schema.Struct({ limit: Schema.Int.annotations({ extract: "never" }) }),
  context: Schema.Struct({ note: Schema.String })
})

interface Ctx {
  readonly data: { readonly limit?: number }
  readonly context: { readonly note: string }
  readonly session: { readonly data: { readonly limit?: number }; readonly context?: { readonly note?: string } }
}

type Reads = Record<string, readonly [data: unknown, session: unknown, context: unknown, session: unknown]>

/** An agent whose model lowers the limit and pays in one round, and each of whose functions notes what it reads. */
const turn = (policies: ReadonlyArray<Policy.Policy> = []) =>
  Effect.gen(function*() {
    const reads: Reads = {}
    const see = <A>(place: string, answer: A) => (ctx: Ctx): A => {
      reads[place] = [ctx.data.limit, ctx.session.data.limit, ctx.context.note, ctx.session.context?.note]
      return answer
    }
    const seeing = <A>(place: string, answer: A) => (_: unknown, ctx: Ctx): A => see(place, answer)(ctx)
    const lower = kit.tool({
      id: "lower",
      handler: (_, { dispatch }) =>
        Effect.as(dispatch({ dataUpdate: { limit: 10 }, contextUpdate: { note: "new" } }), "lowered")
    })
    const pay = kit.tool({
      id: "pay",
      parameters: { amount: Schema.Number },
      validateInput: seeing("validateInput", undefined),
      checkPermissions: seeing("checkPermissions", true),
      needsApproval: { autoApprove: seeing("autoApprove", true) },
      handler: seeing("handler", "paid")
    })
    const ask = kit.tool({
      id: "ask",
      needsApproval: seeing("needsApproval", { by: "user" } as const),
      confirmation: seeing("confirmation", "Shall I?"),
      handler: () => ""
    })
    const book = kit.tool({ id: "book", parameters: { amount: Schema.Number }, handler: () => "" })
    const agent = yield* kit.make({
      name: "Bank",
      persona: see("persona", "A bank"),
      policies,
      guardrails: { output: [{ id: "g", check: seeing("guardrails", undefined) }] },
      signals: [
        kit.signal({
          id: "post",
          phase: "post",
          if: see("signals.if", true),
          handler: see("signals.handler", undefined)
        })
      ],
      instructions: [{ kind: "must", text: "Be kind", if: see("instructions.if", true) }],
      flows: [{
        title: "Help",
        initialData: { limit: 100 },
        steps: [
          {
            id: "help",
            prompt: see("prompt", "Help"),
            tools: [lower, pay],
            finalize: see("finalize", undefined),
            until: see("until", true),
            branches: [{ if: see("branches.if", false), then: { complete: true } }]
          },
          { id: "book", call: book.with((ctx) => see("call.with", { amount: 1 })(ctx)) },
          { id: "skipped", prompt: "Never", skip: see("skip", true) },
          { id: "again", prompt: see("second prompt", "Ask"), tools: [ask], onEnter: see("onEnter", undefined) },
          {
            id: "bye",
            reply: see("reply", "Bye"),
            if: see("step.if", true),
            choices: see("choices", [])
          }
        ]
      }]
    }).pipe(Effect.provide(Layer.merge(
      Script.make((_, i) =>
        [[toolCall("lower", {}), toolCall("pay", { amount: 50 })], "Done", [toolCall("ask", {})], "Asked"][i] ?? "Done"
      ).layer,
      ScriptedUnderstanding.make(() => ({ flowScores: { help: 90 } })).layer
    )))
    const say = agent.respond({ sessionId: "s", message: "hello", context: { note: "old" } })
    const first = yield* say
    yield* agent.respond({ sessionId: "s", message: "no", context: {} })
    return { reads, first }
  }).pipe(Effect.provide(SessionStore.layerMemory))

describe("after a tool of the turn has written data and context", () => {
  it.effect.each([
    "validateInput",
    "checkPermissions",
    "autoApprove",
    "handler",
    "guardrails",
    "finalize",
    "until",
    "branches.if",
    "call.with",
    "skip",
    "onEnter",
    "second prompt",
    "persona",
    "instructions.if",
    "needsApproval",
    "confirmation",
    "signals.if",
    "signals.handler"
  ])("%s reads them, in the data and context and in the session", (place) =>
    Effect.gen(function*() {
      const { reads } = yield* turn()
      expect(reads[place]).toEqual([10, 10, "new", "new"])
    }))

  it.effect("a policy reads them: a call that the new value forbids is refused", () =>
    Effect.gen(function*() {
      const { first } = yield* turn([{
        tool: "pay",
        onlyIf: { compare: [{ argument: "amount" }, "<=", { field: "limit" }] }
      }])
      expect(first.toolCalls.map(({ outcome, toolId }) => [toolId, outcome]).slice(0, 2)).toEqual([
        ["lower", "ok"],
        ["pay", "denied"]
      ])
    }))
})
