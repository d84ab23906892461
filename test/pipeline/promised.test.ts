/** The agent as Promises, and as a service. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors } from "coxswain"
import { Context, Deferred, Effect, Layer, Schema } from "effect"
import * as Stage from "../support/Stage.js"

const { kit } = Stage

class NoRooms extends Schema.TaggedError<NoRooms>()("NoRooms", { city: Schema.String }) {}

const chat = [{ title: "Chat", steps: [{ id: "a", prompt: "Chat" }] }]

/** An agent with this model, also as Promises. */
const promised = (speak: () => Effect.Effect<string> = () => Effect.succeed("Hello")) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({ speak })
    const agent = yield* kit.make({ name: "Bot", flows: chat }).pipe(Effect.provide(stage.layer))
    return { agent, hotel: Agent.toPromise(agent), stage }
  })

const hanging = Effect.gen(function*() {
  const begun = yield* Deferred.make<void>()
  const rest = yield* promised(() => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))
  return { ...rest, begun: Deferred.await(begun) }
})

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => "it did not reject", (error: unknown) => error)

describe("an agent with Promise methods", () => {
  it.effect("has `respond`, `dispatch` and sessions with `snapshot`, `history` and `clear`", () =>
    Effect.gen(function*() {
      const { hotel } = yield* promised()
      yield* Effect.promise(async () => {
        expect(hotel.name).toBe("Bot")
        expect((await hotel.respond({ sessionId: "s", message: "hi" })).message).toBe("Hello")
        const session = hotel.session("s")
        expect((await session.snapshot()).version).toBe(1)
        expect(await session.history()).toHaveLength(2)
        expect((await hotel.dispatch("s", "Chat")).pendingDirective).toEqual({ goTo: "Chat" })
        await session.clear()
        expect((await session.snapshot()).version).toBe(0)
      })
    }))

  it.effect("`notify` handles an event, and `wake` handles scheduled events that are due", () =>
    Effect.gen(function*() {
      const { stage } = yield* promised()
      const hotel = yield* Agent.define({ data: Stage.Data, events: { knock: Schema.String } }).make({
        name: "Bot",
        on: {
          knock: ({ event }) => ({
            reply: `Who is ${event}?`,
            schedule: { id: "k", in: 0, event: "knock", payload: "it" }
          })
        }
      }).pipe(Effect.provide(stage.layer), Effect.map(Agent.toPromise))
      yield* Effect.promise(async () => {
        expect(await hotel.wake("s")).toBeUndefined()
        const knock = { sessionId: "s", event: "knock", payload: "there" } as const
        expect((await hotel.notify(knock)).message).toBe("Who is there?")
        expect((await hotel.wake("s"))?.message).toBe("Who is it?")
        expect(await rejection(hotel.wake(""))).toBeInstanceOf(Errors.InvalidRequest)
      })
    }))

  it.effect("rejects with typed errors unchanged, including errors of hooks", () =>
    Effect.gen(function*() {
      const { hotel, stage } = yield* promised()
      const full = yield* kit.make({
        name: "Bot",
        hooks: { beforeRespond: () => Effect.fail(new NoRooms({ city: "Oslo" })) },
        flows: chat
      }).pipe(Effect.provide(stage.layer))
      yield* Effect.promise(async () => {
        expect(await rejection(hotel.respond({ sessionId: "", message: "hi" }))).toBeInstanceOf(Errors.InvalidRequest)
        expect(await rejection(hotel.dispatch("s", "Nowhere"))).toBeInstanceOf(Errors.FlowConfigurationError)
        expect(await rejection(hotel.approve("s", "c", { approved: true }))).toBeInstanceOf(Errors.InvalidRequest)
        const error = await rejection(Agent.toPromise(full).respond({ sessionId: "s", message: "hi" }))
        expect(error).toBeInstanceOf(NoRooms)
        const turn = await Agent.toPromise(full).session("s").send("hi")
        expect(await rejection(turn.response())).toBeInstanceOf(NoRooms)
      })
    }))

  it.effect("when an AbortSignal stops a turn, rejects with the signal's reason and stores nothing", () =>
    Effect.gen(function*() {
      const { begun, hotel, stage } = yield* hanging
      const controller = new AbortController()
      const turn = hotel.respond({ sessionId: "s", message: "hi" }, { signal: controller.signal })
      const told = rejection(turn)
      yield* begun
      const reason = new Error("the guest left")
      controller.abort(reason)
      expect(yield* Effect.promise(() => told)).toBe(reason)
      expect(yield* stage.store.snapshot).toEqual(yield* (yield* promised()).stage.store.snapshot)
      const early = AbortSignal.abort(reason)
      const late = rejection(hotel.respond({ sessionId: "s", message: "hi" }, { signal: early }))
      expect(yield* Effect.promise(() => late)).toBe(reason)
    }))

  it.effect("streams all events of a turn", () =>
    Effect.gen(function*() {
      const { hotel } = yield* promised()
      const tags = yield* Effect.promise(async () => {
        const seen: Array<string> = []
        for await (const event of hotel.stream({ sessionId: "s", message: "hi" })) seen.push(event._tag)
        return seen
      })
      expect(tags[0]).toBe("TurnStarted")
      expect(tags).toContain("TextDelta")
      expect(tags.at(-1)).toBe("TurnCompleted")
    }))

  it.effect("interrupts the turn and stores nothing when the caller leaves the stream's loop", () =>
    Effect.gen(function*() {
      const { agent, hotel } = yield* hanging
      yield* Effect.promise(async () => {
        for await (const _ of hotel.stream({ sessionId: "s", message: "hi" })) break
      })
      expect((yield* agent.session("s").snapshot).version).toBe(0)
    }))

  it.effect("when an AbortSignal stops a stream, rejects with its reason; other errors are passed on unchanged", () =>
    Effect.gen(function*() {
      const { begun, hotel } = yield* hanging
      const read = async (signal?: AbortSignal, sessionId = "s") => {
        for await (const _ of hotel.stream({ sessionId, message: "hi" }, signal && { signal }));
      }
      const controller = new AbortController()
      const told = rejection(read(controller.signal))
      yield* begun
      const reason = new Error("the guest left")
      controller.abort(reason)
      expect(yield* Effect.promise(() => told)).toBe(reason)
      expect(yield* Effect.promise(() => rejection(read(AbortSignal.abort(reason))))).toBe(reason)
      expect(yield* Effect.promise(() => rejection(read(undefined, "")))).toBeInstanceOf(Errors.InvalidRequest)
    }))

  it.effect("lets several readers read a turn begun with `send`, and lets the caller abort the turn", () =>
    Effect.gen(function*() {
      const { begun, hotel } = yield* hanging
      const turn = yield* Effect.promise(() => hotel.session("s").send("hi"))
      const read = async () => {
        const seen: Array<string> = []
        for await (const event of turn.events) seen.push(event._tag)
        return seen
      }
      const readers = Promise.all([read(), read()])
      yield* begun
      yield* Effect.promise(() => turn.abort())
      const [first, second] = yield* Effect.promise(() => readers)
      expect(first).toEqual(second)
      expect(first?.[0]).toBe("TurnStarted")
      expect((yield* Effect.promise(() => turn.response())).stoppedReason).toBe("aborted")
    }))
})

