import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors, SessionFeed } from "coxswain"
import { Chunk, Effect, Fiber, Layer, Schema, Stream } from "effect"
import * as Stage from "../../support/Stage.js"

const kit = Agent.define({
  data: Schema.Struct({ day: Schema.Date }),
  events: { ping: Schema.Null }
})

const options = {
  name: "Bot",
  flows: [{ title: "Talk", steps: [{ prompt: "Talk", until: () => false }] }],
  on: { ping: { reply: "Pong", dataUpdate: { day: new Date(0) } } }
} as const

const ping = { sessionId: "s1", event: "ping" as const, payload: null }

/** Lets a fiber that was just forked subscribe. */
const listening = Effect.repeatN(Effect.yieldNow(), 10)

/** Collects a session's feed until `turns` turns have ended. */
const follow = <D, C, E, Ev>(agent: Agent.Agent<D, C, E, Ev>, turns: number, id = "s1") => {
  let over = 0
  return agent.session(id).feed.pipe(
    Stream.takeUntil(({ _tag }) => (_tag === "TurnCompleted" || _tag === "TurnFailed") && ++over === turns),
    Stream.runCollect,
    Effect.map(Chunk.toReadonlyArray),
    Effect.fork,
    Effect.tap(() => listening)
  )
}

const make = Effect.gen(function*() {
  const stage = yield* Stage.make()
  const layer = Layer.merge(stage.layer, SessionFeed.layerMemory)
  return { stage, layer, agent: yield* kit.make(options).pipe(Effect.provide(stage.layer)) }
})

describe("the event feed of a session", () => {
  it.effect("contains the same events as the streams of all turns of the session", () =>
    Effect.gen(function*() {
      const { agent } = yield* make
      const fiber = yield* follow(agent, 2)
      yield* agent.respond({ sessionId: "other", message: "hi" })
      const streamed = Chunk.toReadonlyArray(yield* Stream.runCollect(agent.stream({ sessionId: "s1", message: "hi" })))
      const response = yield* agent.notify(ping)
      const seen = yield* Fiber.join(fiber)
      expect(seen.slice(0, streamed.length)).toEqual(streamed)
      expect(seen.slice(streamed.length).map(({ _tag }) => _tag)).toEqual([
        "TurnStarted",
        "DirectiveApplied",
        "DataCollected",
        "TextDelta",
        "TurnCompleted"
      ])
      expect(seen.at(-1)).toEqual({ _tag: "TurnCompleted", response })
      expect(seen[streamed.length]).toEqual({
        _tag: "TurnStarted",
        sessionId: "s1",
        epoch: response.session.epoch,
        version: 1,
        event: "ping"
      })
    }))

  it.effect("does not repeat the turn of a deduplicated event, and reports failed and interrupted turns", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* make
      const fiber = yield* follow(agent, 3)
      yield* agent.notify({ ...ping, eventId: "e1" })
      yield* agent.notify({ ...ping, eventId: "e1" })
      stage.store.breaks("commit")
      yield* Effect.flip(agent.notify(ping))
      stage.store.breaks(undefined)
      // A reader that stops after the first event interrupts the turn.
      yield* Stream.runDrain(Stream.take(agent.stream({ sessionId: "s1", message: "hi" }), 1))
      const ends = (yield* Fiber.join(fiber)).flatMap((event) =>
        event._tag === "TurnFailed" ? [event.error._tag] : event._tag === "TurnCompleted" ? [event._tag] : []
      )
      expect(ends).toEqual(["TurnCompleted", "SessionStoreError", "Interrupted"])
    }))

  it.effect("is shared by agents that are made separately with one `SessionFeed` service", () =>
    Effect.gen(function*() {
      const { layer } = yield* make
      yield* Effect.gen(function*() {
        const one = yield* kit.make(options)
        const two = yield* kit.make(options)
        const fiber = yield* follow(one, 1)
        yield* two.notify(ping)
        expect((yield* Fiber.join(fiber)).at(-1)?._tag).toBe("TurnCompleted")
      }).pipe(Effect.provide(layer))
    }))

  it.effect("does not wait for slow readers; a reader that is too far behind gets an error", () =>
    Effect.scoped(Effect.gen(function*() {
      const feed = yield* SessionFeed.make
      const slow = yield* feed.subscribe("s1")
      const quick = yield* feed.subscribe("s1")
      let read = 0
      const fiber = yield* Effect.fork(Stream.runForEach(quick, () => Effect.sync(() => read++)))
      for (let i = 0; i <= SessionFeed.capacity; i++) {
        feed.publish("s1", () => ({ i }))
        yield* Effect.yieldNow()
      }
      const failure = yield* Effect.flip(Stream.runDrain(slow))
      expect(failure).toBeInstanceOf(Errors.SessionFeedError)
      expect(failure.message).toContain("more than 1024 events behind")
      feed.publish("s1", () => ({ i: -1 }))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      expect(read).toBe(SessionFeed.capacity + 2)
    })))

  it.effect("creates no events while it has no subscriber", () =>
    Effect.gen(function*() {
      const feed = yield* SessionFeed.make
      let made = 0
      const event = () => ({ made: ++made })
      feed.publish("s1", event)
      yield* Effect.asVoid(Effect.scoped(feed.subscribe("s1")))
      feed.publish("s1", event)
      expect(made).toBe(0)
    }))

  it.effect("fails for an invalid session id, and for events that do not decode", () =>
    Effect.gen(function*() {
      const { agent, layer } = yield* make
      expect(yield* Effect.flip(Stream.runDrain(agent.session("").feed))).toBeInstanceOf(Errors.InvalidRequest)
      const failure = yield* Effect.gen(function*() {
        const here = yield* kit.make(options)
        const fiber = yield* Effect.fork(Effect.flip(Stream.runDrain(here.session("s1").feed)))
        yield* listening
        const feed = yield* SessionFeed.SessionFeed
        feed.publish("s1", () => ({ _tag: "Nonsense" }))
        return yield* Fiber.join(fiber)
      }).pipe(Effect.provide(layer))
      expect(failure).toBeInstanceOf(Errors.SessionFeedError)
    }))
})
