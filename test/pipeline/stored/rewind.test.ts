/** Rewinding a session to the end of an earlier turn, and forking it. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Deferred, Duration, Effect, FastCheck as fc, Fiber, Option, Stream, TestClock } from "effect"
import * as Brief from "../../../src/domain/brief/Brief.js"
import * as Transcript from "../../../src/domain/session/Transcript.js"
import { toolCall } from "../../support/Script.js"
import * as Stage from "../../support/Stage.js"
import { trip, understand } from "../../support/TripFlow.js"

const { kit } = Stage

const scene = (more: object = {}) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({ understand })
    const agent =
      yield* (kit.make({ name: "Bot", flows: [trip], snapshots: { keep: 20 }, ...more } as never) as Effect.Effect<
        Agent.Agent<typeof Stage.Data.Type, {}>
      >).pipe(Effect.provide(stage.layer))
    const say = Stage.talk(agent)
    return { stage, agent, say, all: (texts: ReadonlyArray<string>) => Effect.forEach(texts, (text) => say(text)) }
  })

const read = (agent: Agent.Agent<typeof Stage.Data.Type, {}>, id = "s1") =>
  Effect.map(agent.session(id).history, (messages) => messages.map(Transcript.textOf))

/** The session without versions, counters and times. */
const conversation = (session: object) => {
  const { createdAt: _c, hidden: _h, messageCount: _m, turns: _t, updatedAt: _u, usage: _s, version: _v, ...rest } =
    session as Record<string, unknown>
  return JSON.parse(JSON.stringify(rest).replaceAll(/"enteredAt":"[^"]*"/g, "\"enteredAt\":0")) as unknown
}

