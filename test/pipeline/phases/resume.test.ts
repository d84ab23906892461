/** Phase 2: the turn after a dispatch. */
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import * as Stage from "../../support/Stage.js"

const { at, kit, steps, talk } = Stage

const feedback = kit.flow({
  title: "Feedback",
  when: "gives feedback",
  optionalFields: ["note"],
  steps: [{ id: "rate", prompt: "rate us", collect: ["guests"] }, { id: "why", prompt: "why", collect: ["code"] }]
})
const other = kit.flow({ title: "Other", when: "other", steps: [{ id: "ask", prompt: "ask", collect: ["code"] }] })

const scene = Effect.gen(function*() {
  const stage = yield* Stage.make({
    understand: () => ({ flowScores: { other: 95 }, fields: { note: "nice", guests: 4 } })
  })
  const agent = yield* kit.make({ name: "Bot", flows: [feedback, other] }).pipe(Effect.provide(stage.layer))
  return { stage, agent, say: talk(agent) }
})

describe("the first turn after `agent.dispatch`", () => {
  it.effect("applies the dispatched directive first and removes the directive from the session", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* scene
      yield* agent.dispatch("s1", { goTo: "Feedback", dataUpdate: { name: "Ada" } })
      const response = yield* say("hi")
      expect(response.session.pendingDirective).toBeUndefined()
      expect(response.session.data.name).toBe("Ada")
      expect(response.directiveChain[0]).toMatchObject({ source: "session.pendingDirective", phase: "pending" })
      expect(response.session.version).toBe(2)
    }))

  it.effect("skips routing, and still extracts values from the message", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* scene
      yield* agent.dispatch("s1", "Feedback")
      const response = yield* say("Four of us, it was nice")
      expect(at(response)).toBe("feedback/why")
      expect(steps(response)).toEqual(["feedback/why"])
      expect(stage.questions[0]?.flows).toEqual([])
      expect(response.collected).toEqual({ guests: 4, note: "nice" })
    }))

  it.effect("is the only turn that skips routing", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* scene
      yield* agent.dispatch("s1", "Feedback")
      yield* say("hi")
      expect(at(yield* say("something else"))).toBe("other/ask")
    }))

  it.effect("skips pre-signals", () =>
    Effect.gen(function*() {
      const fired: Array<string> = []
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [feedback, other],
        signals: [{ id: "each", phase: "pre", handler: ({ message }) => void fired.push(message) }]
      }).pipe(Effect.provide(stage.layer))
      yield* agent.dispatch("s1", "Feedback")
      yield* Effect.forEach(["1", "2"], talk(agent))
      expect(fired).toEqual(["2"])
    }))

  it.effect("sends a dispatched `reply` as the message, without a model call", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* scene
      yield* agent.dispatch("s1", { reply: "Your taxi is here" })
      const response = yield* say("hello?")
      expect(response).toMatchObject({ message: "Your taxi is here", stoppedReason: "reply" })
      expect(stage.prompts).toHaveLength(0)
      expect(yield* agent.session("s1").history).toHaveLength(2)
    }))

  it.effect("still routes the message if only data was dispatched", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* scene
      yield* agent.dispatch("s1", { dataUpdate: { name: "Ada" } })
      expect(at(yield* say("hi"))).toBe("other/ask")
    }))

  it.effect("asks for the conditions of the target flow and for field values in one model call", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: ({ conditions }) => ({
          conditions: Object.fromEntries(conditions.map(({ id }) => [id, true])),
          fields: { name: "Ada" }
        })
      })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          when: "f",
          optionalFields: ["name"],
          steps: [
            { id: "start", auto: true, branches: [{ when: "angry", then: "sorry" }] },
            { id: "thanks", prompt: "thanks" },
            { id: "sorry", prompt: "sorry" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      yield* agent.dispatch("s1", "F")
      const response = yield* talk(agent)("I am Ada and angry")
      expect(response.message).toBe("sorry")
      expect(stage.questions).toHaveLength(1)
    }))

  it.effect("leaves the directive pending if the turn fails", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* scene
      yield* agent.dispatch("s1", "Feedback")
      const before = yield* stage.store.snapshot
      stage.store.breaks("commit")
      expect((yield* Effect.flip(say("hi")))._tag).toBe("SessionStoreError")
      stage.store.breaks(undefined)
      expect(yield* stage.store.snapshot).toEqual(before)
      expect(at(yield* say("hi"))).toBe("feedback/why")
    }))

  it.effect("applies a dispatched `contextUpdate` over the context of the request", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const withContext = Agent.define({
        data: Stage.Data,
        context: Schema.Struct({ tier: Schema.Literal("vip", "std") })
      })
      const agent = yield* withContext.make({ name: "Bot", idle: { prompt: ({ context }) => context.tier } }).pipe(
        Effect.provide(stage.layer)
      )
      yield* agent.dispatch("s1", { contextUpdate: { tier: "vip" } })
      const response = yield* agent.respond({ sessionId: "s1", message: "hi", context: { tier: "std" } })
      expect(response.message).toBe("vip")
    }))
})
