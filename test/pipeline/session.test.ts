import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors, SessionStore, TurnEvent } from "coxswain"
import { Deferred, Effect, Fiber, Schema, Stream, TestClock } from "effect"
import * as StreamedModel from "../support/StreamedModel.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

/** How many events a turn may be ahead of its slowest reader: the buffer, and those in flight on both sides. */
const bound = 20

const talker = (voice: ReturnType<typeof StreamedModel.make>) =>
  kit.make({
    name: "Talker",
    timeouts: { lock: "1 hour" },
    initialData: { city: "Lisbon" },
    flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
  }).pipe(Effect.provide([voice.layer, SessionStore.layerMemory]))

const long = (n: number) => Array.from({ length: n }, (_, i) => `w${i} `)
const tags = (events: Iterable<{ readonly _tag: string }>) => Array.from(events, ({ _tag }) => _tag)

describe("agent.session", () => {
  it.effect("`send`, `snapshot`, `history` and `clear` work together", () =>
    Effect.gen(function*() {
      const agent = yield* talker(StreamedModel.make((n) => [`Answer ${n}`]))
      const session = agent.session("u1")
      const fresh = yield* session.snapshot
      expect(fresh).toMatchObject({ id: "u1", version: 0, data: { city: "Lisbon" }, messageCount: 0 })
      expect(yield* session.history).toEqual([])

      const turn = yield* session.send("One", { metadata: { userId: "ada" } })
      expect((yield* turn.response).message).toBe("Answer 0")
      yield* Effect.flatMap(session.send("Two"), ({ response }) => response)
      expect(yield* session.snapshot).toMatchObject({ version: 2, userId: "ada", messageCount: 4 })
      expect((yield* session.history).map(({ content, role }) => [role, content])).toMatchObject([
        ["user", [{ text: "One" }]],
        ["assistant", [{ text: "Answer 0" }]],
        ["user", [{ text: "Two" }]],
        ["assistant", [{ text: "Answer 1" }]]
      ])

      yield* session.clear
      expect(yield* session.snapshot).toMatchObject({ version: 0, messageCount: 0 })
      expect(yield* session.history).toEqual([])
      yield* session.clear
      expect((yield* Effect.flatMap(session.send("Again"), ({ response }) => response)).session.version).toBe(1)
    }))

  it.effect("an invalid id fails every operation with InvalidRequest; no operation throws", () =>
    Effect.gen(function*() {
      const session = (yield* talker(StreamedModel.make(() => ["Hi"]))).session("")
      const turn = yield* session.send("hi")
      const failures = yield* Effect.all([
        Effect.flip(session.snapshot),
        Effect.flip(session.history),
        Effect.flip(session.clear),
        Effect.flip(turn.response),
        Effect.flip(Stream.runDrain(turn.events))
      ])
      for (const failure of failures) expect(failure).toBeInstanceOf(Errors.InvalidRequest)
      yield* turn.abort
    }))

  it.effect("reads the whole history, however long", () =>
    Effect.gen(function*() {
      const session = (yield* talker(StreamedModel.make((n) => [`Answer ${n}`]))).session("u1")
      // The store gives 200 messages at a time.
      for (let i = 0; i < 105; i++) yield* Effect.flatMap(session.send(`Message ${i}`), ({ response }) => response)
      const history = yield* session.history
      expect(history).toHaveLength(210)
      expect(history[0]!.content).toMatchObject([{ text: "Message 0" }])
      expect(history[209]!.content).toMatchObject([{ text: "Answer 104" }])
    }))

  it.effect("answers a repeated `messageId` without calling the model again", () =>
    Effect.gen(function*() {
      const voice = StreamedModel.make((n) => ["Answer ", `${n}`])
      const session = (yield* talker(voice)).session("u1")
      const first = yield* Effect.flatMap(session.send("hi", { messageId: "m1" }), ({ response }) => response)
      const again = yield* session.send("hi", { messageId: "m1" })
      expect(yield* again.response).toEqual(first)
      expect(tags(yield* Stream.runCollect(again.events))).toEqual(["TurnStarted", "TextDelta", "TurnCompleted"])
      expect(voice.calls()).toBe(1)
    }))
})

