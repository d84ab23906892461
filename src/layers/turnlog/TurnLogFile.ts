/** A turn log in a file: one line of JSON per turn. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TurnLog from "../../services/turn/TurnLog.js"

export interface FileOptions {
  /** The file. It is created if missing; its folder must exist. */
  readonly path: string
  /**
   * How long turns are kept. Once an hour, older turns are overwritten with spaces. The file does not get smaller, so
   * begin a new file from time to time, or use a database. Default: for ever.
   */
  readonly retention?: Duration.DurationInput | undefined
}

const failed = (operation: TurnLog.TurnLogError["operation"], path: string) => (cause: { readonly message: string }) =>
  new TurnLog.TurnLogError({
    operation,
    why: cause.message,
    fix: `Check that "${path}" can be read and written, and that there is room`
  })

interface PendingLine {
  readonly line: string
  readonly done: Deferred.Deferred<void, TurnLog.TurnLogError>
}

/**
 * Overwrites matching lines with spaces, in place, because other processes may append lines meanwhile. Readers skip
 * blank lines. Returns the number of overwritten lines.
 */
const blank = (fs: FileSystem.FileSystem, path: string, isOne: (line: string) => boolean) =>
  Effect.scoped(Effect.gen(function*() {
    const file = yield* fs.open(path, { flag: "r+" })
    const decoder = new TextDecoder()
    const found: Array<readonly [from: number, length: number]> = []
    let begins = 0
    let rest = new Uint8Array(0)
    for (;;) {
      const chunk = yield* file.readAlloc(65_536)
      if (chunk._tag === "None") break
      const bytes = new Uint8Array(rest.length + chunk.value.length)
      bytes.set(rest)
      bytes.set(chunk.value, rest.length)
      let from = 0
      for (let end = bytes.indexOf(0x0a, rest.length); end !== -1; end = bytes.indexOf(0x0a, from)) {
        if (isOne(decoder.decode(bytes.subarray(from, end)))) found.push([begins + from, end - from])
        from = end + 1
      }
      begins += from
      rest = bytes.slice(from)
    }
    for (const [from, length] of found) {
      yield* file.seek(FileSystem.Size(from), "start")
      yield* file.writeAll(new Uint8Array(length).fill(0x20))
    }
    yield* file.sync
    return found.length
  }))

/** True if the file ends in the middle of a line, because a process died while it wrote. */
const isTorn = (fs: FileSystem.FileSystem, path: string) =>
  Effect.scoped(Effect.gen(function*() {
    if (!(yield* fs.exists(path))) return false
    const { size } = yield* fs.stat(path)
    if (size === 0n) return false
    const file = yield* fs.open(path, { flag: "r" })
    yield* file.seek(FileSystem.Size(size - 1n), "start")
    const last = yield* file.readAlloc(1)
    return last._tag === "Some" && last.value[0] !== 0x0a
  }))

/** Makes a log in a file. Turns that are appended at the same time are written together. */
export const makeFile = (
  { path, retention }: FileOptions
): Effect.Effect<TurnLog.Service, TurnLog.TurnLogError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    let torn = yield* isTorn(fs, path)
    const file = yield* fs.open(path, { flag: "a", mode: 0o600 })
    const alone = yield* Effect.makeSemaphore(1)
    const encoder = new TextEncoder()
    let waiting: ReadonlyArray<PendingLine> = []

    const writeAll = Effect.suspend(() => {
      const batch = waiting
      waiting = []
      if (batch.length === 0) return Effect.void
      const text = `${torn ? "\n" : ""}${batch.map(({ line }) => `${line}\n`).join("")}`
      // Until the write has succeeded, the file may end in the middle of a line.
      torn = true
      return file.writeAll(encoder.encode(text)).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            torn = false
          })
        ),
        Effect.mapError(failed("append", path)),
        Effect.exit,
        Effect.flatMap((exit) => Effect.forEach(batch, ({ done }) => Deferred.done(done, exit), { discard: true }))
      )
    })

    const log = TurnLog.TurnLog.of({
      place: `file ${path}`,
      remove: (which) =>
        Effect.mapError(alone.withPermits(1)(blank(fs, path, TurnLog.isOf(which))), failed("remove", path)),
      append: (entry) =>
        Effect.flatMap(Deferred.make<void, TurnLog.TurnLogError>(), (done) => {
          waiting = [...waiting, { line: TurnLog.line(entry), done }]
          return Effect.zipRight(Effect.uninterruptible(alone.withPermits(1)(writeAll)), Deferred.await(done))
        }),
      read: (query) =>
        fs.stream(path).pipe(
          Stream.decodeText("utf-8"),
          Stream.splitLines,
          Stream.mapError(failed("read", path)),
          (lines) => TurnLog.entries(lines, query)
        )
    })
    yield* TurnLog.keepFor(log, retention)
    return log
  }).pipe(Effect.catchTags({
    BadArgument: (cause) => Effect.fail(failed("open", path)(cause)),
    SystemError: (cause) => Effect.fail(failed("open", path)(cause))
  }))

/**
 * Keeps each turn as a line of JSON at the end of a file. A turn is in the file before it is answered. A process that
 * dies while it writes loses only its last line. The file is created with mode 600.
 */
export const layerFile = (
  options: FileOptions
): Layer.Layer<TurnLog.TurnLog, TurnLog.TurnLogError, FileSystem.FileSystem> =>
  Layer.scoped(TurnLog.TurnLog, makeFile(options))
