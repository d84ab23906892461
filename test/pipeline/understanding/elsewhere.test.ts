/** Values of other flows than the one under way. */
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import * as Stage from "../../support/Stage.js"

const kit = Agent.define({
  data: Schema.Struct({ size: Schema.String, reason: Schema.Literal("broken", "not wanted") })
})

const stated = (message: string) => ({ fields: { reason: "not wanted" }, words: { reason: message } })

const shop = Effect.gen(function*() {
  const stage = yield* Stage.make({
    understand: ({ message }) => ({
      ...(message !== "buy a belt" && stated(message)),
      flowScores: message === "buy a belt" ? { buy: 90 } : message === "send it back" ? { return: 90 } : {}
    })
  })
  const flow = (id: string, field: "size" | "reason") => ({
    id,
    title: id,
    when: `wants to ${id}`,
    steps: [{ id: "ask", prompt: `Ask for ${field}`, collect: [field] }, { id: "end", reply: "Well." }]
  })
  const agent = yield* kit.make({ name: "Shop", flows: [flow("buy", "size"), flow("return", "reason")] }).pipe(
    Effect.provide(stage.layer)
  )
  return Stage.talk(agent)
})

describe("a value of a flow that is neither under way nor asked for", () => {
  it.effect("is not taken from words that are the whole message", () =>
    Effect.gen(function*() {
      const say = yield* shop
      yield* say("buy a belt")
      const { session, trace } = yield* say("put it on my card")
      expect(session.data).toEqual({})
      expect(trace).toContainEqual(expect.objectContaining({ kind: "value_not_taken", source: "reason" }))
    }))

  it.effect("is taken if the message asks for the flow, or if no flow is under way", () =>
    Effect.gen(function*() {
      const say = yield* shop
      yield* say("buy a belt")
      expect((yield* say("send it back")).session.data).toEqual({ reason: "not wanted" })
      const other = yield* shop
      expect((yield* other("not my taste")).session.data).toEqual({ reason: "not wanted" })
    }))
})
