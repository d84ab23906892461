/** Streams that are also read by pulling: both ways give the same elements, and close what was opened. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Option, Stream } from "effect"
import * as PullStream from "../../../src/domain/base/PullStream.js"

/** A stream of batches that ends or fails, and a list of what has happened to it. */
const batched = (batches: ReadonlyArray<ReadonlyArray<number>>, end: Option.Option<string> = Option.none()) => {
  const seen: Array<string> = []
  const pull = () => {
    let at = 0
    return Effect.suspend(() => at < batches.length ? Effect.succeed(batches[at++]!) : Effect.fail(end))
  }
  const opened = Effect.acquireRelease(
    Effect.sync(() => seen.push("opened")),
    () => Effect.sync(() => seen.push("closed"))
  )
  return { seen, stream: PullStream.make(Effect.map(opened, pull)) }
}

const collected = <A, E>(stream: Stream.Stream<A, E>) => Effect.map(Stream.runCollect(stream), (all) => [...all])

const pulled = <A, E>(stream: Stream.Stream<A, E>) =>
  Effect.gen(function*() {
    let all: ReadonlyArray<A> = []
    yield* PullStream.runForEachBatch(stream, (batch) => Effect.sync(() => void (all = all.concat(batch))))
    return all
  })

describe("a PullStream (a stream that is also read batch by batch)", () => {
  for (const [way, read] of [["as a stream", collected], ["by pulling", pulled]] as const) {
    it.effect(`read ${way}, gives each reader all elements, and is closed at the end`, () =>
      Effect.gen(function*() {
        const { seen, stream } = batched([[1, 2], [], [3]])
        expect(yield* read(stream)).toEqual([1, 2, 3])
        expect(yield* read(stream)).toEqual([1, 2, 3])
        expect(seen).toEqual(["opened", "closed", "opened", "closed"])
      }))

    it.effect(`read ${way}, fails with the source's error, and is closed`, () =>
      Effect.gen(function*() {
        const { seen, stream } = batched([[1]], Option.some("broken"))
        expect(yield* Effect.flip(read(stream))).toBe("broken")
        expect(seen).toEqual(["opened", "closed"])
      }))

    it.effect(`read ${way}, ends with the elements that endWith adds, also after a failure`, () =>
      Effect.gen(function*() {
        const last = (cause: Cause.Cause<string> | undefined) =>
          Effect.succeed(cause === undefined ? [9] : [Cause.squash(cause) === "broken" ? -1 : 0])
        expect(yield* read(PullStream.endWith(batched([[1], [2]]).stream, last))).toEqual([1, 2, 9])
        expect(yield* read(PullStream.endWith(batched([[1]], Option.some("broken")).stream, last))).toEqual([1, -1])
      }))

    it.effect(`read ${way}, is transformed from the beginning for each reader`, () =>
      Effect.gen(function*() {
        const summed = PullStream.transform(batched([[1, 2], [3]]).stream, (pull) => {
          let sum = 0
          return Effect.map(pull, (batch) => batch.map((n) => sum += n))
        })
        expect(yield* read(summed)).toEqual([1, 3, 6])
        expect(yield* read(summed)).toEqual([1, 3, 6])
      }))
  }

  it.effect("is closed when its reader leaves early, or when it cannot be read to the end", () =>
    Effect.gen(function*() {
      const { seen, stream } = batched([[1], [2], [3]])
      expect(yield* collected(Stream.take(stream, 1))).toEqual([1])
      expect(seen).toEqual(["opened", "closed"])
      yield* Effect.exit(PullStream.runForEachBatch(stream, () => Effect.die("reader")))
      expect(seen).toEqual(["opened", "closed", "opened", "closed"])
    }))
})
