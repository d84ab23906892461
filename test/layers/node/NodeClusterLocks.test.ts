/** The locks of a node's shards when shards are acquired while the locks are refreshed. */
import { RunnerAddress, type RunnerStorage, RunnerStorage as Storage, ShardId } from "@effect/cluster"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { refreshingAcquired } from "../../../src/layers/node/NodeClusterLocks.js"

const node = RunnerAddress.make("node", 1)
const [one, two] = [ShardId.make("default", 1), ShardId.make("default", 2)]

/** A storage in which the node owns what it acquired; a refresh waits for `answer`, and returns what the node owns of the asked. */
const made = Effect.gen(function*() {
  const owned = new Set<ShardId.ShardId>()
  const answer = yield* Deferred.make<void>()
  const storage: RunnerStorage.RunnerStorage["Type"] = {
    ...yield* Storage.makeMemory,
    acquire: (_, shards) =>
      Effect.sync(() =>
        Array.from(shards, (shard) => {
          owned.add(shard)
          return shard
        })
      ),
    refresh: (_, shards) =>
      Effect.suspend(() => {
        const kept = Array.from(shards).filter((shard) => owned.has(shard))
        return Effect.as(Deferred.await(answer), kept)
      })
  }
  return { owned, answer: Deferred.succeed(answer, undefined), locks: refreshingAcquired(storage) }
})

describe("a refresh of the locks of shards", () => {
  it.effect("returns a shard that is acquired while it runs", () =>
    Effect.gen(function*() {
      const { answer, locks } = yield* made
      yield* locks.acquire(node, [one])
      const refreshing = yield* Effect.fork(locks.refresh(node, [one]))
      yield* Effect.yieldNow()
      yield* locks.acquire(node, [two])
      yield* answer
      expect(yield* Fiber.join(refreshing)).toEqual([one, two])
    }))

  it.effect("refreshes and returns a shard that was acquired and is not listed yet", () =>
    Effect.gen(function*() {
      const { answer, locks } = yield* made
      yield* locks.acquire(node, [one, two])
      yield* answer
      expect(yield* locks.refresh(node, [one])).toEqual([one, two])
    }))

  it.effect("does not return a shard that another node has taken, listed or not", () =>
    Effect.gen(function*() {
      const { answer, locks, owned } = yield* made
      yield* locks.acquire(node, [one, two])
      yield* answer
      owned.clear()
      expect(yield* locks.refresh(node, [one])).toEqual([])
    }))

  it.effect("does not return a shard that was released", () =>
    Effect.gen(function*() {
      const { answer, locks } = yield* made
      const refreshing = yield* Effect.fork(locks.refresh(node, []))
      yield* Effect.yieldNow()
      yield* locks.acquire(node, [one, two])
      yield* locks.release(node, one)
      yield* answer
      expect(yield* Fiber.join(refreshing)).toEqual([two])
      yield* locks.releaseAll(node)
      expect(yield* locks.refresh(node, [])).toEqual([])
    }))
})
