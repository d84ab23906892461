import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as FileSystem from "@effect/platform/FileSystem"
import { describe, expect, it } from "@effect/vitest"
import { TurnLog } from "coxswain"
import * as TurnLogs from "coxswain/layers/turn-log"
import { Chunk, Effect, Logger, LogLevel, Stream } from "effect"
import { turnEntry } from "../../support/turnEntry.js"

const withFile = <A, E>(
  test: (path: string) => Effect.Effect<A, E, FileSystem.FileSystem>
): Effect.Effect<A, unknown> =>
  Effect.flatMap(
    FileSystem.FileSystem,
    (fs) => Effect.flatMap(fs.makeTempDirectoryScoped(), (folder) => test(`${folder}/turns.jsonl`))
  ).pipe(
    Effect.scoped,
    Effect.provide(NodeFileSystem.layer),
    Logger.withMinimumLogLevel(LogLevel.None)
  )

const append = (path: string, ...replies: ReadonlyArray<string>) =>
  Effect.flatMap(
    TurnLog.TurnLog,
    (log) => Effect.forEach(replies, (reply) => log.append(turnEntry("s", reply)), { concurrency: "unbounded" })
  ).pipe(
    Effect.provide(TurnLogs.layerFile({ path }))
  )

const read = (path: string, query?: { readonly sessionId: string }) =>
  Effect.flatMap(TurnLog.TurnLog, (log) => Stream.runCollect(log.read(query))).pipe(
    Effect.provide(TurnLogs.layerFile({ path })),
    Effect.map((all) => Chunk.toReadonlyArray(all).map(({ reply }) => reply))
  )

const replies = Array.from({ length: 50 }, (_, n) => `turn ${n}\n\u2028 👍`)

describe("a turn log in a file", () => {
  it.effect("reads entries in order, also after concurrent appends and reopening", () =>
    withFile((path) =>
      Effect.gen(function*() {
        yield* append(path, ...replies)
        yield* append(path, "the last")
        expect(yield* read(path)).toEqual([...replies, "the last"])
        expect(yield* read(path, { sessionId: "s" })).toHaveLength(51)
        expect(yield* read(path, { sessionId: "t" })).toEqual([])
      })
    ))

  it.effect("skips an incomplete line and no other", () =>
    withFile((path) =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        yield* append(path, "one", "two")
        const text = yield* fs.readFileString(path)
        yield* fs.writeFileString(path, text.slice(0, -20))
        expect(yield* read(path)).toEqual(["one"])
        yield* append(path, "three")
        expect(yield* read(path)).toEqual(["one", "three"])
      })
    ))

  it.effect("skips lines that are not turns", () =>
    withFile((path) =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(path, "{\"format\":2}\n\n[]\n")
        yield* append(path, "one")
        expect(yield* read(path)).toEqual(["one"])
      })
    ))

  it.effect("fails with a TurnLogError if the file cannot be opened", () =>
    withFile((path) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(append(`${path}/nowhere/turns.jsonl`, "one"))
        expect(error).toMatchObject({ _tag: "TurnLogError", operation: "open" })
        expect(error.message).toContain("Check that")
      })
    ))
})
