/** Phase 1: invalid requests, repeated messages, and the state at the start of a turn. */
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import { booking } from "../../support/Hotel.js"
import * as Stage from "../../support/Stage.js"

const { at, kit, talk } = Stage

const caller = Agent.define({
  data: Stage.Data,
  context: Schema.Struct({
    tier: Schema.Literal("vip", "std"),
    locale: Schema.optionalWith(Schema.String, { exact: true })
  })
})

describe("validation of a request", () => {
  const refused = (request: object) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* caller.make({ name: "Bot", flows: [{ title: "F", steps: [{ prompt: "hi" }] }] }).pipe(
        Effect.provide(stage.layer)
      )
      const error = yield* Effect.flip(
        agent.respond({ sessionId: "s1", message: "hi", context: { tier: "vip" }, ...request })
      )
      expect(error._tag).toBe("InvalidRequest")
      expect(error.message).toMatch(/^\[InvalidRequest\] .+: .+\. .+\.$/)
      expect(stage.store.writes).toEqual([])
      expect(stage.prompts).toHaveLength(0)
      return { message: error.message, calls: stage.store.calls }
    })

  it.effect("refuses an empty message, and a message of only white space", () =>
    Effect.gen(function*() {
      expect((yield* refused({ message: "" })).calls).toEqual([])
      expect((yield* refused({ message: " \n\t" })).message).toContain("empty")
    }))

  it.effect("refuses a session id of 300 characters before the store is called", () =>
    Effect.gen(function*() {
      const { calls, message } = yield* refused({ sessionId: "x".repeat(300) })
      expect(calls).toEqual([])
      expect(message).toContain("300")
      expect((yield* refused({ sessionId: "" })).calls).toEqual([])
    }))

  it.effect("accepts a session id of 200 characters", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot" }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent, "x".repeat(200))("hi")).session.id).toHaveLength(200)
    }))

  it.effect("refuses a `messageId` that is empty or too long", () =>
    Effect.gen(function*() {
      expect((yield* refused({ messageId: "" })).calls).toEqual([])
      expect((yield* refused({ messageId: "x".repeat(201) })).calls).toEqual([])
    }))

  it.effect("refuses a context with a wrong value, a missing key or an unknown key", () =>
    Effect.gen(function*() {
      expect((yield* refused({ context: { tier: "gold" } })).message).toContain("tier")
      expect((yield* refused({ context: {} })).message).toContain("tier")
      expect((yield* refused({ context: { tier: "vip", admin: true } })).message).toContain("admin")
    }))
})

describe("a request with a repeated `messageId`", () => {
  it.effect("a repeated request gets the stored response, without a model call and without a write", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: () => ({ fields: { city: "Lisbon" }, flowScores: { booking: 90 } })
      })
      const agent = yield* kit.make({ name: "Bot", flows: [booking] }).pipe(Effect.provide(stage.layer))
      const request = { sessionId: "s1", message: "Lisbon", messageId: "m1" }
      const first = yield* agent.respond(request)
      const before = yield* stage.store.snapshot
      const asked = stage.prompts.length + stage.questions.length
      const second = yield* agent.respond(request)
      expect(second).toEqual(first)
      expect(stage.prompts.length + stage.questions.length).toBe(asked)
      expect(stage.store.count("commit")).toBe(1)
      expect(yield* stage.store.snapshot).toEqual(before)
      // Another text with the same messageId is an error, not a repetition.
      expect(yield* Effect.flip(agent.respond({ ...request, message: "something else entirely" }))).toMatchObject({
        _tag: "InvalidRequest",
        what: "messageId"
      })
      expect(yield* stage.store.snapshot).toEqual(before)
    }))

  it.effect("a request runs a turn if the earlier one was in another session or had another `messageId`", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", flows: [booking] }).pipe(Effect.provide(stage.layer))
      yield* agent.respond({ sessionId: "s1", message: "hi", messageId: "m1" })
      yield* agent.respond({ sessionId: "s2", message: "hi", messageId: "m1" })
      yield* agent.respond({ sessionId: "s1", message: "hi", messageId: "m2" })
      expect(stage.store.count("commit")).toBe(3)
    }))

  it.effect("a repeated request runs the turn again if the first attempt failed", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot" }).pipe(Effect.provide(stage.layer))
      const request = { sessionId: "s1", message: "hi", messageId: "m1" }
      stage.store.breaks("commit")
      yield* Effect.flip(agent.respond(request))
      stage.store.breaks(undefined)
      expect((yield* agent.respond(request)).session.version).toBe(1)
      expect(stage.prompts).toHaveLength(2)
    }))

  it.effect("a repeated request waits for the response of the first one's turn if that turn is still running", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: () => Effect.as(Effect.yieldNow(), "Hello") })
      const agent = yield* kit.make({ name: "Bot" }).pipe(Effect.provide(stage.layer))
      const request = { sessionId: "s1", message: "hi", messageId: "m1" }
      const [a, b] = yield* Effect.all([agent.respond(request), agent.respond(request)], { concurrency: "unbounded" })
      expect(a).toEqual(b)
      expect(stage.store.count("commit")).toBe(1)
      expect(stage.prompts).toHaveLength(1)
    }))
})

