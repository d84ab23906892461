/** The lock between processes, on a cell in memory: every `make` over the same cell stands for a process. */
import { describe, expect, it } from "@effect/vitest"
import { Errors } from "coxswain"
import * as Lease from "coxswain/layers/stores/Lease"
import { Deferred, Effect, Fiber, TestClock } from "effect"

/** A cell that records its calls, and can be unavailable. */
const cellOf = () => {
  const texts = new Map<string, string>()
  const asked: Array<string> = []
  const state = { down: false }
  const ask = <A>(what: string, answer: () => A): Effect.Effect<A, Errors.SessionStoreError> =>
    Effect.suspend(() => {
      asked.push(what)
      return state.down
        ? Effect.fail(new Errors.SessionStoreError({ operation: "lock", why: "it is away" }))
        : Effect.sync(answer)
    })
  const cell: Lease.Cell = {
    read: (id) => ask("read", () => texts.get(id)),
    swap: (id, before, after) =>
      ask("swap", () => {
        if (texts.get(id) !== before) return false
        if (after === undefined) texts.delete(id)
        else texts.set(id, after)
        return true
      })
  }
  return { asked, cell, state, texts }
}

const settled = Effect.repeatN(Effect.yieldNow(), 100)

/** Holds the lock until `go`. */
const holding = (lock: Effect.Effect.Success<ReturnType<typeof Lease.make>>, id = "s") =>
  Effect.gen(function*() {
    const inside = yield* Deferred.make<void>()
    const door = yield* Deferred.make<void>()
    const fiber = yield* Effect.fork(
      lock.withLock(id)(Effect.zipRight(Deferred.succeed(inside, undefined), Deferred.await(door)))
    )
    return { fiber, inside, go: Effect.zipRight(Deferred.succeed(door, undefined), Fiber.join(fiber)) }
  })

