/** The storage of a node's shard locks, with a workaround for a race in `@effect/cluster`. */
import { RunnerStorage } from "@effect/cluster/RunnerStorage"
import type { ShardId } from "@effect/cluster/ShardId"
import * as Effect from "effect/Effect"

/**
 * Returns the storage with a `refresh` that also returns shards which are acquired while it runs. `@effect/cluster` 0.60
 * releases each shard that the refresh does not return, and lists the shards before it adds those that it has just
 * acquired. So without this fix, the sessions of a dead node sometimes moved twice, which took seconds longer.
 */
export const refreshingAcquired = (storage: RunnerStorage["Type"]): RunnerStorage["Type"] => {
  /** The shards that were acquired, and that `@effect/cluster` has not listed yet. */
  const unlisted = new Set<ShardId>()
  return RunnerStorage.of({
    ...storage,
    acquire: (address, shards) =>
      Effect.tap(
        storage.acquire(address, shards),
        (acquired) => Effect.sync(() => acquired.forEach((shard) => unlisted.add(shard)))
      ),
    refresh: (address, shards) =>
      Effect.suspend(() => {
        const listed = Array.from(shards)
        for (const shard of listed) unlisted.delete(shard)
        const asked = new Set([...listed, ...unlisted])
        return Effect.map(storage.refresh(address, asked), (kept) => [
          ...kept,
          ...Array.from(unlisted).filter((shard) => !asked.has(shard))
        ])
      }),
    release: (address, shard) =>
      Effect.suspend(() => {
        unlisted.delete(shard)
        return storage.release(address, shard)
      }),
    releaseAll: (address) =>
      Effect.suspend(() => {
        unlisted.clear()
        return storage.releaseAll(address)
      })
  })
}
