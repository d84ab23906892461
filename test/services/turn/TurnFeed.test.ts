import { expect, it } from "@effect/vitest"
import { TurnFeed } from "coxswain"
import { Effect, type Fiber, Option, type Scheduler, Stream, TestClock } from "effect"
import * as TurnFeedChecks from "../../support/TurnFeedChecks.js"

it.effect("the in-memory feed of a turn's events passes the conformance suite", () =>
  Effect.flatMap(TurnFeed.make, (feed) => TurnFeedChecks.check(feed, feed)))

it.effect("the feed removes a turn one minute after the turn's end by default", () =>
  Effect.gen(function*() {
    const feed = yield* TurnFeed.make
    yield* Effect.scoped(feed.begin({ sessionId: "s1", turnId: "t1" }))
    yield* TestClock.adjust("59 seconds")
    expect(Option.isSome(yield* feed.follow("s1", "t1", 0))).toBe(true)
    yield* TestClock.adjust("1 second")
    expect(Option.isNone(yield* feed.follow("s1", "t1", 0))).toBe(true)
  }))

it.effect("`keptFor` limits how long the feed stores a turn, `keptAtMost` how much the feed stores", () =>
  Effect.gen(function*() {
    const feed = yield* TurnFeed.makeWith({ keptFor: "10 seconds", keptAtMost: 100 })
    const run = (turnId: string, text: string) =>
      Effect.scoped(
        Effect.flatMap(
          feed.begin({ sessionId: "s1", turnId }),
          (recording) => Option.getOrThrow(recording).append([{ _tag: "TextDelta", text }])
        )
      )
    const isKept = (turnId: string) => Effect.map(feed.follow("s1", turnId, 0), Option.isSome)
    yield* run("t1", "short")
    yield* TestClock.adjust("9 seconds")
    expect(yield* isKept("t1")).toBe(true)
    yield* TestClock.adjust("1 second")
    expect(yield* isKept("t1")).toBe(false)
    yield* run("t2", "short")
    yield* run("t3", "x".repeat(100))
    expect(yield* Effect.forEach(["t2", "t3"], isKept)).toEqual([false, false])
  }))

it.effect("the feed removes the oldest turns above its size limit; a running reader still gets its turn", () =>
  Effect.gen(function*() {
    const feed = yield* TurnFeed.make
    const text = "x".repeat(TurnFeed.keptAtMost / 10)
    const run = (turnId: string) =>
      Effect.scoped(
        Effect.flatMap(feed.begin({ sessionId: turnId, turnId }), (recording) =>
          Option.getOrThrow(recording).append([{ _tag: "TextDelta", text }]))
      )
    yield* run("t0")
    const reading = Option.getOrThrow(yield* feed.follow("t0", "t0", 0))
    for (let n = 1; n < 12; n++) yield* run(`t${n}`)
    const isKept = (turnId: string) => Effect.map(feed.follow(turnId, turnId, 0), Option.isSome)
    expect(yield* Effect.forEach(["t0", "t1", "t3", "t11"], isKept)).toEqual([false, false, true, true])
    expect(Array.from(yield* Stream.runCollect(reading))).toEqual([{ seq: 1, event: { _tag: "TextDelta", text } }])
  }))

it.scoped("if two turns of a session begin concurrently with `alone: true`, the feed begins only one of them", () =>
  Effect.gen(function*() {
    const { currentScheduler } = yield* Effect.withFiberRuntime<Fiber.RuntimeFiber<unknown, unknown>>(Effect.succeed)
    for (let last = 1; last <= 30; last++) {
      let steps = 0
      const scheduler: Scheduler.Scheduler = {
        shouldYield: (fiber) => ++steps === last ? 0 : currentScheduler.shouldYield(fiber),
        scheduleTask: (task, priority, fiber) => currentScheduler.scheduleTask(task, priority, fiber)
      }
      const feed = yield* TurnFeed.make
      const begin = (turnId: string) => feed.begin({ sessionId: "s1", turnId }, { alone: true })
      const begun = yield* Effect.all([Effect.withScheduler(begin("t1"), scheduler), begin("t2")], { concurrency: 2 })
      expect(begun.filter(Option.isSome)).toHaveLength(1)
    }
  }))