describe("agent.rewind (undoes the last turns)", () => {
  it.effect("restores the session and hides later messages without deleting them", () =>
    Effect.gen(function*() {
      const { agent, all, stage } = yield* scene()
      const [, second] = yield* all(["Hello", "Lisbon", "Ada"])
      expect((yield* agent.session("s1").snapshot).turns?.map(({ said, turn }) => [turn, said])).toEqual([
        [1, "Hello"],
        [2, "Lisbon"],
        [3, "Ada"]
      ])
      const session = yield* agent.rewind("s1", { toTurn: 2 })
      expect(session).toMatchObject({ version: 4, messageCount: 6, data: { city: "Lisbon" } })
      expect(session.data).not.toHaveProperty("name")
      expect(session.hidden).toEqual([{ after: 4, upTo: 6, afterVersion: 2, upToVersion: 3 }])
      expect(conversation(session)).toEqual(conversation(second!.session))
      expect(yield* agent.session("s1").snapshot).toEqual(session)
      expect(yield* read(agent)).toHaveLength(4)
      const { items } = yield* stage.store.service.messages("s1", { limit: 100 })
      expect(items).toHaveLength(6)
    }))

  it.effect("accepts a bare turn number, and the next turn gets the number of the removed turn", () =>
    Effect.gen(function*() {
      const { agent, all, say, stage } = yield* scene()
      yield* all(["Hello", "Lisbon", "Ada"])
      yield* agent.rewind("s1", 2)
      const { session } = yield* say("Bo")
      expect(session.data).toEqual({ city: "Lisbon", name: "Bo" })
      expect(session.turns?.map(({ said, turn }) => [turn, said])).toEqual([[1, "Hello"], [2, "Lisbon"], [3, "Bo"]])
      const { history } = Brief.speakingOf(stage.prompts.at(-1)!.prompt)!
      expect(history.map(Transcript.textOf).join()).not.toContain("Ada")
    }))

  it.effect("`rewind` to turn 0 restores the state before the first turn, and the conversation can begin again", () =>
    Effect.gen(function*() {
      const { agent, all } = yield* scene()
      yield* agent.begin("s1")
      yield* all(["Lisbon"])
      const session = yield* agent.rewind("s1", 0)
      expect(session).toMatchObject({ data: {}, flowHistory: [] })
      expect(session).not.toHaveProperty("currentFlow")
      expect(yield* read(agent)).toEqual([])
      expect((yield* agent.begin("s1")).session.turns).toHaveLength(1)
    }))

  it.effect("with a small `historyLimit`, the prompt includes messages from before the hidden ones", () =>
    Effect.gen(function*() {
      const { agent, all, say, stage } = yield* scene({ historyLimit: 4 })
      yield* all(["one", "two", "three", "four", "five", "six"])
      yield* agent.rewind("s1", 3)
      yield* say("other")
      const { history } = Brief.speakingOf(stage.prompts.at(-1)!.prompt)!
      const users = history.filter(({ role }) => role === "user").map(Transcript.textOf)
      expect(users.join()).toContain("two")
      expect(users.join()).toContain("three")
      expect(users.join()).not.toMatch(/four|five|six/)
    }))

  it.effect("does not change usage and owner, and gives a pending approval a new id", () =>
    Effect.gen(function*() {
      const pay = kit.tool({ id: "pay", parameters: {}, needsApproval: true, handler: () => "paid" } as never)
      const stage = yield* Stage.make({
        speak: ({ prompt }) =>
          JSON.stringify(prompt).includes("please pay") && !JSON.stringify(prompt).includes("tool-result")
            ? [toolCall("pay", {}, "c1")]
            : "ok"
      })
      const agent = yield* kit.make({ name: "Bot", tools: [pay], flows: [trip], snapshots: { keep: 5 } } as never)
        .pipe(Effect.provide(stage.layer))
      const waits = yield* agent.respond({ sessionId: "s1", message: "please pay", metadata: { userId: "u1" } })
      expect(waits.stoppedReason).toBe("needs_approval")
      const request = waits.approvals[0]!.id
      yield* agent.respond({ sessionId: "s1", message: "never mind" })
      const before = yield* agent.session("s1").snapshot
      const session = yield* agent.rewind("s1", 1)
      expect(session.userId).toBe("u1")
      expect(session.usage).toEqual(before.usage)
      expect(session.askedCalls).toEqual(before.askedCalls)
      const [asked] = session.pendingApproval!.requests
      expect(asked!.id).not.toBe(request)
      const stale = yield* Effect.flip(agent.approve("s1", request, { approved: true }))
      expect(stale).toMatchObject({ _tag: "InvalidRequest" })
      const paid = yield* agent.approve("s1", asked!.id, { approved: true })
      expect(paid.toolCalls[0]).toMatchObject({ toolId: "pay", outcome: "ok" })
      // The continued turn replaces the one that stopped.
      expect(paid.session.turns?.map(({ turn }) => turn)).toEqual([1])
    }))

  it.effect("refuses a message with the `messageId` of a removed turn", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* scene()
      yield* say("Hello")
      const request = { sessionId: "s1", message: "Lisbon", messageId: "m2" }
      yield* agent.respond(request)
      yield* agent.rewind("s1", 1)
      const refused = yield* Effect.flip(agent.respond(request))
      expect(refused).toMatchObject({ _tag: "InvalidRequest", what: "messageId" })
      expect((yield* agent.respond({ ...request, messageId: "m3" })).session.data).toEqual({ city: "Lisbon" })
      expect((yield* agent.respond({ ...request, messageId: "m3" })).session.version).toBe(4)
    }))

  it.effect("sends SessionRewound to the subscribers of the session", () =>
    Effect.gen(function*() {
      const { agent, all } = yield* scene()
      yield* all(["Hello", "Lisbon"])
      const told = yield* Effect.fork(Stream.runHead(agent.session("s1").feed))
      yield* Effect.yieldNow()
      yield* Effect.repeatN(Effect.yieldNow(), 20)
      yield* agent.session("s1").rewind(1)
      expect(Option.getOrThrow(yield* Fiber.join(told))).toEqual({ _tag: "SessionRewound", turn: 1, version: 3 })
    }))

  it.effect("waits for a running turn, and removes that turn too", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const stage = yield* Stage.make({
        understand,
        speak: ({ prompt }) => JSON.stringify(prompt).includes("slow") ? Effect.as(Deferred.await(go), "late") : "ok"
      })
      const agent = yield* kit.make({ name: "Bot", flows: [trip], snapshots: { keep: 5 } }).pipe(
        Effect.provide(stage.layer)
      )
      yield* agent.respond({ sessionId: "s1", message: "Hello" })
      const turn = yield* Effect.fork(agent.respond({ sessionId: "s1", message: "slow" }))
      yield* Effect.repeatN(Effect.yieldNow(), 50)
      const rewound = yield* Effect.fork(agent.rewind("s1", 1))
      yield* Effect.repeatN(Effect.yieldNow(), 50)
      expect(Option.isNone(yield* Fiber.poll(rewound))).toBe(true)
      yield* Deferred.succeed(go, undefined)
      expect((yield* Fiber.join(turn)).session.version).toBe(2)
      expect((yield* Fiber.join(rewound)).version).toBe(3)
      expect(yield* read(agent)).toHaveLength(2)
    }))

  it.effect("restarts a step's timer with the time left at the restored turn, and removes later timers", () =>
    Effect.gen(function*() {
      const waiting = kit.flow({
        title: "Trip",
        steps: [
          { id: "city", prompt: "city", collect: ["city"], after: { "10 minutes": { reply: "Still there?" } } },
          { id: "name", prompt: "name", collect: ["name"], after: { "1 hour": { reply: "Hello?" } } }
        ]
      } as never)
      const { agent, all } = yield* scene({ flows: [waiting] })
      yield* all(["Hello"])
      yield* TestClock.adjust("4 minutes")
      yield* all(["Lisbon"])
      yield* TestClock.adjust("1 day")
      const session = yield* agent.rewind("s1", 1)
      expect(session.timers?.map(({ at, owner }) => [owner?.stepId, at.epochMillis])).toEqual([
        ["city", Duration.toMillis("1 day") + Duration.toMillis("14 minutes")]
      ])
    }))

  it.effect("fails with the reason if the turn is unavailable, and leaves the session unchanged", () =>
    Effect.gen(function*() {
      const { agent, all, stage } = yield* scene({ snapshots: { keep: 2 } })
      yield* all(["one", "two", "three"])
      const before = yield* stage.store.snapshot
      const reasons = yield* Effect.forEach([1, 4], (turn) => Effect.flip(agent.rewind("s1", turn)))
      expect(reasons).toMatchObject([
        { _tag: "TurnUnavailable", reason: "not_kept", turn: 1 },
        { _tag: "TurnUnavailable", reason: "no_such_turn", turn: 4 }
      ])
      for (const wrong of [-1, 1.5, Number.NaN, "1", { toTurn: 1, to: 2 }, {}, null]) {
        expect(yield* Effect.flip(agent.rewind("s1", wrong as never))).toMatchObject({ _tag: "InvalidRequest" })
      }
      expect(yield* Effect.flip(agent.rewind("nobody", 1))).toMatchObject({ _tag: "InvalidRequest" })
      expect(yield* stage.store.snapshot).toEqual(before)
      const plain = yield* scene({ snapshots: undefined })
      yield* plain.all(["one"])
      expect(yield* Effect.flip(plain.agent.rewind("s1", 1))).toMatchObject({ reason: "snapshots_off" })
    }))

  it.effect("is refused while a person has taken over; in a fork of such a session the agent has control", () =>
    Effect.gen(function*() {
      const { agent, all } = yield* scene()
      yield* all(["Hello", "Lisbon"])
      yield* agent.takeOver("s1", { by: "olga" })
      expect(yield* Effect.flip(agent.rewind("s1", 1))).toMatchObject({ _tag: "InvalidRequest" })
      expect(yield* agent.fork("s1")).not.toHaveProperty("handOver")
      yield* agent.release("s1")
      expect(yield* agent.rewind("s1", 1)).not.toHaveProperty("handOver")
    }))

  it.effect("refuses another user's session", () =>
    Effect.gen(function*() {
      const { agent } = yield* scene()
      yield* agent.respond({ sessionId: "s1", message: "Hello", principal: { userId: "ada" } })
      const other = { principal: { userId: "bo" } }
      expect(yield* Effect.flip(agent.rewind("s1", { toTurn: 0, ...other }))).toMatchObject({
        what: "principal.userId"
      })
      expect(yield* Effect.flip(agent.fork("s1", other))).toMatchObject({ what: "principal.userId" })
      expect((yield* agent.rewind("s1", { toTurn: 0, principal: { userId: "ada" } })).userId).toBe("ada")
    }))

  const words = fc.array(fc.constantFrom("Hello", "Lisbon", "Porto", "Ada", "Bo", "hm"), { minLength: 1, maxLength: 4 })

  it.effect.prop(
    "makes the session equal to one in which the removed turns never happened",
    [words, words, words],
    ([before, taken, after]) =>
      Effect.gen(function*() {
        const back = yield* scene()
        yield* back.all(before)
        yield* back.all(taken)
        yield* back.agent.rewind("s1", before.length)
        yield* back.all(after)
        const plain = yield* scene()
        yield* plain.all([...before, ...after])
        expect(conversation(yield* back.agent.session("s1").snapshot)).toEqual(
          conversation(yield* plain.agent.session("s1").snapshot)
        )
        expect(yield* read(back.agent)).toEqual(yield* read(plain.agent))
      }),
    { fastCheck: { numRuns: 8 } }
  )
})