describe("the lock between processes", () => {
  it.effect("acquires and releases a free lock with one statement each, and leaves no row", () =>
    Effect.gen(function*() {
      const { asked, cell, texts } = cellOf()
      const lock = yield* Lease.make(cell)
      expect(yield* lock.withLock("s")(Effect.succeed(1))).toBe(1)
      expect(asked).toEqual(["swap", "swap"])
      expect(texts.size).toBe(0)
    }))

  it.effect("serves processes in the order of their requests", () =>
    Effect.gen(function*() {
      const { cell, texts } = cellOf()
      const locks = yield* Effect.forEach([1, 2, 3, 4], () => Lease.make(cell))
      const order: Array<number> = []
      const first = yield* holding(locks[0]!)
      yield* Deferred.await(first.inside)
      const others = yield* Effect.forEach([1, 2, 3], (n) =>
        Effect.zipLeft(Effect.fork(locks[n]!.withLock("s")(Effect.sync(() => order.push(n)))), settled))
      yield* TestClock.adjust("1 second")
      expect(order).toEqual([])
      yield* first.go
      yield* TestClock.adjust("1 second")
      yield* Effect.forEach(others, Fiber.join)
      expect(order).toEqual([1, 2, 3])
      expect(texts.size).toBe(0)
    }))

  it.effect("is renewed while its holder works, and taken over when its holder has died", () =>
    Effect.gen(function*() {
      const { cell, state, texts } = cellOf()
      const [a, b] = [yield* Lease.make(cell, { lease: "1 second" }), yield* Lease.make(cell)]
      const working = yield* holding(a)
      yield* Deferred.await(working.inside)
      const waiter = yield* Effect.fork(b.withLock("s", { wait: "1 hour" })(Effect.succeed("mine")))
      for (let n = 0; n < 12; n++) yield* TestClock.adjust("500 millis")
      expect(yield* Fiber.poll(waiter)).toMatchObject({ _tag: "None" })
      // A dead process neither renews nor releases its lease.
      state.down = true
      yield* Fiber.interrupt(working.fiber)
      state.down = false
      const text = texts.get("s")
      expect(text).toBeDefined()
      for (let n = 0; n < 4; n++) yield* TestClock.adjust("300 millis")
      expect(yield* Fiber.join(waiter)).toBe("mine")
      expect(texts.size).toBe(0)
    }))

  it.effect("fails with `SessionBusy` after the waiting time, and removes the waiter from the queue", () =>
    Effect.gen(function*() {
      const { cell, texts } = cellOf()
      const [a, b] = [yield* Lease.make(cell), yield* Lease.make(cell)]
      const working = yield* holding(a)
      yield* Deferred.await(working.inside)
      const late = yield* Effect.fork(Effect.flip(b.withLock("s", { wait: "2 seconds" })(Effect.succeed(1))))
      for (let n = 0; n < 30; n++) yield* TestClock.adjust("100 millis")
      const error = yield* Fiber.join(late)
      expect(error).toBeInstanceOf(Errors.SessionBusy)
      expect(error.message).toBe(
        "[SessionBusy] session \"s\": another turn of it still runs after 2s of waiting. " +
          "Send the message again in a while, or wait longer."
      )
      yield* working.go
      expect(texts.size).toBe(0)
    }))

  it.effect("removes an interrupted waiter from the queue", () =>
    Effect.gen(function*() {
      const { cell, texts } = cellOf()
      const [a, b] = [yield* Lease.make(cell), yield* Lease.make(cell)]
      const working = yield* holding(a)
      yield* Deferred.await(working.inside)
      const waiter = yield* Effect.fork(b.withLock("s")(Effect.void))
      yield* settled
      expect(JSON.parse(texts.get("s")!)).toHaveLength(2)
      yield* Fiber.interrupt(waiter)
      expect(JSON.parse(texts.get("s")!)).toHaveLength(1)
      yield* working.go
    }))

  it.effect("leaves no row if a waiter is interrupted while its write is under way", () =>
    Effect.gen(function*() {
      const { cell, texts } = cellOf()
      const way = yield* Deferred.make<void>()
      // A write that was sent arrives even if its fiber is interrupted.
      const slow: Lease.Cell = {
        ...cell,
        swap: (...change) =>
          Effect.flatMap(Effect.forkDaemon(Effect.zipRight(Deferred.await(way), cell.swap(...change))), Fiber.join)
      }
      const lock = yield* Lease.make(slow)
      const taking = yield* Effect.fork(lock.withLock("s")(Effect.void))
      yield* settled
      const stopping = yield* Effect.fork(Fiber.interrupt(taking))
      yield* settled
      yield* Deferred.succeed(way, undefined)
      yield* Fiber.join(stopping)
      yield* settled
      expect(texts.size).toBe(0)
    }))

  it.effect("renews a lease that expired during an outage, unless another process has acquired the lock", () =>
    Effect.gen(function*() {
      const { cell, state, texts } = cellOf()
      const [a, b] = [yield* Lease.make(cell, { lease: "3 seconds" }), yield* Lease.make(cell)]
      const working = yield* holding(a)
      yield* Deferred.await(working.inside)
      state.down = true
      for (let n = 0; n < 5; n++) yield* TestClock.adjust("1 second")
      state.down = false
      yield* TestClock.adjust("1 second")
      expect(yield* Effect.flip(b.withLock("s", { wait: 0 })(Effect.void))).toBeInstanceOf(Errors.SessionBusy)
      state.down = true
      for (let n = 0; n < 5; n++) yield* TestClock.adjust("1 second")
      state.down = false
      const other = yield* holding(b)
      yield* Deferred.await(other.inside)
      const held = texts.get("s")
      yield* TestClock.adjust("2 seconds")
      yield* working.go
      expect(texts.get("s")).toBe(held)
      yield* other.go
      expect(texts.size).toBe(0)
    }))

  it.effect("fails with `SessionStoreError` if the database is unavailable, but not after the work is done", () =>
    Effect.gen(function*() {
      const { cell, state } = cellOf()
      const lock = yield* Lease.make(cell)
      state.down = true
      expect(yield* Effect.flip(lock.withLock("s")(Effect.succeed(1)))).toMatchObject({ _tag: "SessionStoreError" })
      state.down = false
      expect(
        yield* lock.withLock("s")(Effect.sync(() => {
          state.down = true
          return "done"
        }))
      ).toBe("done")
    }))

  describe("the commit that ends a turn", () => {
    const write = { id: "s", expectedVersion: 0, session: {}, updatedAt: "2026-01-01T00:00:00.000Z", messages: [] }

    /** A commit on a cell: removes the queue that it gets. It waits until `go`, and fails if `refused`. */
    const committing = (
      lock: Lease.Service,
      { swap }: Lease.Cell,
      options: { readonly endsTurn?: true; readonly refused?: true; readonly go?: Effect.Effect<void> } = {}
    ) =>
      lock.committing({ ...write, ...(options.endsTurn && { endsTurn: true }) }, (queue) =>
        Effect.gen(function*() {
          yield* options.go ?? Effect.void
          if (options.refused) return yield* Effect.fail("conflict")
          return { unlocked: queue !== undefined && (yield* swap("s", queue, undefined, 0)) }
        }))

    it.effect("releases the lock, so that no separate statement is needed", () =>
      Effect.gen(function*() {
        const { asked, cell, texts } = cellOf()
        const lock = yield* Lease.make(cell)
        const sizes = yield* lock.withLock("s")(Effect.gen(function*() {
          yield* committing(lock, cell)
          const during = texts.size
          yield* committing(lock, cell, { endsTurn: true })
          return [during, texts.size]
        }))
        expect(sizes).toEqual([1, 0])
        expect(asked).toEqual(["swap", "swap"])
        expect(yield* committing(lock, cell, { endsTurn: true })).toEqual({ unlocked: false })
      }))

    it.effect("also releases a lock that was renewed, or for which the turn had to wait", () =>
      Effect.gen(function*() {
        const { asked, cell, texts } = cellOf()
        const [a, b] = [yield* Lease.make(cell), yield* Lease.make(cell)]
        const working = yield* holding(a)
        yield* Deferred.await(working.inside)
        const next = yield* Effect.fork(b.withLock("s")(committing(b, cell, { endsTurn: true })))
        yield* settled
        yield* working.go
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(next)).toEqual({ unlocked: true })
        const renewing = a.withLock("s")(
          Effect.zipRight(Effect.sleep("5 seconds"), committing(a, cell, { endsTurn: true }))
        )
        const renewed = yield* Effect.fork(renewing)
        yield* TestClock.adjust("4 seconds")
        asked.length = 0
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(renewed)).toEqual({ unlocked: true })
        expect(asked).toEqual(["swap"])
        expect(texts.size).toBe(0)
      }))

    it.effect("does not release the lock if the commit fails, or if another process waits and gets the lock next", () =>
      Effect.gen(function*() {
        const { cell, texts } = cellOf()
        const [a, b] = [yield* Lease.make(cell), yield* Lease.make(cell)]
        const failing = a.withLock("s")(
          Effect.zipRight(
            Effect.flip(committing(a, cell, { endsTurn: true, refused: true })),
            Effect.sync(() => texts.size)
          )
        )
        expect(yield* failing).toBe(1)
        expect(texts.size).toBe(0)
        const door = yield* Deferred.make<void>()
        const go = Deferred.await(door)
        const first = yield* Effect.fork(a.withLock("s")(committing(a, cell, { endsTurn: true, go })))
        yield* settled
        const second = yield* Effect.fork(b.withLock("s")(Effect.succeed("next")))
        yield* settled
        yield* Deferred.succeed(door, undefined)
        expect(yield* Fiber.join(first)).toEqual({ unlocked: false })
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(second)).toBe("next")
        expect(texts.size).toBe(0)
      }))

    it.effect("does not release a lock renewed meanwhile; the turn then leaves another process's lock unchanged", () =>
      Effect.gen(function*() {
        const { cell, texts } = cellOf()
        const [a, b] = [yield* Lease.make(cell, { lease: "3 seconds" }), yield* Lease.make(cell)]
        const [begun, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const go = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.sleep("10 seconds"))
        const commit = committing(a, cell, { endsTurn: true, go })
        const turn = yield* Effect.fork(a.withLock("s")(Effect.zipRight(commit, Deferred.await(done))))
        yield* Deferred.await(begun)
        // The lock is renewed while the commit takes its time, so another text is in the cell, which the commit leaves.
        for (let n = 0; n < 10; n++) yield* TestClock.adjust("1 second")
        expect(JSON.parse(texts.get("s")!)).toHaveLength(1)
        yield* Deferred.succeed(done, undefined)
        yield* Fiber.join(turn)
        expect(texts.size).toBe(0)
        const over = yield* Deferred.make<void>()
        const long = yield* Effect.fork(
          a.withLock("s")(Effect.zipRight(committing(a, cell, { endsTurn: true }), Deferred.await(over)))
        )
        yield* settled
        for (let n = 0; n < 5; n++) yield* TestClock.adjust("1 second")
        expect(texts.size).toBe(0)
        const other = yield* holding(b)
        yield* Deferred.await(other.inside)
        for (let n = 0; n < 5; n++) yield* TestClock.adjust("1 second")
        const held = texts.get("s")
        yield* Deferred.succeed(over, undefined)
        yield* Fiber.join(long)
        expect(held).toBeDefined()
        expect(texts.get("s")).toBe(held)
        yield* other.go
      }))
  })
})
