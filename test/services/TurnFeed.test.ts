import { expect, it } from "@effect/vitest"
import { TurnFeed } from "coxswain"
import { Effect, Option, TestClock } from "effect"
import * as TurnFeedChecks from "../support/TurnFeedChecks.js"

it.effect("the feed in memory does what every feed of turns does", () =>
  Effect.flatMap(TurnFeed.make, (feed) => TurnFeedChecks.check(feed, feed)))

it.effect("a turn is forgotten a minute after its end", () =>
  Effect.gen(function*() {
    const feed = yield* TurnFeed.make
    yield* Effect.scoped(feed.begin({ sessionId: "s1", turnId: "t1" }))
    yield* TestClock.adjust("59 seconds")
    expect(Option.isSome(yield* feed.follow("s1", "t1", 0))).toBe(true)
    yield* TestClock.adjust("1 second")
    expect(Option.isNone(yield* feed.follow("s1", "t1", 0))).toBe(true)
  }))