describe("agent.fork (copies a session)", () => {
  it.effect("copies the session at a turn; both sessions then continue independently", () =>
    Effect.gen(function*() {
      const { agent, all, say } = yield* scene()
      yield* all(["Hello", "Lisbon", "hm"])
      yield* agent.rewind("s1", 2)
      yield* say("Ada")
      const copy = yield* agent.fork("s1", { toTurn: 2, as: "s2" })
      expect(copy).toMatchObject({ id: "s2", version: 1, messageCount: 4, data: { city: "Lisbon" } })
      expect(copy.forkedFrom).toEqual({ sessionId: "s1", turn: 2 })
      expect(copy).not.toHaveProperty("hidden")
      const other = yield* Stage.talk(agent, "s2")("Bo")
      expect(other.session).toMatchObject({ data: { city: "Lisbon", name: "Bo" } })
      expect(other.session.turns?.map(({ turn }) => turn)).toEqual([2, 3])
      expect((yield* agent.session("s1").snapshot).data).toEqual({ city: "Lisbon", name: "Ada" })
      expect(yield* read(agent, "s2")).toHaveLength(6)
      expect((yield* agent.rewind("s2", 2)).data).toEqual({ city: "Lisbon" })
    }))

  it.effect("without a turn number copies the current session, also if snapshots are off", () =>
    Effect.gen(function*() {
      const { agent, all } = yield* scene({ snapshots: undefined })
      yield* all(["Hello", "Lisbon"])
      const copy = yield* agent.session("s1").fork()
      expect(copy.id).not.toBe("s1")
      expect(copy).toMatchObject({ data: { city: "Lisbon" }, messageCount: 4, forkedFrom: { sessionId: "s1" } })
      expect(yield* read(agent, copy.id)).toEqual(yield* read(agent))
    }))

  it.effect("refuses a session id that exists already or is empty", () =>
    Effect.gen(function*() {
      const { agent, all, stage } = yield* scene()
      yield* all(["Hello"])
      const before = yield* stage.store.snapshot
      expect(yield* Effect.flip(agent.fork("s1", { as: "s1" }))).toMatchObject({ _tag: "InvalidRequest", what: "as" })
      expect(yield* Effect.flip(agent.fork("s1", { as: "" }))).toMatchObject({ _tag: "InvalidRequest" })
      expect(yield* stage.store.snapshot).toEqual(before)
    }))

  it.effect("exists, like `rewind`, on the agent with Promise methods", () =>
    Effect.gen(function*() {
      const { agent, all } = yield* scene()
      yield* all(["Hello", "Lisbon"])
      const promised = Agent.toPromise(agent)
      const [copy, back] = yield* Effect.promise(async () => [
        await promised.fork("s1", { toTurn: 1 }),
        await promised.session("s1").rewind({ toTurn: 1 })
      ])
      expect(copy!.data).toEqual(back!.data)
    }))
})