describe("the start of a turn", () => {
  it.effect("the context in the request takes precedence over the context of the provider", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* caller.make({
        name: "Bot",
        contextProvider: Effect.succeed({ tier: "std" as const, locale: "en" }),
        flows: [{
          title: "F",
          steps: [{
            id: "a",
            prompt: ({ context }) => `${context.tier} ${context.locale}`,
            until: () => false
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      expect((yield* agent.respond({ sessionId: "s1", message: "1" })).message).toBe("std en")
      expect((yield* agent.respond({ sessionId: "s1", message: "2", context: { tier: "vip" } })).message).toBe("vip en")
      const stored = yield* agent.respond({ sessionId: "s1", message: "3", context: { locale: "pt" } })
      // The context of a request is not stored.
      expect(stored.session.context).toBeUndefined()
    }))

  it.effect("the context in the request applies to its turn only, except for the keys in `persistContext`", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* caller.make({
        name: "Bot",
        persistContext: ["tier"],
        idle: { prompt: ({ context }) => `${context.tier} ${context.locale ?? "unknown"}` }
      }).pipe(Effect.provide(stage.layer))
      const said = (message: string, context?: { readonly tier?: "vip" | "std"; readonly locale?: string }) =>
        Effect.map(agent.respond({ sessionId: "s1", message, ...(context && { context }) }), (one) => one.message)
      expect(yield* said("1", { tier: "vip", locale: "pt" })).toBe("vip pt")
      expect(yield* said("2")).toBe("vip unknown")
      expect((yield* agent.session("s1").snapshot).context).toEqual({ tier: "vip" })
    }))

  it.effect("a session belongs to the user who began it", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", idle: { prompt: ({ principal }) => `for ${principal?.userId}` } })
        .pipe(Effect.provide(stage.layer))
      const principal = { userId: "ann", roles: ["customer"] }
      const first = yield* agent.respond({ sessionId: "s1", message: "1", principal })
      expect(first).toMatchObject({ message: "for ann", session: { userId: "ann" } })
      const before = yield* stage.store.snapshot
      const refused = { _tag: "InvalidRequest", why: "the session belongs to another user" }
      const request = { sessionId: "s1", message: "2" }
      expect(yield* Effect.flip(agent.respond({ ...request, principal: { userId: "eve" } }))).toMatchObject(refused)
      expect(yield* Effect.flip(agent.respond({ ...request, metadata: { userId: "eve" } }))).toMatchObject(refused)
      const both = { ...request, principal, metadata: { userId: "eve" } }
      expect(yield* Effect.flip(agent.respond(both))).toMatchObject(refused)
      expect(yield* stage.store.snapshot).toEqual(before)
      expect((yield* agent.respond({ ...request, principal })).session.version).toBe(2)
    }))

  it.effect("a new session starts with the agent's `initialData`", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", initialData: { city: "Lisbon" } }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent)("hi")).session).toMatchObject({
        version: 1,
        data: { city: "Lisbon" },
        messageCount: 2
      })
    }))

  it.effect("`metadata` is merged, and its `userId` becomes the session's", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot" }).pipe(Effect.provide(stage.layer))
      yield* agent.respond({ sessionId: "s1", message: "hi", metadata: { userId: "u1", a: 1 } })
      const { session } = yield* agent.respond({ sessionId: "s1", message: "hi", metadata: { b: [2] } })
      expect(session).toMatchObject({ userId: "u1", metadata: { userId: "u1", a: 1, b: [2] } })
      expect(stage.store.writes.map(({ userId }) => userId)).toEqual(["u1", "u1"])
    }))

  it.effect("`beforeRespond` runs before understanding, and understanding sees its writes", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        hooks: { beforeRespond: ({ message }) => ({ dataUpdate: { city: message } }) },
        flows: [booking]
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("Lisbon")
      expect(stage.questions[0]?.fields.find(({ name }) => name === "city")?.known).toBe(true)
    }))

  it.effect("`beforeRespond` can reply or move, and routing is then skipped", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({ flowScores: { booking: 95 } }) })
      const make = (directive: { readonly reply: string } | { readonly goTo: string }) =>
        kit.make({
          name: "Bot",
          hooks: { beforeRespond: () => directive },
          flows: [booking, { title: "Closed", when: "never", steps: [{ id: "say", prompt: "we are closed" }] }]
        }).pipe(Effect.provide(stage.layer))
      const replied = yield* Effect.flatMap(make({ reply: "Closed" }), (agent) => talk(agent, "s1")("hi"))
      expect(replied).toMatchObject({ message: "Closed", stoppedReason: "reply" })
      expect(at(replied)).toBe("nowhere")
      const moved = yield* Effect.flatMap(make({ goTo: "closed" }), (agent) => talk(agent, "s2")("hi"))
      expect(moved).toMatchObject({ message: "we are closed", completedFlows: ["closed"] })
      expect(moved.session.flowHistory.map(({ flowId }) => flowId)).toEqual(["closed"])
    }))

  it.effect("a stored position in a flow that is no longer defined is dropped and recorded in the trace", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({ flowScores: { booking: 90 } }) })
      const old = yield* kit.make({ name: "Bot", flows: [booking] }).pipe(Effect.provide(stage.layer))
      expect(at(yield* talk(old)("hi"))).toBe("booking/city")
      const renewed = yield* kit.make({ name: "Bot", flows: [{ ...booking, id: "rooms", title: "Rooms" }] }).pipe(
        Effect.provide(stage.layer)
      )
      const response = yield* talk(renewed)("hi")
      expect(at(response)).toBe("nowhere")
      expect(response.trace).toMatchObject([{ kind: "unknown_flow" }])
    }))
})
