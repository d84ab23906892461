/** Conformance tests of a store's lock. A store without a lock uses the lock of this process. */
import { expect } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { SessionBusy } from "../../domain/base/error/Errors.js"
import * as SessionLock from "../../services/session/SessionLock.js"
import { type Check, check } from "./ConformanceTest.js"
import { fresh, write } from "./SessionStoreSamples.js"

export const lockChecks: ReadonlyArray<Check> = [
  check("locks a session for one at a time, in the order they came", function*(store) {
    const { withLock } = SessionLock.ofStore(store)
    const id = fresh("lock")
    const order: Array<number> = []
    let inside = 0
    const work = (n: number) =>
      Effect.gen(function*() {
        expect(++inside).toBe(1)
        yield* Effect.yieldNow()
        order.push(n)
        inside--
      })
    const fibers = yield* Effect.forEach(Arr.range(1, 20), (n) => Effect.fork(withLock(id)(work(n))))
    yield* Effect.forEach(fibers, Fiber.join)
    expect(order).toEqual(Arr.range(1, 20))
  }),

  check("gives the lock back whatever becomes of the work, and gives what came of it", function*(store) {
    const { withLock } = SessionLock.ofStore(store)
    const id = fresh("lock")
    expect(yield* withLock(id)(Effect.succeed(42))).toBe(42)
    expect(yield* Effect.flip(withLock(id)(Effect.fail("no")))).toBe("no")
    expect(Exit.isFailure(yield* Effect.exit(withLock(id)(Effect.die("boom"))))).toBe(true)
    const begun = yield* Deferred.make<void>()
    const holder = yield* Effect.fork(withLock(id)(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)))
    yield* Deferred.await(begun)
    const waiter = yield* Effect.fork(withLock(id)(Effect.succeed("too late")))
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(waiter)
    yield* Fiber.interrupt(holder)
    expect(yield* withLock(id)(Effect.succeed("free"))).toBe("free")
  }),

  check("is one lock for all who wrap the store, whatever lock they were given", function*(store) {
    const id = fresh("lock")
    const another: SessionLock.Service = { withLock: () => (effect) => effect }
    const views = [SessionLock.ofStore(store), SessionLock.ofStore({ ...store }), SessionLock.ofStore(store, another)]
    for (const [n, { withLock }] of views.entries()) {
      const late = yield* withLock(id)(
        Effect.forEach(
          views.filter((_, other) => other !== n),
          (view) => Effect.flip(view.withLock(id, { wait: 0 })(Effect.succeed("in")))
        )
      )
      for (const error of late) expect(error).toBeInstanceOf(SessionBusy)
    }
  }),

  check("fails with SessionBusy after waiting, and waits for no other session", function*(store) {
    const { withLock } = SessionLock.ofStore(store)
    const [id, other] = [fresh("lock"), fresh("lock")]
    const late = yield* withLock(id)(Effect.gen(function*() {
      expect(yield* withLock(other)(Effect.succeed("other"))).toBe("other")
      return yield* Effect.flip(withLock(id, { wait: "50 millis" })(Effect.succeed("in")))
    }))
    expect(late).toBeInstanceOf(SessionBusy)
    expect(late).toMatchObject({ sessionId: id })
    expect(yield* withLock(id)(Effect.succeed("free"))).toBe("free")
  }),

  check(
    "keeps others out until the work that ends a turn is over, whether its commit was taken or refused",
    function*(store) {
      const { withLock } = SessionLock.ofStore(store)
      const id = fresh("lock")
      const turn = (expectedVersion: number) =>
        withLock(id)(Effect.gen(function*() {
          const committed = yield* Effect.isSuccess(store.commit({ ...write(id, expectedVersion), endsTurn: true }))
          const late = yield* Effect.flip(withLock(id, { wait: 0 })(Effect.void))
          expect(late).toBeInstanceOf(SessionBusy)
          return committed
        }))
      expect([yield* turn(0), yield* turn(0), yield* turn(1)]).toEqual([true, false, true])
      expect(yield* withLock(id, { wait: 0 })(Effect.succeed("free"))).toBe("free")
      expect(Option.getOrThrow(yield* store.load(id)).version).toBe(2)
    }
  )
]
