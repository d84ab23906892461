/** Files in a folder that arrive in pieces. */
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { BlobStore } from "coxswain"
import * as FileStore from "coxswain/layers/blobs-file"
import { Effect, Fiber, Layer, Option, Stream } from "effect"

const opened = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const blobs = yield* Effect.map(Layer.build(FileStore.layer({ folder })), (context) => context)
  const store = yield* Effect.provide(BlobStore.BlobStore, blobs)
  return { store, names: fs.readDirectory(folder, { recursive: true }) }
})

const piece = new Uint8Array(1000).fill(7)

it.scopedLive("the file store lists a file that is received in pieces only after the last piece", () =>
  Effect.gen(function*() {
    const { names, store } = yield* opened
    const seen: Array<ReadonlyArray<string>> = []
    const pieces = Stream.mapEffect(
      Stream.make(piece, piece, piece),
      (one) => Effect.as(Effect.tap(store.list("u"), (ids) => Effect.sync(() => seen.push(ids))), one)
    )
    yield* BlobStore.receive(store, "u1-a", "image/png", pieces)
    expect(seen).toEqual([[], [], []])
    const found = Option.getOrThrow(yield* store.get("u1-a"))
    expect([found.mediaType, found.bytes.length]).toEqual(["image/png", 3000])
    expect([...yield* names].sort()).toEqual(["u1-a.bin", "u1-a.type"])
  }).pipe(Effect.provide(NodeContext.layer)))

it.scopedLive("the file store removes the received pieces when a transfer fails or is interrupted", () =>
  Effect.gen(function*() {
    const { names, store } = yield* opened
    const failing = Stream.concat(Stream.make(piece), Stream.fail("cut" as const))
    expect(yield* Effect.flip(BlobStore.receive(store, "u1-a", "image/png", failing))).toBe("cut")
    const written = yield* Effect.makeLatch()
    const waiting = Stream.concat(Stream.make(piece), Stream.execute(Effect.zipRight(written.open, Effect.never)))
    const fiber = yield* Effect.fork(BlobStore.receive(store, "u1-b", "image/png", waiting))
    yield* written.await
    yield* Fiber.interrupt(fiber)
    expect(yield* names).toEqual([])
  }).pipe(Effect.provide(NodeContext.layer)))

it.scopedLive("the file store tells the size of a user's files, without those that are removed or arriving", () =>
  Effect.gen(function*() {
    const { store } = yield* opened
    const blob = { mediaType: "image/png", bytes: piece }
    yield* Effect.forEach(["u1-a", "u1/b", "u2-a"], (id) => store.put(id, blob))
    const seen = Stream.fromEffect(
      Effect.as(Effect.map(BlobStore.sizeOf(store, "u1"), (size) => expect(size).toBe(2000)), piece)
    )
    yield* BlobStore.receive(store, "u1-c", "image/png", Stream.concat(Stream.make(piece), seen))
    expect(yield* BlobStore.sizeOf(store, "u1")).toBe(4000)
    yield* store.remove("u1/b")
    expect(yield* BlobStore.sizeOf(store, "u1")).toBe(3000)
    expect(yield* BlobStore.sizeOf(store, "u3")).toBe(0)
  }).pipe(Effect.provide(NodeContext.layer)))
