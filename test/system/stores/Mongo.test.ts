import { describe, expect, it } from "@effect/vitest"
import * as Mongo from "coxswain/layers/mongo"
import { sessionStoreConformance } from "coxswain/testing/conformance"
import { Effect, Fiber, Option, TestClock } from "effect"
import { MongoDouble } from "./MongoDouble.js"
import { write } from "./sqlSuite.js"

const message = (seq: number, text = "x") => ({
  seq,
  message: { role: "user", content: text },
  createdAt: "2026-01-01T00:00:00.000Z"
})

describe("the MongoDB store, with a test double of the driver", () => {
  const database = new MongoDouble()
  sessionStoreConformance("MongoDB (double)", Mongo.layer({ database }), {
    corrupt: (id) =>
      Effect.promise(() =>
        database.collection("coxswain_sessions").updateOne({ _id: { $eq: id } }, { $set: { session: "{\"broken\":" } })
      ),
    breakAndRestore: (during) =>
      Effect.acquireUseRelease(
        Effect.sync(() => database.down = true),
        () => during,
        () => Effect.sync(() => database.down = false)
      )
  })

  it.live("creates an index for every query", () =>
    Effect.gen(function*() {
      const database = new MongoDouble()
      yield* Mongo.make({ database, collectionPrefix: "bot_" })
      expect([...database.collections].map(([name, { created }]) => [name, created])).toEqual([
        ["bot_sessions", [
          ["updatedAt -1,_id -1", undefined],
          ["userId 1,updatedAt -1,_id -1", undefined],
          ["wakeAt 1,_id 1", undefined],
          ["waits 1,updatedAt -1,_id -1", undefined]
        ]],
        ["bot_messages", [["epoch 1,seq 1", undefined]]],
        ["bot_answers", [["epoch 1", undefined], ["expires 1", { expireAfterSeconds: 0 }]]],
        ["bot_journal", [["sessionId 1,turnKey 1", undefined], ["expires 1", { expireAfterSeconds: 0 }]]]
      ])
    }))

  it.live("purges old sessions, except those written meanwhile", () =>
    Effect.gen(function*() {
      const database = new MongoDouble()
      const writing = yield* Mongo.make({ database })
      for (let n = 0; n < 150; n++) yield* writing.commit(write(`s${n}`, 0))
      const sessions = database.collection("coxswain_sessions")
      let isFirst = true
      const store = yield* Mongo.make({
        database: {
          collection: (name) =>
            name !== "coxswain_sessions" ? database.collection(name) : new Proxy(sessions, {
              get: (_, method) => {
                if (method !== "find") return Reflect.get(sessions, method).bind(sessions)
                return (...query: Parameters<typeof sessions.find>) => ({
                  toArray: async () => {
                    const found = await sessions.find(...query).toArray()
                    const again = write("s3", 1, { updatedAt: "2027-01-01T00:00:00.000Z" })
                    if (isFirst) await Effect.runPromise(writing.commit(again))
                    isFirst = false
                    return found
                  }
                })
              }
            })
        }
      })
      expect(yield* store.purge({ olderThan: "2026-06-01T00:00:00.000Z" })).toEqual({ removed: 149 })
      expect((yield* store.list({ limit: 5 })).items.map(({ id }) => id)).toEqual(["s3"])
    }))

  it.live("writes no messages into a session's document, and removes every document of a session", () =>
    Effect.gen(function*() {
      const database = new MongoDouble()
      const store = yield* Mongo.make({ database })
      const sizes: Array<number> = []
      for (let n = 0; n < 100; n++) {
        const answered = { messageId: `m${n}`, response: n }
        yield* store.commit(write("s", n, { messages: [message(2 * n + 1), message(2 * n + 2)], answered }))
        sizes.push(JSON.stringify([...database.collection("coxswain_sessions").documents.values()]).length)
      }
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(20)
      yield* store.remove("s")
      for (const { documents } of database.collections.values()) expect([...documents.keys()]).toEqual([])
    }))

  it.live("leaves no documents behind when a session is removed during writes to it", () =>
    Effect.gen(function*() {
      const database = new MongoDouble()
      const store = yield* Mongo.make({ database })
      for (let round = 0; round < 30; round++) {
        yield* store.commit(write("s", 0, { messages: [message(1)], answered: { messageId: "m", response: 1 } }))
        const writers = Effect.forEach([1, 2, 3], () => Effect.either(store.commit(write("s", 1))), { concurrency: 3 })
        yield* Effect.all([writers, store.remove("s")], { concurrency: 2 })
        yield* store.remove("s")
        for (const { documents } of database.collections.values()) expect([...documents.keys()]).toEqual([])
      }
    }))

  it.effect("ignores an answer older than `answersTimeToLive`, and stores the date on which MongoDB deletes it", () =>
    Effect.gen(function*() {
      const database = new MongoDouble()
      const store = yield* Mongo.make({ database, answersTimeToLive: "2 days" })
      yield* store.commit(write("s", 0, { answered: { messageId: "m", response: "old" } }))
      yield* store.commit(write("s", 1))
      yield* TestClock.adjust("1 day")
      expect(yield* store.response("s", "m")).toEqual(Option.some("old"))
      yield* TestClock.adjust("1 day")
      expect(yield* store.response("s", "m")).toEqual(Option.none())
      const [answer] = [...database.collection("coxswain_answers").documents.values()]
      expect(answer!.expires).toEqual(new Date(2 * 86_400_000))
    }))

  it.effect("fails with a typed error if the server is down or the prefix is invalid", () =>
    Effect.gen(function*() {
      const database = new MongoDouble()
      database.down = true
      expect(yield* Effect.flip(Mongo.make({ database }))).toMatchObject({
        _tag: "SessionStoreError",
        operation: "connect"
      })
      expect(yield* Effect.flip(Mongo.make({ database, collectionPrefix: "a.b" }))).toMatchObject({
        _tag: "LayerConfigurationError"
      })
    }))

  it.effect("limits the time of each request, repeats what is safe once, and names the address in errors", () =>
    Effect.gen(function*() {
      const database = new MongoDouble()
      const store = yield* Mongo.make({ database })
      yield* store.commit(write("s", 0, { messages: [message(1)] }))
      const lost = () => Object.assign(new Error("connection 5 closed"), { name: "MongoNetworkError" })
      database.failures.push(lost())
      expect(yield* store.load("s")).toMatchObject(Option.some({ version: 1 }))
      database.failures.push(lost())
      expect((yield* store.list({ limit: 5 })).items).toHaveLength(1)
      database.failures.push(lost(), lost())
      const twice = yield* Effect.flip(store.load("s"))
      expect(twice).toMatchObject({
        _tag: "SessionStoreError",
        operation: "load",
        why: "db.test:27017: connection 5 closed"
      })
      database.hangs = true
      const fiber = yield* Effect.fork(Effect.all([
        Effect.flip(store.load("s")),
        Effect.flip(store.commit(write("s", 1)))
      ], { concurrency: "unbounded" }))
      yield* TestClock.adjust("5 seconds")
      for (const error of yield* Fiber.join(fiber)) {
        expect(error).toMatchObject({ _tag: "SessionStoreError", why: "db.test:27017 did not answer within 5s" })
      }
    }))

  it.effect("does not repeat a commit that the server may have executed", () =>
    Effect.gen(function*() {
      const database = new MongoDouble()
      const store = yield* Mongo.make({ database })
      yield* store.commit(write("s", 0))
      const sessions = database.collection("coxswain_sessions")
      const update = sessions.updateOne.bind(sessions)
      let calls = 0
      sessions.updateOne = async (...args) => {
        calls++
        await update(...args)
        throw Object.assign(new Error("connection 5 closed"), { name: "MongoNetworkError" })
      }
      expect(yield* Effect.flip(store.commit(write("s", 1)))).toMatchObject({ _tag: "SessionStoreError" })
      sessions.updateOne = async () => {
        calls++
        throw Object.assign(new Error("connect ECONNREFUSED"), { name: "MongoServerSelectionError" })
      }
      expect(yield* Effect.flip(store.commit(write("s", 2)))).toMatchObject({ _tag: "SessionStoreError" })
      expect(calls).toBe(3)
      expect(yield* store.load("s")).toMatchObject(Option.some({ version: 2 }))
    }))

  it.effect("refuses a server without TTL indexes, and one whose updates are not atomic", () =>
    Effect.gen(function*() {
      const [eternal, racing] = [new MongoDouble(), new MongoDouble()]
      eternal.hasTtl = false
      racing.isAtomic = false
      const refusal = (database: MongoDouble) => Effect.flip(Mongo.make({ database }))
      expect(yield* refusal(eternal)).toMatchObject({
        _tag: "LayerConfigurationError",
        why: "the server has no TTL indexes, so that answers and journals would be kept for ever"
      })
      expect((yield* refusal(racing)).message).toContain("its updates are not atomic (8 of 8 writers")
      const sound = new MongoDouble()
      yield* Mongo.make({ database: sound })
      expect(sound.collection("coxswain_answers").documents.size).toBe(0)
    }))

  it.effect("refuses a commit and an outcome that are too large for a document, and says what is", () =>
    Effect.gen(function*() {
      const store = yield* Mongo.make({ database: new MongoDouble() })
      const large = "x".repeat(17 * 1_048_576)
      const refusal = (rest: Parameters<typeof write>[2]) => Effect.flip(store.commit(write("s", 0, rest)))
      expect(yield* refusal({ session: { large } })).toMatchObject({ _tag: "InvalidRequest", what: "session" })
      expect(yield* refusal({ messages: [message(1), message(2, large)] })).toMatchObject({ what: "message 2" })
      const error = yield* refusal({ answered: { messageId: "m", response: large } })
      expect(error).toMatchObject({
        what: "response",
        why:
          "it is too large to store: it has 17.0 MB, its document 17.0 MB, and a document of MongoDB takes at most 15.9 MB"
      })
      expect(error.message).not.toContain("reachable")
      // Each is small enough, but all are in one document.
      const most = "x".repeat(6 * 1_048_576)
      expect(yield* refusal({ messages: [1, 2, 3].map((n) => message(n, most)) })).toMatchObject({
        _tag: "InvalidRequest"
      })
      const at = "2026-01-01T00:00:00.000Z"
      const entry = { sessionId: "s", turnKey: "m", fingerprint: "f", outcome: "🛶".repeat(4_300_000), at }
      expect(yield* Effect.flip(store.journal(entry))).toMatchObject({ _tag: "InvalidRequest", what: "outcome" })
      expect(yield* store.load("s")).toEqual(Option.none())
    }))

  it.effect("writes each outcome of a turn once, and replaces one that has expired", () =>
    Effect.gen(function*() {
      const database = new MongoDouble()
      const store = yield* Mongo.make({ database, answersTimeToLive: "2 days" })
      const at = "2026-01-01T00:00:00.000Z"
      const journal = (fingerprint: string, outcome: string) =>
        store.journal({ sessionId: "s", turnKey: "m", fingerprint, outcome, at })
      const { documents } = database.collection("coxswain_journal")
      for (let n = 0; n < 40; n++) yield* journal(`f${n}`, "x".repeat(1000))
      expect(documents.size).toBe(40)
      for (const document of documents.values()) expect(JSON.stringify(document).length).toBeLessThan(1500)
      expect(yield* journal("f7", "another")).toBe("x".repeat(1000))
      yield* TestClock.adjust("2 days")
      expect(yield* store.journaled("s", "m")).toEqual([])
      expect(yield* journal("f7", "another")).toBe("another")
      expect(yield* store.journaled("s", "m")).toMatchObject([{ fingerprint: "f7", outcome: "another" }])
    }))
})
