import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Mongo from "coxswain/layers/mongo"
import { sessionStoreConformance } from "coxswain/testing/conformance"
import { Effect } from "effect"
import { MongoClient } from "mongodb"
import * as servers from "../../setup/servers.js"
import { write } from "./sqlSuite.js"

const server = await servers.mongo()
const connect = (url: string) =>
  new MongoClient(url, { writeConcern: { w: "majority" }, serverSelectionTimeoutMS: 1000 })
const client = server === undefined ? undefined : connect(server.url)
afterAll(async () => {
  await client?.close()
  await server?.close()
})

describe.skipIf(server === undefined)("the MongoDB store on a server", () => {
  const { process, url } = server ?? { url: "mongodb://127.0.0.1:1" }
  const database = (client ?? connect(url)).db("bot")

  sessionStoreConformance("MongoDB", Mongo.layer({ database, timeout: "10 seconds" }), {
    corrupt: (id) =>
      Effect.promise(() =>
        database.collection<{ _id: string }>("coxswain_sessions").updateOne(
          { _id: id },
          { $set: { session: "{\"broken\":" } }
        )
      ),
    ...(process !== undefined && {
      breakAndRestore: (during) =>
        Effect.acquireUseRelease(
          Effect.promise(process.stop),
          () => during,
          () => Effect.promise(process.start)
        )
    })
  })

  it.live("keeps a turn with 40 outcomes of half a megabyte, which are more than one document takes", () =>
    Effect.gen(function*() {
      const store = yield* Mongo.make({ database, collectionPrefix: "large_" })
      const outcome = "x".repeat(500_000)
      const at = "2026-01-01T00:00:00.000Z"
      for (let n = 0; n < 40; n++) {
        yield* store.journal({ sessionId: "s", turnKey: "m", fingerprint: `f${n}`, outcome, at })
      }
      expect((yield* store.journaled("s", "m")).map(({ fingerprint }) => fingerprint).sort()).toHaveLength(40)
      yield* store.commit(write("s", 0, { turnKey: "m" }))
      expect(yield* store.journaled("s", "m")).toEqual([])
    }))
})

it.live("fails within its limit of time while no server listens, with the address", () =>
  Effect.gen(function*() {
    const client = new MongoClient("mongodb://127.0.0.1:1")
    yield* Effect.addFinalizer(() => Effect.promise(() => client.close()))
    const error = yield* Effect.flip(Mongo.make({ database: client.db("bot"), timeout: "300 millis" }))
    expect(error).toMatchObject({ _tag: "SessionStoreError", operation: "connect" })
    expect(error.message).toContain("127.0.0.1:1 did not answer within 300ms")
  }).pipe(Effect.scoped))
