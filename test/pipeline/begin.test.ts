/** A conversation in which the agent speaks first. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Replay, TurnLog } from "coxswain"
import * as Check from "coxswain/check"
import * as Graph from "coxswain/graph"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Effect, Fiber, Stream } from "effect"
import { toTest } from "../../src/pipeline/recording/Replay.js"
import { runtimeOf } from "../../src/pipeline/state/agentInternals.js"
import * as CountingStore from "../support/CountingStore.js"
import * as Stage from "../support/Stage.js"

const { at, kit } = Stage

const welcome = kit.flow({
  title: "Welcome",
  when: "says hello",
  hooks: { onEnter: () => ({ dataUpdate: { note: "entered" } }) },
  optionalFields: ["note"],
  steps: [{ id: "greet", prompt: "Greet the guest and ask for the city", collect: ["city"] }]
})
const booking = kit.flow({ title: "Booking", when: "wants a room", steps: [{ id: "ask", prompt: "Ask" }] })
const options = { name: "Hotel", flows: [booking, welcome], initialFlow: "Welcome" } as const

const make = (given: object = options) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({ understand: () => ({ flowScores: { booking: 90 } }) })
    const agent = yield* kit.make(given as typeof options).pipe(Effect.provide(stage.layer))
    return { agent, stage }
  })

describe("`agent.begin`", () => {
  it.effect("enters the initial flow, speaks its first step and commits once, without an understanding call", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* make()
      const response = yield* agent.begin("s1", { metadata: { page: "/" } })
      expect(at(response)).toBe("welcome/greet")
      expect(response).toMatchObject({
        message: "Greet the guest and ask for the city Ask for: city",
        isFlowComplete: false
      })
      expect(response.session).toMatchObject({
        version: 1,
        messageCount: 1,
        metadata: { page: "/" },
        data: { note: "entered" }
      })
      expect(stage.questions).toEqual([])
      expect(stage.prompts).toHaveLength(1)
      const history = yield* agent.session("s1").history
      expect(history.map(({ role }) => role)).toEqual(["assistant"])
    }))

  it.effect("sends a prompt that says that the user has said nothing, and that ends with a user message", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* make()
      yield* agent.begin("s1")
      expect(Stage.instructions(stage.prompts[0]!)).toContain("has said nothing yet")
      expect(stage.prompts[0]?.prompt.content.at(-1)?.role).toBe("user")
      yield* agent.respond({ sessionId: "s1", message: "A room" })
      expect(Stage.instructions(stage.prompts[1]!)).not.toContain("has said nothing yet")
    }))

  it.effect("returns the stored greeting when called again, without a model call or a write", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* make()
      const first = yield* agent.begin("s1")
      expect(yield* agent.begin("s1")).toEqual(first)
      yield* agent.respond({ sessionId: "s1", message: "A room" })
      expect(yield* agent.begin("s1")).toEqual(first)
      expect(stage.prompts).toHaveLength(2)
      expect((yield* agent.session("s1").snapshot).version).toBe(2)
    }))

  it.effect("is refused in a session begun by a message, and when repeated with another flow or `messageId`", () =>
    Effect.gen(function*() {
      const { agent } = yield* make()
      yield* agent.respond({ sessionId: "s1", message: "A room" })
      expect(yield* Effect.flip(agent.begin("s1"))).toMatchObject({ _tag: "InvalidRequest", what: "begin" })
      yield* agent.begin("s2")
      expect(yield* Effect.flip(agent.begin("s2", { flow: "booking" }))).toMatchObject({ what: "messageId" })
      expect(yield* Effect.flip(agent.begin("s2", { messageId: "other" }))).toMatchObject({ what: "begin" })
    }))

  it.effect("enters the given flow, and refuses unknown flows and invalid arguments", () =>
    Effect.gen(function*() {
      const { agent } = yield* make()
      expect(at(yield* agent.begin("s1", { flow: "Booking" }))).toBe("nowhere")
      const error = yield* Effect.flip(agent.begin("s2", { flow: "Nope" }))
      expect(error.message).toBe(
        "[InvalidRequest] flow \"Nope\": the agent has no such flow; its flows are \"booking\", \"welcome\". Correct the name, or leave it out."
      )
      expect(yield* Effect.flip(agent.begin("", {}))).toMatchObject({ what: "sessionId" })
      expect(yield* Effect.flip(agent.begin("s3", { nope: 1 } as {}))).toMatchObject({ _tag: "InvalidRequest" })
    }))

  it.effect("applies an earlier `dispatch`; without `dispatch` and initial flow, the idle prompt is spoken", () =>
    Effect.gen(function*() {
      const { agent } = yield* make({ name: "Hotel", flows: [booking, welcome] })
      yield* agent.dispatch("s1", "welcome")
      expect(at(yield* agent.begin("s1"))).toBe("welcome/greet")
      const idle = yield* agent.begin("s2")
      expect(idle).toMatchObject({ stoppedReason: "idle" })
      expect(idle.message).not.toBe("")
    }))

  it.effect("makes the principal's user the owner of the session", () =>
    Effect.gen(function*() {
      const { agent } = yield* make()
      yield* agent.begin("s1", { principal: { userId: "ann" } })
      expect((yield* agent.session("s1").snapshot).userId).toBe("ann")
      const other = agent.respond({ sessionId: "s1", message: "hi", principal: { userId: "bob" } })
      expect(yield* Effect.flip(other)).toMatchObject({ _tag: "InvalidRequest", what: "userId" })
    }))

  it.effect("two concurrent calls make one model call and return the same response", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* make()
      const both = yield* Effect.fork(Effect.all([agent.begin("s1"), agent.begin("s1")], { concurrency: 2 }))
      const [a, b] = yield* Fiber.join(both)
      expect(a).toEqual(b)
      expect(stage.prompts).toHaveLength(1)
    }))

  it.effect("returns the same reply as an event stream, as a response and with Promises", () =>
    Effect.gen(function*() {
      const { agent } = yield* make()
      const turn = yield* agent.session("s1").begin()
      const events = Array.from(yield* Stream.runCollect(turn.events))
      const response = yield* turn.response
      expect(events.at(-1)).toEqual({ _tag: "TurnCompleted", response })
      expect(events.flatMap((event) => event._tag === "TextDelta" ? [event.text] : []).join("")).toBe(response.message)
      const promised = Agent.toPromise(agent)
      expect(yield* Effect.promise(() => promised.begin("s1"))).toEqual(response)
      const other = yield* Effect.promise(() => promised.session("s2").begin())
      expect((yield* Effect.promise(() => other.response())).message).toBe(response.message)
    }))

  it.live("is logged in the turn log, and repeated by a replay and a generated test", () =>
    Effect.gen(function*() {
      const { agent } = yield* make()
      yield* agent.begin("s1", { flow: "welcome" })
      yield* agent.respond({ sessionId: "s1", message: "A room" })
      const log = yield* TurnLog.TurnLog
      expect(Replay.render(yield* Replay.run(log, agent))).toBe("Hotel: 2 of 2 turns as they were, in 1 session.")
      expect(yield* toTest(log, "s1", agent)).toContain("yield* talk.begin({ flow: \"welcome\" }")
      expect(runtimeOf(agent)?.definition.initialFlow).toBe("welcome")
    }).pipe(Effect.provide(TurnLog.layerMemory)))

  it.effect("can be called on a `Conversation` of the test helpers", () =>
    Effect.gen(function*() {
      const { layer } = yield* CountingStore.make
      const agent = yield* kit.make(options).pipe(Effect.provide(layer))
      const talk = yield* Conversation.make(agent, { definition: options })
      yield* talk.begin({}, ScriptedModel.say("Welcome! Which city?"))
      yield* talk.expectStep("welcome", "greet")
      yield* talk.expectReply("Welcome! Which city?")
    }).pipe(Effect.provide(ScriptedModel.layer())))

  it.effect("`make` refuses an unknown `initialFlow`; the checker and the graph use a valid one", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(make({ name: "Hotel", flows: [booking], initialFlow: "Nope" }))
      expect(error.message).toBe(
        "[FlowConfigurationError] unknown flow \"Nope\": the flows are \"booking\". Name one of them by id or title."
      )
      const quiet = { name: "Hotel", flows: [booking, { title: "Welcome", steps: [{ prompt: "Greet" }] }] }
      const found = (given: object) => Check.render(Check.check(kit, given as never))
      expect(found(quiet)).toContain("does not say when it is meant")
      expect(found({ ...quiet, initialFlow: "welcome" })).not.toContain("does not say when it is meant")
      expect(Graph.make(options).flows.map(({ begins }) => begins)).toEqual([undefined, true])
    }))
})
