import { expect, it } from "@effect/vitest"
import { Agent, Replay, TurnLog } from "coxswain"
import { Conversation } from "coxswain/testing"
import { Effect, Logger, LogLevel, Random, Schema, TestClock } from "effect"
import { pasted } from "../../support/pasted.js"
import * as Desk from "./Desk.js"

/** Sends a message; the desk's random numbers are fixed, so that recording and test agree. */
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

it.effect("the test generated from a recorded session passes", () =>
  Effect.gen(function*() {
    const agent = yield* morning
    const text = yield* Replay.toTest(yield* TurnLog.TurnLog, "s1", agent)
    expect(text).toContain("yield* talk.approve({ tool: \"pay\", approved: false, reason: \"too dear\" }")
    expect(text).toContain("// a turn stored nothing: ResponseGenerationError")
    expect(text).toContain("ToolExecutor.layerStub({ \"rate\": given(")
    expect(text).toContain("yield* talk.event(\"count.completed\", { rooms: 4 })")
    yield* pasted(text, Desk.make())
    // The test fails on a changed definition.
    const other = yield* Effect.flip(pasted(text, Desk.make({ group: 8 })))
    expect(other.message).toContain("the script has no answer to this call of the model")
  }).pipe(
    Effect.withRandom(Random.fixed([500])),
    Effect.provide([Desk.outside, Logger.minimumLogLevel(LogLevel.None)])
  ))

const outside = [Desk.outside, Logger.minimumLogLevel(LogLevel.None)] as const

/** The number of occurrences in a text. */
const count = (text: string, what: string) => text.split(what).length - 1

it.effect("a test generated after a rewind omits the rewound turns, and describes their lasting effects in comments", () =>
  Effect.gen(function*() {
    const agent = yield* Desk.make({ keep: 20 })
    const talk = yield* Conversation.make(agent, { sessionId: "s1" })
    yield* agent.respond(say({ wants: "booking", states: { city: "Lisbon" } }))
    yield* agent.respond(say({ states: { guests: 7 } }))
    yield* agent.respond(say({ calls: [["rate", { city: "Faro" }], ["pay", { euros: 400 }]] }))
    // Rewound: another call of the same tool, a failure, and the session's owner.
    yield* TestClock.adjust("1 hour")
    yield* agent.respond({ ...say({ states: { city: "Porto" } }), metadata: { userId: "u1" } })
    yield* agent.respond(say({ calls: [["rate", { city: "Braga" }]] }))
    yield* Effect.exit(agent.respond(say({ fails: true })))
    yield* agent.rewind("s1", 3)
    yield* Effect.exit(agent.respond(say({ fails: true })))
    yield* TestClock.adjust("5 minutes")
    const { pendingApproval } = yield* agent.session("s1").snapshot
    yield* agent.approve("s1", pendingApproval!.requests[0]!.id, { approved: false, reason: "too dear" })
    yield* agent.respond(say({ calls: [["rate", { city: "Evora" }]] }))
    // One of the timer's two hours passes; the rewind restores both.
    yield* TestClock.adjust("1 hour")
    yield* agent.respond(say({ states: { city: "Madrid" } }))
    yield* agent.rewind("s1", (yield* agent.session("s1").snapshot).turns!.at(-2)!.turn)
    yield* TestClock.adjust("30 minutes")
    yield* Effect.exit(agent.respond(say({ fails: true })))
    yield* TestClock.adjust("90 minutes")
    expect((yield* agent.wake("s1"))._tag).toBe("Some")
    // A job that completed in a rewound turn can complete again.
    yield* agent.respond(say({ wants: "hours" }))
    yield* talk.event("count.completed", { rooms: 3 })
    const { turns } = yield* agent.session("s1").snapshot
    yield* agent.rewind("s1", turns!.at(-2)!.turn)
    yield* talk.event("count.completed", { rooms: 4 })
    yield* agent.respond(say({ wants: "booking", states: { city: "Tomar" } }))
    const log = yield* TurnLog.TurnLog
    const before = yield* Replay.toTest(log, "s1", agent)
    expect(before).toContain("Tomar")
    yield* agent.rewind("s1", (yield* agent.session("s1").snapshot).turns!.at(-2)!.turn)
    const text = yield* Replay.toTest(log, "s1", agent)
    for (const gone of ["Porto", "Braga", "Madrid", "rooms: 3", "Tomar"]) expect(text).not.toContain(gone)
    expect(text).toContain("// 3 turns that were taken back are not played.")
    expect(text).toContain("// Their time does not pass: timers were set again with the time that they had left.")
    expect(text).toContain("// They gave the session to \"u1\". It is nobody's here.")
    expect(text).toContain("yield* talk.approve({ tool: \"pay\", approved: false, reason: \"too dear\" }")
    expect(text).toContain("yield* bot.wake(\"s1\")")
    expect(count(text, "// A turn that was taken back is not played.")).toBe(3)
    expect(count(text, "a turn stored nothing")).toBe(2)
    yield* pasted(text, Desk.make())
    yield* pasted(before, Desk.make())
  }).pipe(Effect.withRandom(Random.fixed([500])), Effect.provide(outside)))

it.effect("the generated test of a session rewound to turn 0 begins after the rewind", () =>
  Effect.gen(function*() {
    const agent = yield* Desk.make({ keep: 20 })
    yield* agent.respond(say({ wants: "booking", states: { city: "Lisbon" } }))
    yield* agent.respond(say({ states: { guests: 7 } }))
    yield* agent.rewind("s1", 0)
    yield* agent.respond(say({ wants: "booking", states: { city: "Faro" } }))
    const text = yield* Replay.toTest(yield* TurnLog.TurnLog, "s1", agent)
    expect(text).toContain("// 2 turns that were taken back are not played.")
    expect(text).not.toContain("Lisbon")
    expect(text).not.toContain("The log begins later")
    yield* pasted(text, Desk.make())
  }).pipe(Effect.withRandom(Random.fixed([500])), Effect.provide(outside)))

const kit = Agent.define({ data: Schema.Struct({ receipt: Schema.String }) })

/** A flow whose call only a manager may decide. */
const refunds = kit.make({
  name: "Refunds",
  flows: [{
    title: "Refund",
    steps: [
      {
        id: "call",
        call: kit.tool({
          id: "refund",
          parameters: {},
          needsApproval: { by: "manager" },
          handler: (_, { approval }) => `R1 by ${approval?.by}`
        }).with({}),
        bind: "receipt",
        then: { failed: "no", denied: "no" }
      },
      { id: "done", reply: ({ data }) => `It is ${data.receipt}.`, ends: true },
      { id: "no", reply: "My manager said no.", ends: "abort" }
    ]
  }]
})

for (const approved of [true, false]) {
  it.effect(`a generated test ${approved ? "approves" : "declines"} a call as the person who decided it`, () =>
    Effect.gen(function*() {
      const agent = yield* refunds
      const { approvals } = yield* agent.respond(say({}))
      const principal = { userId: "max", roles: ["clerk", "manager"] }
      yield* agent.approve("s1", approvals[0]!.id, { approved }, { principal })
      const text = yield* Replay.toTest(yield* TurnLog.TurnLog, "s1", agent)
      expect(text).toContain(
        `talk.approve({ tool: "refund", approved: ${approved}, principal: { userId: "max", roles: ["clerk", "manager"] } }`
      )
      expect(text).toContain(approved ? "It is R1 by max." : "My manager said no.")
      yield* pasted(text, refunds)
    }).pipe(Effect.provide(outside)))
}
