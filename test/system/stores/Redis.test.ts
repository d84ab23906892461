import { afterAll, describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as RedisStore from "coxswain/layers/redis"
import { sessionStoreConformance } from "coxswain/testing/conformance"
import { Effect, Layer, Option, Redacted, Schedule, TestClock } from "effect"
import { Redis } from "ioredis"
import { randomBytes } from "node:crypto"
import * as Servers from "../../setup/servers.js"
import * as Proxy from "../../support/Proxy.js"
import { lostAnswerSuite, secretsSuite, write } from "./sqlSuite.js"

const server = await Servers.redis()

describe("the Redis store", () => {
  if (server === undefined) return it.skip("passes the conformance checks on a real server", () => {})
  const url = Redacted.make(server.url)
  const keyPrefix = `t${randomBytes(4).toString("hex")}`
  const { process } = server
  const client = new Redis(server.url, { lazyConnect: true })
  client.on("error", () => {})
  const keys = () => client.keys(`${keyPrefix}*`)

  afterAll(async () => {
    const left = await keys()
    if (left.length > 0) await client.del(...left)
    client.disconnect()
    await server.close()
  })

  sessionStoreConformance("Redis", RedisStore.layer({ url, keyPrefix }), {
    corrupt: (id) => Effect.promise(() => client.hset(`${keyPrefix}:s:${id}`, "d", `{"broken":`)),
    ...(process !== undefined && {
      breakAndRestore: (during) =>
        Effect.acquireUseRelease(Effect.promise(process.stop), () => during, () => Effect.promise(process.start))
    })
  })
  lostAnswerSuite("Redis", (url) => RedisStore.layer({ url, keyPrefix: `${keyPrefix}_lost` }), server.url, /:s:lost /)
  secretsSuite("Redis", (url) => RedisStore.layer({ url }), server.url)

  if (process !== undefined) {
    it.scopedLive("tells why the server cannot be reached", () =>
      Effect.gen(function*() {
        const store = yield* RedisStore.make({ url, keyPrefix })
        const whys = yield* Effect.acquireUseRelease(
          Effect.promise(process.stop),
          () => Effect.all(Array.from({ length: 8 }, () => Effect.delay(Effect.flip(store.load("s")), "20 millis"))),
          () => Effect.promise(process.start)
        )
        for (const { message } of whys) {
          expect(message).toMatch(/127\.0\.0\.1/)
          expect(message).not.toMatch(/max retries|s3cret/i)
        }
      }))
  }

  it.scoped("ignores and deletes an answer after `answersTimeToLive`", () =>
    Effect.gen(function*() {
      const services = yield* Layer.build(
        RedisStore.layer({ url, keyPrefix: `${keyPrefix}_answers`, answersTimeToLive: "2 days" })
      )
      const store = yield* Effect.provide(SessionStore.SessionStore, services)
      const answer = (n: number, response: string) => ({ answered: { messageId: `m${n}`, response } })
      yield* store.commit(write("s", 0, answer(1, "old")))
      yield* TestClock.adjust("1 day")
      yield* store.commit(write("s", 1, answer(2, "newer")))
      yield* TestClock.adjust("1 day")
      expect(yield* store.response("s", "m1")).toEqual(Option.none())
      expect(yield* store.response("s", "m2")).toEqual(Option.some("newer"))
      yield* store.commit(write("s", 2, answer(3, "newest")))
      expect(yield* Effect.promise(() => client.hkeys(`${keyPrefix}_answers:a:s`))).toEqual(["m2", "m3"])
      expect(yield* Effect.promise(() => client.pttl(`${keyPrefix}_answers:a:s`))).toBeGreaterThan(0)
    }))

  it.scopedLive("expires a session with all its keys after `timeToLive`", () =>
    Effect.gen(function*() {
      const prefix = `${keyPrefix}_expiry`
      const services = yield* Layer.build(RedisStore.layer({ url, keyPrefix: prefix, timeToLive: "300 millis" }))
      const store = yield* Effect.provide(SessionStore.SessionStore, services)
      const message = { seq: 1, message: { role: "user" }, createdAt: "2026-01-01T00:00:00.000Z" }
      yield* store.commit(write("s", 0, { userId: "u", messages: [message] }))
      expect((yield* store.list({ userId: "u", limit: 5 })).items).toHaveLength(1)
      yield* store.load("s").pipe(Effect.repeat({ until: Option.isNone }))
      expect(yield* store.messages("s", { limit: 5 })).toEqual({ items: [] })
      expect(yield* store.list({ userId: "u", limit: 5 })).toEqual({ items: [] })
      expect(yield* store.list({ limit: 5 })).toEqual({ items: [] })
      expect(yield* Effect.promise(() => client.keys(`${prefix}*`))).toEqual([])
      // It may begin again, with only its new messages.
      yield* store.commit(write("s", 0, { messages: [message] }))
      expect((yield* store.messages("s", { limit: 5 })).items).toHaveLength(1)
    }))

  it.scopedLive("uses the new state to list and purge a session that expired and began again", () =>
    Effect.gen(function*() {
      const layer = (prefix: string) =>
        Layer.build(RedisStore.layer({ url, keyPrefix: prefix, timeToLive: "100 millis" }))
      const at = (year: number) => `${year}-01-01T00:00:00.000Z`
      const again = Effect.fnUntraced(function*(prefix: string) {
        const store = yield* Effect.provide(SessionStore.SessionStore, yield* layer(prefix))
        const keeping = yield* Effect.provide(
          SessionStore.SessionStore,
          yield* Layer.build(RedisStore.layer({ url, keyPrefix: prefix }))
        )
        const waiting = [{ id: "w", toolId: "t", requestedAt: at(2026) }]
        yield* store.commit(write("s", 0, { userId: "u", updatedAt: at(2026), waiting }))
        yield* store.load("s").pipe(Effect.repeat({ until: Option.isNone }))
        yield* keeping.commit(write("s", 0, { userId: "u", updatedAt: at(2027) }))
        return keeping
      })
      const listed = yield* again(`${keyPrefix}_again1`)
      for (const query of [{ limit: 5 }, { limit: 5, userId: "u" }]) {
        expect((yield* listed.list(query)).items.map(({ updatedAt }) => updatedAt)).toEqual([at(2027)])
      }
      expect(yield* listed.waiting({ limit: 5 })).toEqual({ items: [] })
      const purged = yield* again(`${keyPrefix}_again2`)
      expect(yield* purged.purge({ olderThan: at(2027) })).toEqual({ removed: 0 })
      expect(Option.getOrThrow(yield* purged.load("s")).version).toBe(1)
      expect(yield* purged.purge({ olderThan: at(2028) })).toEqual({ removed: 1 })
      expect(yield* purged.load("s")).toEqual(Option.none())
    }))

  it.scopedLive("does not lose a session's lock if the connection breaks while the lock is renewed", () =>
    Effect.gen(function*() {
      const prefix = `${keyPrefix}_renewing`
      let renewals = 0
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() =>
          Proxy.to(server.url, {
            sent: (text) => text.includes(":l:s") && /\r\nget\r\n/i.test(text) && renewals++ === 0 ? "cut" : undefined
          })
        ),
        ({ close }) => Effect.promise(close)
      )
      const storeAt = (url: string) =>
        Effect.flatMap(
          Layer.build(RedisStore.layer({ url: Redacted.make(url), keyPrefix: prefix, lockLease: "3 seconds" })),
          (services) => Effect.provide(SessionStore.SessionStore, services)
        )
      const [here, there] = [yield* storeAt(proxy.url), yield* storeAt(server.url)]
      yield* here.lock!.withLock("s")(Effect.gen(function*() {
        // The lease from before the break has then expired.
        yield* Effect.repeat(Effect.sync(() => renewals), {
          until: (count) => count > 5,
          schedule: Schedule.spaced("20 millis")
        })
        expect(yield* Effect.flip(there.lock!.withLock("s", { wait: 0 })(Effect.void))).toMatchObject({
          _tag: "SessionBusy"
        })
      }))
    }))

  it.scopedLive("reconnects even if the connection breaks repeatedly while it reconnects", () =>
    Effect.gen(function*() {
      const [database, breaks] = [server.url.replace(/\/0$/, "/1"), ["select", "info", "auth", "select"]]
      let isConnected = false
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() =>
          Proxy.to(database, {
            sent: (text) => {
              if (!isConnected || breaks.length === 0 || !text.toLowerCase().includes(breaks[0]!)) return undefined
              breaks.shift()
              return "cut"
            }
          })
        ),
        ({ close }) => Effect.promise(close)
      )
      const services = yield* Layer.build(
        RedisStore.layer({
          url: Redacted.make(proxy.url),
          keyPrefix: `${keyPrefix}_breaks`,
          commandTimeout: "500 millis"
        })
      )
      const store = yield* Effect.provide(SessionStore.SessionStore, services)
      yield* store.commit(write("s", 0))
      isConnected = true
      proxy.cut()
      // An unhandled rejection of the client's own commands would fail this run.
      const found = yield* Effect.retry(store.load("s"), Schedule.spaced("20 millis"))
      expect(breaks).toEqual([])
      expect(Option.getOrThrow(found).version).toBe(1)
      yield* store.remove("s")
    }))

  it.effect("removes every key of a session", () =>
    Effect.gen(function*() {
      const prefix = `${keyPrefix}_remove`
      const store = yield* SessionStore.SessionStore.pipe(
        Effect.provide(yield* Layer.build(RedisStore.layer({ url, keyPrefix: prefix })))
      )
      yield* store.commit(write("s", 0, { userId: "u", answered: { messageId: "m", response: 1 } }))
      yield* store.commit(write("s", 1, { userId: "v", updatedAt: "2026-01-02T00:00:00.000Z" }))
      yield* store.remove("s")
      expect(yield* Effect.promise(() => client.keys(`${prefix}*`))).toEqual([])
    }).pipe(Effect.scoped))

  it.effect("refuses a key prefix that could reach other keys", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Layer.launch(RedisStore.layer({ url, keyPrefix: "a:b" })))
      expect(error).toMatchObject({ _tag: "LayerConfigurationError", path: "keyPrefix" })
    }))
})
