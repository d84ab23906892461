/** A step's call that waits while the definition changes. */
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import * as Stage from "../../support/Stage.js"

const kit = Agent.define({ data: Schema.Struct({ item: Schema.String }) })

/** A shop with one call; `by` decides about it, or nobody. */
const shop = (
  stage: Effect.Effect.Success<ReturnType<typeof Stage.make>>,
  ran: Array<string>,
  { by, step, tool }: { readonly by?: "user" | "clerk"; readonly step: string; readonly tool: string }
) => {
  const call = kit.tool({
    id: tool,
    parameters: { item: Schema.String },
    needsApproval: by === "user" ? { by } : by !== undefined,
    confirmation: ({ item }) => `Shall I ${tool} ${item}?`,
    handler: ({ item }) => Effect.sync(() => `${ran.push(`${tool} ${item}`)}`)
  })
  return Effect.provide(
    kit.make({
      name: "Shop",
      flows: [{
        id: "shop",
        title: "Shop",
        steps: [
          { id: "what", prompt: "Ask what", collect: ["item"] },
          { id: step, call: call.with(({ data }) => ({ item: data.item })), then: { failed: "sorry" } },
          { id: "done", reply: "Done.", ends: true },
          { id: "sorry", reply: "That did not work." }
        ]
      }]
    }),
    stage.layer
  )
}

const waiting = (by: "user" | "clerk") =>
  Effect.gen(function*() {
    const ran: Array<string> = []
    const stage = yield* Stage.make({
      understand: ({ message }) => message === "a book" ? { fields: { item: "book" } } : {}
    })
    const before = yield* shop(stage, ran, { by, step: "buy", tool: "buy" })
    const { approvals } = yield* before.respond({ sessionId: "s", message: "a book" })
    return { ran, stage, request: approvals[0]!.id }
  })

const renamed = [
  ["the step has another id", { step: "pay", tool: "buy" }],
  ["the step calls another tool", { step: "buy", tool: "rent" }],
  ["another step calls another tool", { step: "pay", tool: "rent" }]
] as const

describe("a call of a step that no longer makes it", () => {
  for (const approved of [true, false]) {
    it.effect.each(renamed)(
      `is cancelled by a decision (approved: ${approved}), and the flow makes the call that it has now: %s`,
      ([, now]) =>
        Effect.gen(function*() {
          const { ran, request, stage } = yield* waiting("clerk")
          const agent = yield* shop(stage, ran, now)
          const { message, session } = yield* agent.approve("s", request, { approved })
          expect(message).toBe("Done.")
          expect(ran).toEqual([`${now.tool} book`])
          expect(session.pendingApproval).toBeUndefined()
        })
    )
  }

  it.effect.each(renamed)(
    "does not run on the user's yes, which does not answer the question about another call: %s",
    ([, now]) =>
      Effect.gen(function*() {
        const { ran, stage } = yield* waiting("user")
        const agent = yield* shop(stage, ran, { ...now, by: "user" })
        const say = (message: string) => agent.respond({ sessionId: "s", message })
        expect(yield* say("yes")).toMatchObject({
          message: `Shall I ${now.tool} book?`,
          stoppedReason: "needs_approval"
        })
        expect(ran).toEqual([])
        expect((yield* say("yes")).message).toBe("Done.")
        expect(ran).toEqual([`${now.tool} book`])
      })
  )
})
