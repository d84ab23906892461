/** A stream in a `for await` loop, and read by calls of next(). */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { iterate } from "../../../src/domain/base/iterate.js"
import * as PullStream from "../../../src/domain/base/PullStream.js"

const all = async <A>(elements: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const element of elements) found.push(element)
  return found
}

/** Emits one element and hangs; shows whether it has begun and when it was closed. */
const hanging = Effect.gen(function*() {
  const closed = yield* Deferred.make<void>()
  let begun = false
  const stream = Stream.acquireRelease(
    Effect.sync(() => {
      begun = true
    }),
    () => Deferred.succeed(closed, undefined)
  ).pipe(Stream.flatMap(() => Stream.concat(Stream.make(1), Stream.never)))
  return { stream, closed, hasBegun: () => begun }
})

describe("a stream as an async iterable", () => {
  it.effect("yields all elements in order for any chunk size, and starts again for each loop", () =>
    Effect.promise(async () => {
      for (const size of [1, 3, 100]) {
        const numbers = iterate(Stream.rechunk(Stream.range(1, 50), size))
        const expected = Array.from({ length: 50 }, (_, i) => i + 1)
        expect(await all(numbers)).toEqual(expected)
        expect(await all(numbers)).toEqual(expected)
      }
      expect(await all(iterate(Stream.empty))).toEqual([])
    }))

  it.effect("pulls no more elements than the loop reads", () =>
    Effect.promise(async () => {
      let made = 0
      const numbers = iterate(Stream.repeatEffect(Effect.sync(() => ++made)))
      for await (const number of numbers) {
        expect(made).toBe(number)
        if (number === 5) break
      }
      expect(made).toBe(5)
    }))

  it.effect("resolves concurrent next() calls in order, and resolves all of them at the stream's end", () =>
    Effect.promise(async () => {
      const reading = iterate(Stream.rechunk(Stream.make("a", "b", "c"), 1))[Symbol.asyncIterator]()
      const asked = [1, 2, 3, 4, 5].map(() => reading.next())
      expect((await Promise.all(asked)).map(({ value }) => value)).toEqual(["a", "b", "c", undefined, undefined])
      expect(await reading.next()).toEqual({ done: true, value: undefined })
    }))

  it.effect("throws the stream's failure after the earlier elements, and is then done", () =>
    Effect.promise(async () => {
      const reading = iterate(Stream.concat(Stream.make(1), Stream.fail("broken")))[Symbol.asyncIterator]()
      expect(await reading.next()).toEqual({ done: false, value: 1 })
      await expect(reading.next()).rejects.toBe("broken")
      expect(await reading.next()).toEqual({ done: true, value: undefined })
    }))

  it.effect("starts the stream at the first next(); return() closes the stream while next() is pending", () =>
    Effect.gen(function*() {
      const { closed, hasBegun, stream } = yield* hanging
      const reading = iterate(stream)[Symbol.asyncIterator]()
      expect(hasBegun()).toBe(false)
      yield* Effect.promise(async () => {
        expect(await reading.next()).toEqual({ done: false, value: 1 })
        const asked = reading.next()
        await reading.return?.()
        expect(await asked).toEqual({ done: true, value: undefined })
        expect(await reading.next()).toEqual({ done: true, value: undefined })
      })
      expect(yield* Deferred.isDone(closed)).toBe(true)
    }))

  it.effect("is closed by an AbortSignal, whose reason is thrown once", () =>
    Effect.gen(function*() {
      const { closed, stream } = yield* hanging
      const stop = new AbortController()
      const reading = iterate(stream, stop.signal)[Symbol.asyncIterator]()
      yield* Effect.promise(() => reading.next())
      stop.abort("enough")
      yield* Deferred.await(closed)
      yield* Effect.promise(async () => {
        await expect(reading.next()).rejects.toBe("enough")
        expect(await reading.next()).toEqual({ done: true, value: undefined })
        await expect(all(iterate(Stream.never, AbortSignal.abort("before")))).rejects.toBe("before")
      })
    }))

  it.effect("yields the same elements for a PullStream as for a Stream", () =>
    Effect.gen(function*() {
      let closed = 0
      const numbers = PullStream.make(
        Effect.zipRight(
          Effect.addFinalizer(() => Effect.sync(() => closed++)),
          PullStream.open(Stream.rechunk(Stream.make(1, 2, 3), 2))
        )
      )
      const streamed = yield* Effect.fork(Stream.runCollect(numbers))
      expect(Array.from(yield* Fiber.join(streamed))).toEqual([1, 2, 3])
      expect(yield* Effect.promise(() => all(iterate(numbers)))).toEqual([1, 2, 3])
      expect(closed).toBe(2)
    }))
})
