/** One turn at a time per session, first come, first served. */
import { describe, expect, it } from "@effect/vitest"
import { SessionLock, SessionStore } from "coxswain"
import { Deferred, Effect, Exit, Fiber, TestClock } from "effect"

/** A lock, and work that holds it until `go`. */
const scene = Effect.gen(function*() {
  const lock = yield* SessionLock.make
  const log: Array<string> = []
  const hold = (name: string, id = "s1") =>
    Effect.gen(function*() {
      const door = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(
        lock.withLock(id)(
          Effect.gen(function*() {
            log.push(`${name} in`)
            yield* Deferred.await(door)
            log.push(`${name} out`)
          }).pipe(Effect.onInterrupt(() => Effect.sync(() => void log.push(`${name} interrupted`))))
        )
      )
      yield* settled
      return { fiber, go: Effect.zipRight(Deferred.succeed(door, undefined), settled) }
    })
  return { lock, log, hold }
})

/** Lets every fiber that can run do so. */
const settled = Effect.repeatN(Effect.yieldNow(), 50)

describe("SessionLock (one turn at a time per session)", () => {
  it.effect("serves the waiters of one session in the order of their arrival", () =>
    Effect.gen(function*() {
      const { hold, log } = yield* scene
      const [a, b, c] = yield* Effect.all([hold("a"), hold("b"), hold("c")])
      expect(log).toEqual(["a in"])
      yield* c.go
      yield* b.go
      expect(log).toEqual(["a in"])
      yield* a.go
      expect(log).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"])
    }))

  it.effect("lets a turn of one session run while a turn of another holds the lock", () =>
    Effect.gen(function*() {
      const { hold, log } = yield* scene
      yield* hold("a", "s1")
      yield* hold("b", "s2")
      expect(log).toEqual(["a in", "b in"])
    }))

  it.effect("removes an interrupted waiter from the queue, and keeps the order of the others", () =>
    Effect.gen(function*() {
      const { hold, log } = yield* scene
      const [a, b, c, d] = yield* Effect.all([hold("a"), hold("b"), hold("c"), hold("d")])
      yield* Fiber.interrupt(b.fiber)
      yield* c.go
      yield* d.go
      yield* a.go
      expect(log).toEqual(["a in", "a out", "c in", "c out", "d in", "d out"])
    }))

  it.effect("passes to the next waiter when its holder is interrupted", () =>
    Effect.gen(function*() {
      const { hold, log } = yield* scene
      const [a, b] = yield* Effect.all([hold("a"), hold("b")])
      yield* Fiber.interrupt(a.fiber)
      yield* b.go
      expect(log).toEqual(["a in", "a interrupted", "b in", "b out"])
    }))

  it.effect("passes to the next waiter when a waiter is interrupted at the moment of getting the lock", () =>
    Effect.gen(function*() {
      const { hold, lock, log } = yield* scene
      const [a, b, c] = yield* Effect.all([hold("a"), hold("b"), hold("c")])
      // Release and interrupt together: b may have been granted the lock, but has not run.
      yield* Effect.zipRight(a.go.pipe(Effect.fork), Fiber.interruptFork(b.fiber))
      yield* settled
      yield* b.go
      yield* c.go
      expect(log.filter((line) => line.startsWith("c"))).toEqual(["c in", "c out"])
      expect(yield* lock.withLock("s1")(Effect.succeed("free"))).toBe("free")
    }))

  it.effect("is released by a failure or a defect, which is returned unchanged", () =>
    Effect.gen(function*() {
      const { lock } = yield* scene
      expect(yield* Effect.flip(lock.withLock("s1")(Effect.fail("no")))).toBe("no")
      expect(Exit.isFailure(yield* Effect.exit(lock.withLock("s1")(Effect.die("boom"))))).toBe(true)
      expect(yield* lock.withLock("s1")(Effect.succeed(1))).toBe(1)
    }))

  it.effect("is free and in order after two thirds of 100 waiters were interrupted", () =>
    Effect.gen(function*() {
      const { hold, lock, log } = yield* scene
      const fibers = yield* Effect.forEach(Array.from({ length: 100 }, (_, i) => i), (i) => hold(String(i)))
      yield* Effect.forEach(fibers.filter((_, i) => i % 3 !== 0), ({ fiber }) => Fiber.interrupt(fiber))
      yield* Effect.forEach(fibers.filter((_, i) => i % 3 === 0), ({ go }) => go)
      const served = log.filter((line) => line.endsWith("in")).map((line) => Number.parseInt(line))
      expect(served).toEqual(Array.from({ length: 34 }, (_, i) => i * 3))
      expect(yield* lock.withLock("s1")(Effect.succeed("free"))).toBe("free")
    }))

  it.effect("fails a waiter with SessionBusy after that waiter's `wait`, and keeps the order of the others", () =>
    Effect.gen(function*() {
      const { hold, lock, log } = yield* scene
      const a = yield* hold("a")
      const late = yield* Effect.fork(Effect.flip(lock.withLock("s1", { wait: "3 seconds" })(Effect.succeed(1))))
      yield* settled
      const c = yield* hold("c")
      yield* TestClock.adjust("2 seconds")
      expect(yield* Fiber.poll(late)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(late)
      expect(error).toMatchObject({ _tag: "SessionBusy", sessionId: "s1" })
      yield* c.go
      yield* a.go
      expect(log).toEqual(["a in", "a out", "c in", "c out"])
    }))

  it.effect("is shared by agents over one store, and not by agents over different stores", () =>
    Effect.gen(function*() {
      const [store, other] = [yield* SessionStore.makeMemory, yield* SessionStore.makeMemory]
      expect(SessionLock.ofStore(store)).toBe(SessionLock.ofStore(store))
      expect(SessionLock.ofStore(store)).not.toBe(SessionLock.ofStore(other))
      const own = yield* SessionLock.make
      expect(SessionLock.ofStore({ ...store, lock: own })).toBe(own)
    }))

  it.effect("lets two agents over one store take turns, even if each agent has its own lock and wraps the store", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const given = Effect.map(SessionLock.make, (lock) => SessionLock.ofStore({ ...store }, lock))
      const [slow, fast] = [yield* given, yield* given]
      const order: Array<string> = []
      const turns = (lock: SessionLock.Service, name: string, takes: number) =>
        Effect.repeatN(
          lock.withLock("s1")(Effect.zipRight(Effect.sleep(takes), Effect.sync(() => void order.push(name)))),
          19
        )
      const both = yield* Effect.fork(
        Effect.all([turns(slow, "slow", 100), turns(fast, "fast", 1)], { concurrency: 2 })
      )
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(both)
      expect(order).toEqual(Array.from({ length: 40 }, (_, n) => n % 2 === 0 ? "slow" : "fast"))
    }))

  it.effect("acquires a lock that the application provides, besides the lock of the store", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const asked: Array<string> = []
      const provided: SessionLock.Service = {
        withLock: (id) => (effect) => Effect.zipRight(Effect.sync(() => void asked.push(id)), effect)
      }
      expect(yield* SessionLock.ofStore(store, provided).withLock("s1")(Effect.succeed(42))).toBe(42)
      expect(asked).toEqual(["s1"])
    }))

  it.effect("returns the effect's value when nobody else holds the lock", () =>
    Effect.gen(function*() {
      const lock = yield* SessionLock.SessionLock
      expect(yield* lock.withLock("s1")(Effect.succeed(42))).toBe(42)
    }).pipe(Effect.provide(SessionLock.layer)))
})