describe("`Turn.events`, the event stream of a turn", () => {
  it.effect("gives every reader all events from the start, whenever the reader subscribes", () =>
    Effect.gen(function*() {
      const halfway = yield* Deferred.make<void>()
      const voice = StreamedModel.make(() => [...long(50), Deferred.await(halfway), ...long(50)])
      const turn = yield* (yield* talker(voice)).session("u1").send("hi")
      const early = yield* Effect.forEach([1, 2], () => Effect.fork(Stream.runCollect(turn.events)))
      yield* TestClock.adjust("1 second")
      expect(voice.taken()).toBe(50)
      const middle = yield* Effect.fork(Stream.runCollect(turn.events))
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(halfway, undefined)
      const response = yield* turn.response
      const late = yield* Stream.runCollect(turn.events)
      const all = [...(yield* Fiber.joinAll(early)), yield* Fiber.join(middle), late].map((events) =>
        Array.from(events)
      )
      expect(all[0]!.filter(({ _tag }) => _tag === "TextDelta")).toHaveLength(100)
      expect(TurnEvent.message(all[0]!)).toBe(response.message)
      for (const events of all) expect(events).toEqual(all[0])
    }))

  it.effect("need not be read: the turn completes also if its answer is long", () =>
    Effect.gen(function*() {
      const turn = yield* (yield* talker(StreamedModel.make(() => long(2000)))).session("u1").send("hi")
      expect((yield* turn.response).message).toBe(long(2000).join(""))
    }))

  it.effect("does not stop or delay the turn if a reader leaves", () =>
    Effect.gen(function*() {
      const turn = yield* (yield* talker(StreamedModel.make(() => long(200)))).session("u1").send("hi")
      yield* Stream.runDrain(Stream.take(turn.events, 3))
      const stuck = yield* turn.events.pipe(Stream.runForEach(() => Effect.never), Effect.fork)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(stuck)
      expect((yield* turn.response).session.version).toBe(1)
    }))

  it.effect("fails with the turn's error", () =>
    Effect.gen(function*() {
      const voice = StreamedModel.make(() => ({ say: ["Hel"], finish: "none" as const }))
      const turn = yield* (yield* talker(voice)).session("u1").send("hi")
      const seen: Array<string> = []
      const read = Stream.runForEach(turn.events, ({ _tag }) => Effect.sync(() => void seen.push(_tag)))
      const error = yield* Effect.flip(read)
      expect(error).toBeInstanceOf(Errors.ResponseGenerationError)
      expect(yield* Effect.flip(turn.response)).toBe(error)
      expect(seen).toContain("TextDelta")
      expect(seen).not.toContain("TurnCompleted")
    }))

  it.effect("interrupting a fiber that waits for the response does not stop the turn", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const turn = yield* (yield* talker(StreamedModel.make(() => ["One ", Deferred.await(gate), "two"]))).session("u1")
        .send(
          "hi"
        )
      const waiting = yield* Effect.fork(turn.response)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(waiting)
      yield* Deferred.succeed(gate, undefined)
      expect((yield* turn.response).message).toBe("One two")
    }))

  it.effect("a turn sent from an uninterruptible region can still be aborted", () =>
    Effect.gen(function*() {
      const agent = yield* talker(StreamedModel.make(() => ["One ", Effect.never]))
      const turn = yield* Effect.uninterruptible(agent.session("u1").send("hi"))
      yield* Stream.runDrain(Stream.takeUntil(turn.events, ({ _tag }) => _tag === "TextDelta"))
      yield* turn.abort
      expect((yield* turn.response).stoppedReason).toBe("aborted")
    }))
})