it.effect("`rewind` fails when the store no longer has the turn's response", () =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({ understand })
    const forgetful: SessionStore.Service = { ...stage.store.service, response: () => Effect.succeedNone }
    const agent = yield* kit.make({ name: "Bot", flows: [trip], snapshots: { keep: 5 } }).pipe(
      Effect.provideService(SessionStore.SessionStore, forgetful),
      Effect.provide(stage.layer)
    )
    yield* agent.respond({ sessionId: "s1", message: "Hello" })
    expect(yield* Effect.flip(agent.rewind("s1", 1))).toMatchObject({ reason: "not_kept" })
  }))

it.effect("an agent with snapshots switched off does not delete existing snapshots", () =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({ understand })
    const agent = (more: object) =>
      Effect.provide(kit.make({ name: "Bot", flows: [trip], ...more } as never), stage.layer) as Effect.Effect<
        Agent.Agent<typeof Stage.Data.Type, {}>
      >
    const before = yield* agent({ snapshots: { keep: 5 } })
    yield* before.respond({ sessionId: "s1", message: "Hello" })
    const after = yield* agent({})
    const { session } = yield* after.respond({ sessionId: "s1", message: "Lisbon" })
    expect(session.turns?.map(({ turn }) => turn)).toEqual([1])
    expect((yield* after.rewind("s1", 1)).data).toEqual({})
  }))
