/** Stores the files of conversations: sessions hold references, never bytes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { BlobStoreError } from "../../domain/base/error/Errors.js"

/** A file. */
export interface Blob {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

export interface Service {
  /**
   * Name of the storage, for the report about erased data: `memory`, `folder uploads`. It must not contain a secret.
   */
  readonly place: string
  /** Stores a file under an id that is new and hard to guess: letters, digits, `-`, `_` and `/`. */
  readonly put: (id: string, blob: Blob) => Effect.Effect<void, BlobStoreError>
  /**
   * Stores a file while it arrives, without having all of it in memory. If it fails or is interrupted, nothing is
   * stored. Absent if the store needs the whole file: `receive` then reads the whole file first.
   */
  readonly putStream?:
    | (<E>(
      id: string,
      mediaType: string,
      bytes: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<void, BlobStoreError | E>)
    | undefined
  /** Returns the file; `None` if it was never stored, or has been removed. */
  readonly get: (id: string) => Effect.Effect<Option.Option<Blob>, BlobStoreError>
  /** Removes the file, if it exists. */
  readonly remove: (id: string) => Effect.Effect<void, BlobStoreError>
  /** Lists the ids of all files that begin with `prefix`. Fails if no valid id can begin with it. */
  readonly list: (prefix: string) => Effect.Effect<ReadonlyArray<string>, BlobStoreError>
  /**
   * Returns the number of bytes of all files whose ids begin with `prefix`. Absent if the store cannot tell: `sizeOf`
   * then reads the files to count their bytes.
   */
  readonly size?: ((prefix: string) => Effect.Effect<number, BlobStoreError>) | undefined
}

export class BlobStore extends Context.Tag("coxswain/BlobStore")<BlobStore, Service>() {}

const allowed = /^[A-Za-z0-9_-]{1,200}(\/[A-Za-z0-9_-]{1,200}){0,3}$/

/** Fails if a text cannot be the id of a file. Ids have no characters with a meaning in a path or an address. */
export const checkId = (id: string): Effect.Effect<void, BlobStoreError> =>
  allowed.test(id) ? Effect.void : Effect.fail(
    new BlobStoreError({
      operation: "put",
      why: "the id of a file has other characters than letters, digits, \"-\", \"_\" and \"/\""
    })
  )

/** Fails if no id may begin with this text. */
export const checkPrefix = (prefix: string): Effect.Effect<void, BlobStoreError> =>
  Effect.mapError(checkId(`${prefix}a`), ({ why }) => new BlobStoreError({ operation: "list", why }))

/** Stores a file while it arrives; see `putStream`. */
export const receive = <E>(
  store: Service,
  id: string,
  mediaType: string,
  bytes: Stream.Stream<Uint8Array, E>
): Effect.Effect<void, BlobStoreError | E> =>
  store.putStream !== undefined
    ? store.putStream(id, mediaType, bytes)
    : Effect.flatMap(Stream.runCollect(bytes), (chunks) => store.put(id, { mediaType, bytes: joined(chunks) }))

const joined = (chunks: Iterable<Uint8Array>): Uint8Array => {
  const all = Array.from(chunks)
  const whole = new Uint8Array(all.reduce((length, chunk) => length + chunk.length, 0))
  let at = 0
  for (const chunk of all) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** Returns the number of bytes of all files whose ids begin with `prefix`; see `size`. */
export const sizeOf = (store: Service, prefix: string): Effect.Effect<number, BlobStoreError> =>
  store.size !== undefined
    ? store.size(prefix)
    : Effect.flatMap(
      store.list(prefix),
      (ids) =>
        Effect.reduce(ids, 0, (sum, id) =>
          Effect.map(store.get(id), (found) =>
            sum + Option.match(found, {
              onNone: () => 0,
              onSome: ({ bytes }) => bytes.length
            })))
    )

/** Stores files in memory: for tests, and for single processes that may lose their files at exit. */
export const layerMemory: Layer.Layer<BlobStore> = Layer.sync(BlobStore, () => makeMemory())

/** Makes the service of `layerMemory`. */
export const makeMemory = (): Service => {
  const blobs = new Map<string, Blob>()
  const ids = (prefix: string) => Array.from(blobs.keys()).filter((id) => id.startsWith(prefix))
  return {
    place: "memory",
    list: (prefix) => Effect.map(checkPrefix(prefix), () => ids(prefix)),
    size: (prefix) =>
      Effect.map(checkPrefix(prefix), () => ids(prefix).reduce((sum, id) => sum + blobs.get(id)!.bytes.length, 0)),
    put: (id, blob) => Effect.zipRight(checkId(id), Effect.sync(() => void blobs.set(id, blob))),
    get: (id) => Effect.sync(() => Option.fromNullable(blobs.get(id))),
    remove: (id) => Effect.sync(() => void blobs.delete(id))
  }
}
