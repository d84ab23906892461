/** Stored sessions: pending approvals, export and erasure by user, retention. */
import { expect, it } from "@effect/vitest"
import { Scheduler, SessionStore } from "coxswain"
import { Effect, Either, Fiber, Layer, Option, TestClock } from "effect"
import * as Desk from "../support/Desk.js"

const opened = (gate: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function*() {
    const context = yield* Layer.build(Desk.layer(gate))
    const agent = yield* Effect.provide(Desk.Desk, context)
    const say = (userId: string, sessionId: string, message: string) =>
      agent.respond({ sessionId, message, principal: { userId } })
    return { agent, say, context }
  })

it.scoped("`agent.approvals` lists the tool calls that wait for approval, of all users or of one, page by page", () =>
  Effect.gen(function*() {
    const { agent, say } = yield* opened()
    yield* say("ann", "s1", "pay 1")
    yield* say("bob", "s2", "pay 2")
    yield* say("ann", "s3", "Hi")
    const ids = (page: { readonly items: ReadonlyArray<{ readonly id: string }> }) =>
      page.items.map(({ id }) => id).sort()
    expect(ids(yield* agent.approvals())).toEqual(["s1", "s2"])
    expect(ids(yield* agent.approvals({ userId: "ann" }))).toEqual(["s1"])
    const first = yield* agent.approvals({ limit: 1 })
    const second = yield* agent.approvals({ limit: 1, cursor: first.next! })
    expect([...ids(first), ...ids(second)].sort()).toEqual(["s1", "s2"])
    expect(second.next).toBeUndefined()
    // What waits in a copy is a trial, so that whoever decides must know it.
    yield* agent.fork("s1", { as: "what-if" })
    const { items } = yield* agent.approvals({ userId: "ann" })
    expect(items.map(({ forkedFrom, id }) => [id, forkedFrom]).sort()).toEqual([["s1", undefined], ["what-if", "s1"]])
  }))

it.scoped("only a principal with the required role can approve a call; a role in `by` is not accepted", () =>
  Effect.gen(function*() {
    const { agent, say } = yield* opened()
    const [request] = (yield* say("ann", "s1", "refund 5")).approvals
    expect(request).toMatchObject({ toolId: "refund", role: "manager" })
    // Only a principal who may decide sees the arguments.
    const seen = (roles?: ReadonlyArray<string>) =>
      Effect.map(
        agent.approvals(roles === undefined ? {} : { principal: { userId: "max", roles } }),
        ({ items }) => items[0]!.waiting
      )
    for (const roles of [undefined, [], ["operator"]]) {
      const [waits] = yield* seen(roles)
      expect(waits).toMatchObject({ toolId: "refund", role: "manager" })
      expect(waits).not.toHaveProperty("args")
    }
    expect(yield* seen(["manager"])).toMatchObject([{ id: request!.id, args: request!.args }])
    const decide = (options: object, by?: object) =>
      Effect.either(agent.approve("s1", request!.id, { approved: true, ...(by as { by: string }) }, options))
    for (
      const refused of [
        yield* decide({}),
        yield* decide({ principal: { userId: "ann" } }),
        yield* decide({ principal: { userId: "ann", roles: ["operator"] } }),
        yield* decide({}, { by: { id: "ann", roles: ["manager"] } })
      ]
    ) {
      expect(Either.isLeft(refused) && String(refused.left)).toContain("must have the role \"manager\"")
      expect(Either.isLeft(refused) && String(refused.left)).toContain("Let somebody who has it decide")
    }
    const decided = yield* decide({ principal: { userId: "max", roles: ["manager"] } })
    expect(Either.isRight(decided) && decided.right.toolCalls[0]).toMatchObject({ toolId: "refund", outcome: "ok" })
  }))

it.scoped("`agent.export` and `agent.erase` cover all sessions of a user, and no other session", () =>
  Effect.gen(function*() {
    const { agent, say } = yield* opened()
    yield* Effect.forEach(["s1", "s2"], (id) => say("ann", id, `To Lisbon, from ${id}`))
    yield* say("bob", "s3", "Hi")
    const exported = yield* agent.export("ann")
    expect(exported.sessions.map(({ session }) => session.id).sort()).toEqual(["s1", "s2"])
    for (const { messages, session } of exported.sessions) {
      expect(session.data).toEqual({ city: "Lisbon" })
      expect(JSON.stringify(messages)).toContain(`To Lisbon, from ${String(session.id)}`)
    }
    const erased = yield* agent.erase("ann")
    expect(erased).toMatchObject({ userId: "ann", erasedAt: "1970-01-01T00:00:00.000Z" })
    expect([...erased.sessions].sort((a, b) => a.id < b.id ? -1 : 1)).toEqual([
      { id: "s1", messageCount: 2 },
      { id: "s2", messageCount: 2 }
    ])
    expect((yield* agent.export("ann")).sessions).toEqual([])
    expect(yield* agent.erase("ann")).toMatchObject({ sessions: [] })
    expect((yield* agent.export("bob")).sessions).toHaveLength(1)
    expect(yield* Effect.flip(agent.erase(""))).toMatchObject({ _tag: "InvalidRequest" })
    expect(yield* Effect.flip(agent.export(undefined!))).toMatchObject({ _tag: "InvalidRequest" })
  }))

it.scoped("`agent.erase` waits for a running turn of the user, and erases this turn too", () =>
  Effect.gen(function*() {
    const gate = yield* Effect.makeLatch()
    const { agent, say } = yield* opened(gate.await)
    yield* say("ann", "s1", "Hi")
    const turn = yield* Effect.fork(say("ann", "s1", "wait: for it"))
    yield* Effect.repeatN(Effect.yieldNow(), 50)
    const erasing = yield* Effect.fork(agent.erase("ann"))
    yield* Effect.repeatN(Effect.yieldNow(), 50)
    expect(Option.isNone(yield* Fiber.poll(erasing))).toBe(true)
    yield* gate.open
    yield* Fiber.join(turn)
    yield* Fiber.join(erasing)
    expect((yield* agent.export("ann")).sessions).toEqual([])
  }))

it.scoped("the scheduler removes sessions that are older than the `retention` of the agent", () =>
  Effect.gen(function*() {
    const context = yield* Layer.build(Layer.merge(Desk.services(), SessionStore.layerMemory))
    const agent = yield* Effect.provide(Desk.kit.make({ name: "Short", retention: "30 hours" }), context)
    yield* Effect.provide(Layer.build(Scheduler.layer([agent], { maxInterval: "1 hour" })), context)
    yield* agent.respond({ sessionId: "old", message: "Hi", principal: { userId: "ann" } })
    yield* TestClock.adjust("20 hours")
    yield* agent.respond({ sessionId: "new", message: "Hi", principal: { userId: "ann" } })
    yield* TestClock.adjust("11 hours")
    const { sessions } = yield* agent.export("ann")
    expect(sessions.map(({ session }) => session.id)).toEqual(["new"])
    expect(yield* agent.purge).toBe(0)
    const wrong = yield* Effect.flip(Effect.provide(Desk.kit.make({ name: "Wrong", retention: 0 }), context))
    expect(String(wrong)).toContain("not a positive duration")
  }))
