/** The limit of stored bytes per user. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import { beginnings } from "../../../pipeline/state/files.js"
import * as BlobStore from "../../../services/storage/BlobStore.js"
import * as Problem from "../requests/Problem.js"

/** Counts bytes that are about to be stored. Fails if the user would then have more than the limit. */
export type Counted = (bytes: number) => Effect.Effect<void, Problem.Problem>

export interface StorageQuota {
  /**
   * Measures what the user has stored. While the scope is open, the bytes that it counts are also counted for other
   * requests of the user, because the store does not have them yet. If the scope fails, they are given back.
   */
  readonly reserve: (userId: string) => Effect.Effect<Counted, Problem.Problem, Scope.Scope>
}

const exceeded = (limit: number) =>
  Problem.make(
    413,
    "StorageQuotaExceeded",
    "The user's storage is full",
    `The stored files of a user may have ${limit} bytes, and with this one they have more. Send a smaller file, or have ` +
      "files removed that are no longer needed.",
    { field: "parts" }
  )

export const make = (
  blobs: BlobStore.Service | undefined,
  limit: number
): Effect.Effect<StorageQuota, never, Scope.Scope> =>
  Effect.map(
    RcMap.make({
      lookup: (userId: string) =>
        Effect.map(
          blobs === undefined ? Effect.succeed(0) : BlobStore.sizeOf(blobs, beginnings.ofUser(userId)),
          (bytes) => ({ bytes })
        )
    }),
    (users): StorageQuota => ({
      reserve: (userId) =>
        Effect.gen(function*() {
          const used = yield* Effect.mapError(RcMap.get(users, userId), Problem.ofError)
          let reserved = 0
          yield* Effect.addFinalizer((exit) =>
            Effect.sync(() => {
              if (Exit.isFailure(exit)) used.bytes -= reserved
            })
          )
          return (bytes) =>
            Effect.suspend(() => {
              used.bytes += bytes
              reserved += bytes
              return used.bytes > limit ? Effect.fail(exceeded(limit)) : Effect.void
            })
        })
    })
  )
