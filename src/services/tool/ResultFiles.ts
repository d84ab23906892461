/** Checks the files of a tool's result and stores their bytes before the result is returned. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { finalizeBestEffort } from "../../domain/base/finalizeBestEffort.js"
import type { CompiledTool } from "../../domain/definition/Definition.js"
import * as Part from "../../domain/session/part/Part.js"
import * as ToolFile from "../../domain/session/part/ToolFile.js"
import type * as BlobStore from "../storage/BlobStore.js"

/** Storage for the files of a call's result. */
export interface FilePlace {
  /** The store; absent if there is none: files can then be given only by their address. */
  readonly store: BlobStore.Service | undefined
  /** Makes a new id for the store, hard to guess. */
  readonly newId: Effect.Effect<string>
  /** The agent's `files` option. */
  readonly limits: ToolFile.Options | undefined
}

const nowhere =
  "there is no place for them: provide a BlobStore where the agent is made, or give files by their address"
const noConversation = "outside of a conversation's turn nothing tells of them"

/**
 * Stores the files of a result and returns references to them. If one cannot be stored, removes the files already
 * stored, and fails with the reason. `limit` is the time limit of the store.
 */
export const keep = (
  tool: CompiledTool,
  given: unknown,
  place: FilePlace | undefined,
  limit: Duration.Duration
): Effect.Effect<ReadonlyArray<ToolFile.ToolFile>, string> =>
  Effect.suspend(() => {
    const made = ToolFile.check(given, ToolFile.resolve(tool.files, place?.limits))
    if (Either.isLeft(made)) return Effect.fail(made.left)
    if (made.right.length === 0) return Effect.succeed([])
    if (place === undefined) return Effect.fail(noConversation)
    const { newId, store } = place
    const ids: Array<string> = []
    const kept = Effect.forEach(made.right, (file): Effect.Effect<ToolFile.ToolFile, string> => {
      if ("url" in file) return Effect.succeed(file)
      if (store === undefined) return Effect.fail(nowhere)
      return Effect.flatMap(newId, (id) => {
        ids.push(id)
        return put(store, id, file)
      })
    })
    return kept.pipe(
      Effect.timeoutFail({
        duration: limit,
        onTimeout: () => `the BlobStore did not take them within ${Duration.format(limit)}`
      }),
      Effect.onError(() => store === undefined ? Effect.void : removed(store, ids))
    )
  })

const put = (
  store: BlobStore.Service,
  ref: string,
  { bytes, mediaType, name }: Extract<ToolFile.Made, { readonly bytes: Uint8Array }>
): Effect.Effect<ToolFile.ToolFile, string> =>
  Effect.matchCauseEffect(store.put(ref, { mediaType, bytes }), {
    onFailure: (cause) =>
      Effect.zipRight(
        Effect.logError("A file of a tool was not kept", cause),
        Effect.fail(`the BlobStore did not take "${name}"`)
      ),
    onSuccess: () => Effect.succeed({ mediaType, name, ref, size: bytes.length })
  })

const removed = (store: BlobStore.Service, ids: ReadonlyArray<string>): Effect.Effect<void> =>
  finalizeBestEffort(
    Effect.forEach(ids, (id) => store.remove(id), { discard: true }),
    "Files that nobody is told of stay in the BlobStore"
  )

/**
 * Returns the output for the model: the tool's text, and the names of the files. The model does not see the content of
 * files.
 */
export const named = (output: string, files: ReadonlyArray<ToolFile.ToolFile>): string =>
  files.length === 0 ? output : `${output}\n${Part.named(files)}`
