import { describe, expect, it } from "@effect/vitest"
import * as Mongo from "coxswain/layers/mongo"
import { sessionStoreConformance } from "coxswain/testing/conformance"
import { Effect, Option, TestClock } from "effect"
import { record } from "../../setup/engines.js"
import { MongoDouble } from "./MongoDouble.js"
import { write } from "./sqlSuite.js"

record("MongoDB: no server (a double at the boundary of its driver was used)", false)

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
      expect([...database.collections].map(([name, { indexes }]) => [name, indexes])).toEqual([
        ["bot_sessions", [
          ["updatedAt -1,_id -1", undefined],
          ["userId 1,updatedAt -1,_id -1", undefined],
          ["wakeAt 1,_id 1", undefined],
          ["waits 1,updatedAt -1,_id -1", undefined]
        ]],
        ["bot_messages", [["epoch 1,seq 1", undefined]]],
        ["bot_answers", [["epoch 1", undefined], ["expires 1", { expireAfterSeconds: 0 }]]],
        ["bot_journal", [["sessionId 1", undefined], ["expires 1", { expireAfterSeconds: 0 }]]]
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
        _tag: "FlowConfigurationError"
      })
    }))
})
