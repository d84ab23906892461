/** The turn feed with broken connections, lost answers and different clocks. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Errors } from "coxswain"
import * as RedisStore from "coxswain/layers/redis"
import { Chunk, Clock, Effect, Exit, Option, Redacted, Schedule, Scope, Stream } from "effect"
import { Redis } from "ioredis"
import { randomBytes } from "node:crypto"
import * as Servers from "../../setup/servers.js"
import * as Proxy from "../../support/Proxy.js"

const server = await Servers.redis()

describe("the turn feed on Redis", () => {
  if (server === undefined) return it.skip("runs on a real server", () => {})
  const keyPrefix = `t${randomBytes(4).toString("hex")}`
  const client = new Redis(server.url, { lazyConnect: true })
  client.on("error", () => {})
  afterAll(async () => {
    client.disconnect()
    await server.close()
  })

  const turnsAt = (url: string) => RedisStore.makeTurns({ url: Redacted.make(url), keyPrefix })
  const proxied = (way: Proxy.Way = {}) =>
    Effect.acquireRelease(Effect.promise(() => Proxy.to(server.url, way)), ({ close }) => Effect.promise(close))
  const keys = (text: string) =>
    Effect.map(
      Effect.promise(() => client.keys(`${keyPrefix}:*${text}*`)),
      (found) => found.filter((key) => !key.includes(":turns:"))
    )
  const begin = (feed: Effect.Effect.Success<ReturnType<typeof turnsAt>>, turnId: string) =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const recording = yield* Effect.exit(Scope.extend(feed.begin({ sessionId: "s", turnId }, {}), scope))
      return { recording: Exit.map(recording, Option.getOrThrow), end: Scope.close(scope, Exit.void) }
    })
  /** The events of a turn, "not kept", or the error's tag. */
  const read = (feed: Effect.Effect.Success<ReturnType<typeof turnsAt>>, turnId: string) =>
    Effect.flatMap(
      feed.follow("s", turnId, 0),
      Option.match({
        onNone: (): Effect.Effect<unknown> => Effect.succeed("not kept"),
        onSome: (events) =>
          Stream.runCollect(events).pipe(
            Effect.map((events) => Chunk.toReadonlyArray(events).map(({ event }) => event.n)),
            Effect.catchAll((error) => Effect.succeed(error._tag))
          )
      })
    )
  /** Loses the answer to the first of these commands. */
  const losing = (command: string) => {
    let lost = 0
    return proxied({
      sent: (text) =>
        text.includes(`'${command}'`) && text.includes("turn:s:") && lost++ === 0 ? "unanswered" : undefined
    })
  }

  it.scopedLive("ends a turn if Redis ran the turn's first command but the answer to the command was lost", () =>
    Effect.gen(function*() {
      const proxy = yield* losing("PERSIST")
      const [here, there] = [yield* turnsAt(proxy.url), yield* turnsAt(server.url)]
      const first = yield* begin(here, "unknown")
      expect(first.recording).toMatchObject({ _tag: "Failure", cause: { error: { _tag: "SessionFeedError" } } })
      expect((yield* there.running("s")).map(({ turnId }) => turnId)).toEqual(["unknown"])
      yield* first.end
      expect(yield* there.running("s")).toEqual([])
      expect(yield* read(there, "unknown")).toBe("not kept")
      expect(yield* keys("unknown")).toEqual([])
    }))

  it.scopedLive("does not report a turn as complete to readers if the turn's last write may be lost", () =>
    Effect.gen(function*() {
      const proxy = yield* proxied({ sent: (text) => text.includes("{\"n\":2}") ? "cut" : undefined })
      const [here, there] = [yield* turnsAt(proxy.url), yield* turnsAt(server.url)]
      const turn = yield* begin(here, "broken")
      const { append } = yield* turn.recording
      yield* append([{ n: 1 }])
      const reader = yield* Effect.fork(read(there, "broken"))
      expect(yield* Effect.flip(append([{ n: 2 }]))).toBeInstanceOf(Errors.SessionFeedError)
      yield* turn.end
      expect(yield* reader).toBe("SessionFeedError")
      expect(yield* read(there, "broken")).toBe("not kept")
    }))

  it.scopedLive("does not recreate a turn's record that has been removed", () =>
    Effect.gen(function*() {
      const feed = yield* turnsAt(server.url)
      const turn = yield* begin(feed, "late")
      const { append } = yield* turn.recording
      yield* append([{ n: 1 }])
      // As after a pause of the process that is longer than its lease.
      yield* Effect.promise(() => client.del(`${keyPrefix}:turn:s:late`))
      expect(yield* Effect.flip(append([{ n: 2 }]))).toBeInstanceOf(Errors.SessionFeedError)
      expect(yield* read(feed, "late")).toBe("not kept")
      yield* turn.end
      expect(yield* keys("late")).toEqual([])

      const other = yield* begin(feed, "later")
      yield* Effect.promise(() => client.del(`${keyPrefix}:turn:s:later`))
      yield* other.end
      expect(yield* read(feed, "later")).toBe("not kept")
    }))

  it.scopedLive("stops a turn even if its process misses the stop message", () =>
    Effect.gen(function*() {
      const [here, there] = [yield* turnsAt(server.url), yield* turnsAt(server.url)]
      const turn = yield* begin(here, "deaf")
      const { append, stopRequested } = yield* turn.recording
      yield* Effect.promise(() => client.client("KILL", "TYPE", "pubsub"))
      yield* there.stop("s", "deaf")
      yield* append([{ n: 1 }])
      yield* stopRequested
      yield* turn.end
      expect(yield* keys("stop:")).toEqual([])
      yield* there.stop("s", "deaf")
      yield* there.stop("s", "never begun")
      expect(yield* keys("stop:s:never")).toEqual([])
    }))

  it.scopedLive("resubscribes even if the connection breaks while it resubscribes", () =>
    Effect.gen(function*() {
      const breaks = [false, true]
      const proxy = yield* proxied({
        sent: (text) => /\r\nsubscribe\r\n/i.test(text) && breaks.shift() === true ? "cut" : undefined
      })
      yield* turnsAt(proxy.url)
      const told = Effect.promise(() => client.pubsub("NUMSUB", `${keyPrefix}:turn-news`))
      const before = (yield* told)[1]
      proxy.cut()
      yield* Effect.repeat(told, {
        until: ([, count]) => breaks.length === 0 && count === before,
        schedule: Schedule.spaced("20 millis")
      })
    }))

  it.scopedLive("lists turns in the order they began, regardless of the processes' clocks", () =>
    Effect.gen(function*() {
      const feed = yield* turnsAt(server.url)
      const fast = { ...Clock.make(), currentTimeMillis: Effect.succeed(4_000_000_000_000) }
      const turns = [
        yield* Effect.withClock(begin(feed, "first"), fast),
        yield* begin(feed, "second"),
        yield* begin(feed, "third")
      ]
      expect((yield* feed.running("s")).map(({ turnId }) => turnId)).toEqual(["first", "second", "third"])
      yield* Effect.forEach(turns, ({ end }) => end)
    }))
})
