import { afterAll, describe, expect, it } from "@effect/vitest"
import { Errors, SessionFeed } from "coxswain"
import * as RedisStore from "coxswain/layers/redis"
import { Chunk, Effect, Fiber, Redacted, Stream } from "effect"
import { Redis } from "ioredis"
import { randomBytes } from "node:crypto"
import * as Servers from "../../setup/servers.js"

const server = await Servers.redis()

describe("the session feed on Redis", () => {
  if (server === undefined) return it.skip("runs on a real server", () => {})
  const options = { url: Redacted.make(server.url), keyPrefix: `t${randomBytes(4).toString("hex")}` }
  const client = new Redis(server.url, { lazyConnect: true })
  client.on("error", () => {})
  afterAll(async () => {
    client.disconnect()
    await server.close()
  })

  it.scopedLive("delivers events in order to the session's subscribers in every process, and to no other subscribers", () =>
    Effect.gen(function*() {
      const here = yield* RedisStore.makeFeed(options)
      const there = yield* RedisStore.makeFeed(options)
      const both = yield* Effect.forEach(
        [here, there, there],
        (feed) => Effect.map(feed.subscribe("s:1"), (stream) => Stream.runCollect(Stream.take(stream, 200)))
      )
      const other = yield* there.subscribe("s:2")
      const fibers = yield* Effect.forEach(both, Effect.fork)
      for (let i = 0; i < 200; i++) here.publish("s:1", () => ({ i }))
      for (const fiber of fibers) {
        expect(Chunk.toReadonlyArray(yield* Fiber.join(fiber)).map(({ event }) => event.i)).toEqual(
          Array.from({ length: 200 }, (_, i) => i)
        )
      }
      here.publish("s:2", () => ({ i: "other" }))
      expect(Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.take(other, 1)))).toEqual([{
        event: { i: "other" }
      }])
    }))

  it.scopedLive("unsubscribes from the channel after the last subscriber has left", () =>
    Effect.gen(function*() {
      const feed = yield* RedisStore.makeFeed(options)
      const followed = Effect.promise(async () => {
        const [, count] = await client.pubsub("NUMSUB", `${options.keyPrefix}:feed:s1`) as [string, number]
        return count
      })
      yield* Effect.scoped(Effect.zipRight(
        feed.subscribe("s1"),
        Effect.gen(function*() {
          yield* Effect.asVoid(Effect.scoped(feed.subscribe("s1")))
          expect(yield* followed).toBe(1)
        })
      ))
      expect(yield* followed).toBe(0)
    }))

  it.scopedLive("still delivers events to its subscribers if another subscriber is interrupted while subscribing", () =>
    Effect.gen(function*() {
      const feed = yield* RedisStore.makeFeed(options)
      const events = yield* feed.subscribe("s1")
      const followed = Effect.promise(() => client.pubsub("NUMSUB", `${options.keyPrefix}:feed:s1`))
      for (let operations = 10; operations < 100; operations++) {
        // It yields for the first time after so many operations.
        const other = yield* Effect.fork(Effect.withMaxOpsBeforeYield(Effect.scoped(feed.subscribe("s1")), operations))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(other)
      }
      expect(yield* followed).toEqual([`${options.keyPrefix}:feed:s1`, 1])
      feed.publish("s1", () => ({ i: 1 }))
      expect(Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.take(events, 1)))).toEqual([{ event: { i: 1 } }])
    }))

  it.scopedLive("fails for a subscriber if an event is malformed or the connection breaks", () =>
    Effect.gen(function*() {
      const feed = yield* RedisStore.makeFeed(options)
      const first = yield* Effect.fork(Effect.flip(Stream.runDrain(yield* feed.subscribe("s1"))))
      yield* Effect.promise(() => client.publish(`${options.keyPrefix}:feed:s1`, "{\"broken\":"))
      expect(yield* Fiber.join(first)).toBeInstanceOf(Errors.SessionFeedError)
      const second = yield* Effect.fork(Effect.flip(Stream.runDrain(yield* feed.subscribe("s1"))))
      yield* Effect.promise(() => client.client("KILL", "TYPE", "pubsub"))
      expect(yield* Fiber.join(second)).toBeInstanceOf(Errors.SessionFeedError)
    }))

  it.scopedLive("is provided by `layerFeed` as `SessionFeed`", () =>
    Effect.gen(function*() {
      const feed = yield* SessionFeed.SessionFeed
      feed.publish("nobody", () => ({}))
      yield* Effect.asVoid(Effect.scoped(feed.subscribe("s1")))
    }).pipe(Effect.provide(RedisStore.layerFeed(options))))
})
