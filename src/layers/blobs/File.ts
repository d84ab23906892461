/** Files of conversations in a folder, over the `FileSystem` of `@effect/platform`. */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sumAll } from "effect/Number"
import * as Option from "effect/Option"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { BlobStoreError } from "../../domain/base/error/Errors.js"
import { BlobStore, checkId, checkPrefix } from "../../services/storage/BlobStore.js"

const failed = (operation: BlobStoreError["operation"]) => (cause: { readonly message: string }) =>
  new BlobStoreError({ operation, why: cause.message, cause })

const isMissing = (error: PlatformError): boolean => error._tag === "SystemError" && error.reason === "NotFound"

/**
 * Stores each file in the folder. A file is written under a temporary name and then renamed, so that a reader never
 * gets an incomplete file. Its media type is in a second file. Folders are created with mode 700 and files with 600.
 */
export const layer = (options: {
  /** The folder; it is created if missing. */
  readonly folder: string
}): Layer.Layer<BlobStore, BlobStoreError, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    BlobStore,
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const place = (id: string, ending: string) => path.join(options.folder, `${id}.${ending}`)
      yield* Effect.mapError(fs.makeDirectory(options.folder, { recursive: true, mode: 0o700 }), failed("put"))
      const write = (file: string, bytes: Uint8Array) =>
        Effect.zipRight(fs.writeFile(`${file}.part`, bytes, { mode: 0o600 }), fs.rename(`${file}.part`, file))
      const prepare = (id: string, mediaType: string) =>
        fs.makeDirectory(path.dirname(place(id, "bin")), { recursive: true, mode: 0o700 }).pipe(
          Effect.zipRight(write(place(id, "type"), new TextEncoder().encode(mediaType)))
        )
      /** Removes the parts of a file whose writing was interrupted. */
      const forget = (id: string) =>
        Effect.ignore(Effect.forEach(["bin.part", "type"], (ending) => fs.remove(place(id, ending), { force: true })))
      const ids = Effect.map(
        fs.readDirectory(options.folder, { recursive: true }),
        (names) => names.flatMap((name) => name.endsWith(".bin") ? [name.slice(0, -4).split(path.sep).join("/")] : [])
      )
      const list = (prefix: string) =>
        Effect.zipRight(
          checkPrefix(prefix),
          Effect.mapBoth(ids, {
            onFailure: failed("list"),
            onSuccess: (all) => all.filter((id) => id.startsWith(prefix))
          })
        )
      /** 0 if the file has been removed meanwhile. */
      const sizeOf = (id: string) =>
        fs.stat(place(id, "bin")).pipe(
          Effect.map(({ size }) => Number(size)),
          Effect.catchIf(isMissing, () => Effect.succeed(0)),
          Effect.mapError(failed("list"))
        )
      return {
        place: `folder ${options.folder}`,
        list,
        size: (prefix) => Effect.map(Effect.flatMap(list(prefix), Effect.forEach(sizeOf)), sumAll),
        put: (id, { bytes, mediaType }) =>
          Effect.zipRight(
            checkId(id),
            Effect.mapError(Effect.zipRight(prepare(id, mediaType), write(place(id, "bin"), bytes)), failed("put"))
          ),
        putStream: (id, mediaType, bytes) => {
          const [whole, part] = [place(id, "bin"), place(id, "bin.part")]
          const arriving = Stream.run(bytes, Sink.mapError(fs.sink(part, { mode: 0o600 }), failed("put")))
          return Effect.zipRight(checkId(id), Effect.mapError(prepare(id, mediaType), failed("put"))).pipe(
            Effect.zipRight(arriving),
            Effect.zipRight(Effect.mapError(fs.rename(part, whole), failed("put"))),
            Effect.onError(() => forget(id))
          )
        },
        get: (id) =>
          Effect.zipRight(
            checkId(id),
            Effect.zipWith(
              fs.readFile(place(id, "bin")),
              fs.readFileString(place(id, "type")),
              (bytes, mediaType) => Option.some({ bytes, mediaType })
            ).pipe(
              Effect.catchIf(isMissing, () => Effect.succeedNone),
              Effect.mapError(failed("get"))
            )
          ),
        remove: (id) =>
          Effect.zipRight(
            checkId(id),
            Effect.forEach(["bin", "type"], (ending) => fs.remove(place(id, ending), { force: true }), {
              discard: true
            }).pipe(Effect.mapError(failed("remove")))
          )
      }
    })
  )
