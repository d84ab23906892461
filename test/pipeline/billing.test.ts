/** Model usage counts against the session's budget, also for failed and aborted turns. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Budget } from "coxswain"
import { Effect, Option, Schema, Stream } from "effect"
import * as CountingStore from "../support/CountingStore.js"
import * as Script from "../support/Script.js"

const kit = Agent.define({ data: Schema.Struct({}) })
const flows = [{ title: "Talk", steps: [{ prompt: "Talk", until: () => false }] }]
const ask = { sessionId: "s", message: "hello" }

/** A turn uses 1500 tokens, far above its estimate; the first `failing` turns fail after their model call. */
const served = (limits: Parameters<typeof Budget.layer>[0], { failing = 0 } = {}) =>
  Effect.gen(function*() {
    const store = yield* CountingStore.make
    const model = Script.make(() => "All said", { inputTokens: 1000, outputTokens: 500, totalTokens: 1500 })
    let turns = 0
    const agent = yield* kit.make({
      name: "Talker",
      flows: [{
        ...flows[0]!,
        steps: [{
          ...flows[0]!.steps[0]!,
          finalize: () => turns++ < failing ? Effect.fail("down" as const) : Effect.void
        }]
      }]
    }).pipe(Effect.provide([model.layer, store.layer, Budget.layer(limits)]))
    const used = Effect.map(agent.session("s").snapshot, ({ usage }) =>
      (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0))
    return { agent, store, used, model }
  })

/** A client that disconnects after the last word. */
const hangUp = (agent: Effect.Effect.Success<ReturnType<typeof served>>["agent"]) =>
  Stream.runDrain(Stream.takeUntil(agent.stream(ask), (event) => event._tag === "TextDelta" && event.text === "said"))

describe("the token budget of a session", () => {
  it.effect("includes the tokens of streams that the caller closes after the last word; the next turn then fails", () =>
    Effect.gen(function*() {
      const { agent, used, model } = yield* served({ maxTokensPerSession: 15_000 })
      for (let i = 1; i <= 10; i++) {
        yield* hangUp(agent)
        expect(yield* used).toBe(1500 * i)
      }
      expect(model.asked).toHaveLength(10)
      expect(yield* Effect.flip(agent.respond(ask))).toMatchObject({
        _tag: "BudgetExceeded",
        budget: "maxTokensPerSession",
        used: 15_000
      })
      expect(model.asked).toHaveLength(10)
      // Only their usage is stored.
      expect(yield* agent.session("s").history).toEqual([])
    }))

  it.effect("includes the tokens of each turn once, whether the turn fails or completes", () =>
    Effect.gen(function*() {
      const { agent, used } = yield* served({ maxTokensPerSession: 10_000 }, { failing: 2 })
      expect(yield* Effect.flip(agent.respond(ask))).toBe("down")
      expect(yield* Effect.flip(agent.respond(ask))).toBe("down")
      expect(yield* used).toBe(3000)
      yield* agent.respond(ask)
      expect(yield* used).toBe(4500)
    }))
})

describe("a session without a budget", () => {
  it.effect("stores nothing for turns that fail or whose stream is closed", () =>
    Effect.gen(function*() {
      const { agent, store } = yield* served({ maxTokensPerTurn: 10_000 }, { failing: 1 })
      expect(yield* Effect.flip(agent.respond({ ...ask, messageId: "m1" }))).toBe("down")
      yield* hangUp(agent)
      expect(store.writes).toEqual([])
      expect(Option.isNone(yield* store.service.load("s", { messages: 10 }))).toBe(true)
      expect(Option.isNone(yield* store.service.response("s", "m1"))).toBe(true)
      expect(yield* store.service.journaled("s", "m1")).toEqual([])
    }))
})