class Rooms extends Context.Tag("Rooms")<Rooms, { readonly free: number }>() {}
class Bot extends kit.Service<Bot>()("Bot", {
  name: "Bot",
  flows: [{
    title: "Chat",
    steps: [{
      id: "a",
      reply: () =>
        Effect.filterOrFail(Rooms, ({ free }) => free > 0, () => new NoRooms({ city: "Oslo" })).pipe(
          Effect.map(({ free }) => `${free} rooms`)
        )
    }]
  }]
}) {}

describe("an agent class defined with `kit.Service`", () => {
  const run = (free: number) =>
    Effect.flatMap(
      Stage.make(),
      (stage) =>
        Effect.flatMap(Bot, (bot) => bot.respond({ sessionId: "s", message: "hi" })).pipe(
          Effect.provide(Bot.layer.pipe(Layer.provide([stage.layer, Layer.succeed(Rooms, { free })])))
        )
    )

  it.effect("is a Tag, and its Layer makes the agent", () =>
    Effect.gen(function*() {
      expect(Bot.key).toBe("Bot")
      expect((yield* run(3)).message).toBe("3 rooms")
    }))

  it.effect("fails with the typed errors of its step code", () =>
    Effect.gen(function*() {
      const city = yield* Effect.catchTag(run(0), "NoRooms", (error) => Effect.succeed(error.city))
      expect(city).toBe("Oslo")
    }))

  it.effect("has a Layer that fails if the definition is invalid", () =>
    Effect.gen(function*() {
      class Wrong extends kit.Service<Wrong>()("Wrong", { name: "" }) {}
      const stage = yield* Stage.make()
      const error = yield* Effect.flip(Layer.build(Layer.provide(Wrong.layer, stage.layer)))
      expect(error).toBeInstanceOf(Errors.FlowConfigurationError)
    }).pipe(Effect.scoped))
})

describe("a person who takes over, with Promise methods", () => {
  it.effect("takes over the session, gets a draft, sends a message and releases the session", () =>
    Effect.gen(function*() {
      const { hotel } = yield* promised()
      yield* Effect.promise(async () => {
        await hotel.respond({ sessionId: "s1", message: "Hi" })
        expect((await hotel.takeOver("s1", { by: "ben" })).handOver).toMatchObject({ by: "ben" })
        expect((await hotel.respond({ sessionId: "s1", message: "Hello?" })).stoppedReason).toBe("handed_over")
        let draft = ""
        for await (const piece of hotel.suggest("s1")) draft += piece
        expect(draft).toBe("Hello")
        await hotel.say("s1", "Ben here", { by: "ben" })
        expect(await rejection(hotel.say("s1", "Eve here", { by: "eve" }))).toBeInstanceOf(Errors.InvalidRequest)
        expect((await hotel.release("s1")).handOver).toBeUndefined()
      })
    }))
})
