import { KeyValueStore } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as KeyValue from "coxswain/layers/keyvalue"
import { sessionStoreConformance } from "coxswain/testing/conformance"
import { Effect, Layer, Option, TestClock } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Servers from "../../setup/servers.js"
import { write } from "./sqlSuite.js"

const folder = Servers.folder("KeyValueStore")
const files = (directory: string) => Layer.provide(KeyValueStore.layerFileSystem(directory), NodeContext.layer)
const sessionFiles = (directory: string) => fs.readdirSync(directory).filter((file) => file.includes("%2Fs%2F"))

describe("the session store on `KeyValueStore`", () => {
  afterAll(folder.close)

  sessionStoreConformance("KeyValueStore in memory", Layer.provide(KeyValue.layer(), KeyValueStore.layerMemory))

  const directory = path.join(folder.path, "conformance")
  sessionStoreConformance("KeyValueStore on files", Layer.provide(KeyValue.layer(), files(directory)), {
    corrupt: (id) =>
      Effect.sync(() => {
        const file = sessionFiles(directory).map((file) => path.join(directory, file))
          .find((file) => JSON.parse(fs.readFileSync(file, "utf8")).id === id)!
        const head = JSON.parse(fs.readFileSync(file, "utf8"))
        fs.writeFileSync(file, JSON.stringify({ ...head, session: "{\"broken\":" }))
      }),
    breakAndRestore: (during) =>
      Effect.acquireUseRelease(
        // A file in place of the folder: reads and writes fail.
        Effect.sync(() => (fs.renameSync(directory, `${directory}-away`), fs.writeFileSync(directory, ""))),
        () => during,
        () => Effect.sync(() => (fs.rmSync(directory), fs.renameSync(`${directory}-away`, directory)))
      )
  })

  it.effect("loads a session in another process, and removes all its files", () =>
    Effect.gen(function*() {
      const directory = path.join(folder.path, "remove")
      const layer = Layer.provide(KeyValue.layer(), files(directory))
      const message = (seq: number) => ({ seq, message: { n: seq }, createdAt: "2026-01-01T00:00:00.000Z" })
      yield* Effect.gen(function*() {
        const store = yield* SessionStore.SessionStore
        for (const n of [0, 1, 2]) {
          const answered = { messageId: `m${n}`, response: n }
          yield* store.commit(write("../x", n, { messages: [message(2 * n + 1), message(2 * n + 2)], answered }))
        }
      }).pipe(Effect.provide(layer))
      yield* Effect.gen(function*() {
        const store = yield* SessionStore.SessionStore
        const stored = Option.getOrThrow(yield* store.load("../x", { messages: 10 }))
        expect(stored.messages).toEqual([1, 2, 3, 4, 5, 6].map(message))
        yield* store.remove("../x")
        expect(fs.readdirSync(directory)).toEqual(["coxswain%2Findex"])
        expect(fs.readdirSync(folder.path)).not.toContain("x")
      }).pipe(Effect.provide(layer))
    }))

  it.effect("fails with SessionCorrupt for a truncated file, and keeps the file", () =>
    Effect.gen(function*() {
      const directory = path.join(folder.path, "torn")
      yield* Effect.gen(function*() {
        const store = yield* SessionStore.SessionStore
        yield* store.commit(write("a", 0))
        const torn = path.join(directory, sessionFiles(directory)[0]!)
        yield* store.commit(write("b", 0))
        fs.writeFileSync(torn, fs.readFileSync(torn, "utf8").slice(0, 40))
        expect(yield* Effect.flip(store.load("a"))).toMatchObject({ _tag: "SessionCorrupt", sessionId: "a" })
        expect(yield* Effect.flip(store.commit(write("a", 0)))).toMatchObject({ _tag: "SessionStoreError" })
        expect((yield* store.list({ limit: 5 })).items.map(({ id }) => id)).toEqual(["b"])
        expect(fs.readFileSync(torn, "utf8")).toHaveLength(40)
        yield* store.remove("a")
        expect(yield* store.commit(write("a", 0))).toEqual({ version: 1 })
      }).pipe(Effect.provide(Layer.provide(KeyValue.layer(), files(directory))))
    }))

  it.effect("ignores a stored answer after `answersTimeToLive`", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      yield* store.commit(write("s", 0, { answered: { messageId: "m", response: "old" } }))
      yield* TestClock.adjust("1 day")
      expect(yield* store.response("s", "m")).toEqual(Option.some("old"))
      yield* store.commit(write("s", 1))
      expect(yield* store.response("s", "m")).toEqual(Option.some("old"))
      yield* TestClock.adjust("1 day")
      expect(yield* store.response("s", "m")).toEqual(Option.none())
    }).pipe(
      Effect.provide(Layer.provide(KeyValue.layer({ answersTimeToLive: "2 days" }), KeyValueStore.layerMemory))
    ))

  it.effect("runs operations one at a time, so that only one of several concurrent commits succeeds", () =>
    // Every operation lets other fibers run first: without the semaphore both writers would see the same version.
    Effect.gen(function*() {
      const inner = yield* KeyValueStore.KeyValueStore
      const lagging = KeyValueStore.make({
        ...inner,
        get: (key) => Effect.zipRight(Effect.yieldNow(), inner.get(key)),
        set: (key, value) => Effect.zipRight(Effect.yieldNow(), inner.set(key, value))
      })
      const store = yield* KeyValue.make().pipe(Effect.provideService(KeyValueStore.KeyValueStore, lagging))
      const results = yield* Effect.all(Array.from({ length: 20 }, () => Effect.either(store.commit(write("s", 0)))), {
        concurrency: "unbounded"
      })
      expect(results.filter(({ _tag }) => _tag === "Right")).toHaveLength(1)
    }).pipe(Effect.provide(KeyValueStore.layerMemory)))
})
