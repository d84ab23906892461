/**
 * A file of recordings, for tests and demonstrations. People review its JSON, so each write replaces the whole file.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

interface RecordingFile<A> {
  /** The content of the file; undefined if there is no file, or `anew` is set. */
  readonly stored: A | undefined
  /** Writes a temporary file and renames it, so that a process that dies leaves either the old or the new file. */
  readonly save: (content: () => A) => Effect.Effect<void, PlatformError>
}

export const open = <A>(
  path: string,
  schema: Schema.Schema<A>,
  { anew }: { readonly anew: boolean }
): Effect.Effect<RecordingFile<A>, PlatformError | ParseResult.ParseError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const alone = yield* Effect.makeSemaphore(1)
    const isThere = !anew && (yield* fs.exists(path))
    const stored = isThere
      ? yield* Effect.flatMap(fs.readFileString(path), Schema.decode(Schema.parseJson(schema)))
      : undefined
    return {
      stored,
      save: (content) =>
        Effect.suspend(() =>
          Effect.zipRight(
            fs.writeFileString(`${path}.tmp`, `${JSON.stringify(content(), undefined, 2)}\n`),
            fs.rename(`${path}.tmp`, path)
          )
        ).pipe(alone.withPermits(1))
    }
  })