describe("a slow reader of a turn's events", () => {
  const n = 120
  const pace = Effect.sleep("1 second")

  /** Reads one event per second; returns the greatest lead of the model, in events. */
  const measure = (
    voice: ReturnType<typeof StreamedModel.make>,
    events: Stream.Stream<{ readonly _tag: string }, unknown>
  ) =>
    Effect.gen(function*() {
      let read = 0
      let furthest = 0
      const reader = yield* events.pipe(
        Stream.runForEach(({ _tag }) =>
          Effect.zipRight(pace, Effect.sync(() => void (read += _tag === "TextDelta" ? 1 : 0)))
        ),
        Effect.fork
      )
      for (let second = 0; second < n + 20; second++) {
        yield* TestClock.adjust("1 second")
        furthest = Math.max(furthest, voice.taken() - read)
      }
      yield* Fiber.join(reader)
      expect(read).toBe(n)
      return furthest
    })

  it.effect("slows the turn of `agent.stream` down, and may take longer than the turn's timeout", () =>
    Effect.gen(function*() {
      const voice = StreamedModel.make(() => long(n))
      const agent = yield* talker(voice)
      const furthest = yield* measure(voice, agent.stream({ sessionId: "u1", message: "hi" }))
      expect(furthest).toBeGreaterThan(1)
      expect(furthest).toBeLessThanOrEqual(bound)
    }))

  it.effect("slows a turn begun with `send` down, even if other readers are fast", () =>
    Effect.gen(function*() {
      const voice = StreamedModel.make(() => long(n))
      const turn = yield* (yield* talker(voice)).session("u1").send("hi")
      const fast = yield* Effect.fork(Stream.runCount(turn.events))
      const furthest = yield* measure(voice, turn.events)
      expect(furthest).toBeLessThanOrEqual(bound)
      expect(yield* Fiber.join(fast)).toBeGreaterThan(n)
    }))

  it.effect("a reader that subscribes late slows the turn down from then on", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const voice = StreamedModel.make(() => [...long(100), Deferred.await(gate), ...long(300)])
      const turn = yield* (yield* talker(voice)).session("u1").send("hi")
      yield* TestClock.adjust("1 second")
      const reader = yield* turn.events.pipe(Stream.runForEach(() => pace), Effect.fork)
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("90 seconds")
      expect(voice.taken()).toBeLessThanOrEqual(100 + bound)
      yield* TestClock.adjust("400 seconds")
      yield* Fiber.join(reader)
      expect((yield* turn.response).message).toBe([...long(100), ...long(300)].join(""))
    }))

  it.effect("does not hold the session's lock after the turn's commit", () =>
    Effect.gen(function*() {
      const agent = yield* talker(StreamedModel.make(() => ["A ", "short ", "answer"]))
      const reader = yield* agent.stream({ sessionId: "u1", message: "hi" }).pipe(
        Stream.runForEach(() => pace),
        Effect.fork
      )
      yield* TestClock.adjust("1 millis")
      expect((yield* agent.respond({ sessionId: "u1", message: "next" })).session.version).toBe(2)
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(reader)
    }))

  it.effect("a reader that stops reading for as long as the turn's timeout fails the turn and releases the session's lock", () =>
    Effect.gen(function*() {
      const agent = yield* talker(StreamedModel.make((call) => call === 0 ? long(n) : ["Hi"]))
      const seen: Array<string> = []
      const reader = yield* agent.stream({ sessionId: "u1", message: "hi" }).pipe(
        Stream.runForEach(({ _tag }) =>
          Effect.zipRight(Effect.sync(() => void seen.push(_tag)), Effect.sleep("1 hour"))
        ),
        Effect.fork
      )
      yield* TestClock.adjust("1 millis")
      const next = yield* Effect.fork(agent.respond({ sessionId: "u1", message: "next" }))
      yield* TestClock.adjust("4 minutes")
      expect(next.unsafePoll() === null).toBe(true)
      yield* TestClock.adjust("12 minutes")
      expect((yield* Fiber.join(next)).session.version).toBe(1)
      yield* Fiber.interrupt(reader)
    }))
})
