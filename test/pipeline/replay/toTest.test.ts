import { expect, it } from "@effect/vitest"
import { Replay, TurnLog } from "coxswain"
import { Conversation } from "coxswain/testing"
import { Effect, Logger, LogLevel, Random, TestClock } from "effect"
import { pasted } from "../../support/pasted.js"
import * as Desk from "./Desk.js"

/** The desk throws dice, which fall in the test as they fell then. */
const say = (means: Desk.Means) => ({ sessionId: "s1", message: JSON.stringify(means) })

const morning = Effect.gen(function*() {
  const agent = yield* Desk.make()
  yield* agent.respond(say({ wants: "booking", states: { city: "Lisbon" }, praises: true }))
  yield* TestClock.adjust("1 minute")
  yield* agent.respond(say({ states: { guests: 7 } }))
  yield* agent.respond(say({ calls: [["rate", { city: "Faro" }], ["pay", { euros: 400 }]] }))
  const { pendingApproval } = yield* agent.session("s1").snapshot
  yield* agent.approve("s1", pendingApproval!.requests[0]!.id, { approved: false, reason: "too dear" })
  yield* Effect.exit(agent.respond(say({ fails: true })))
  yield* TestClock.adjust("3 hours")
  yield* agent.wake("s1")
  yield* agent.notify({ sessionId: "s1", event: "payment.settled", payload: { amount: "50" } })
  yield* agent.respond(say({ wants: "hours" }))
  const talk = yield* Conversation.make(agent, { sessionId: "s1" })
  yield* talk.event("count.completed", { rooms: 4 })
  return agent
})

it.effect("a recorded session becomes a test that holds", () =>
  Effect.gen(function*() {
    const agent = yield* morning
    const text = yield* Replay.toTest(yield* TurnLog.TurnLog, "s1", agent)
    expect(text).toContain("yield* talk.approve({ tool: \"pay\", approved: false, reason: \"too dear\" }")
    expect(text).toContain("// a turn stored nothing: ResponseGenerationError")
    expect(text).toContain("ToolExecutor.layerStub({ \"rate\": given(")
    expect(text).toContain("yield* talk.event(\"count.completed\", { rooms: 4 })")
    yield* pasted(text, Desk.make())
    // It is a test: what is not as it was fails it.
    const other = yield* Effect.flip(pasted(text, Desk.make({ group: 8 })))
    expect(other.message).toContain("the script has no answer to this call of the model")
  }).pipe(
    Effect.withRandom(Random.fixed([500])),
    Effect.provide([Desk.outside, Logger.minimumLogLevel(LogLevel.None)])
  ))
