import { describe, expect, it } from "@effect/vitest"
import {
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  FiberRef,
  RuntimeFlags,
  RuntimeFlagsPatch,
  TestClock
} from "effect"
import { runUntil, runWithin, type Stop } from "../../../src/domain/base/Deadline.js"

const minute = Duration.minutes(1)
const late = Effect.succeed("late")

describe("runWithin (runs an effect with a time limit)", () => {
  it.effect("returns the effect's value, failure or defect when the effect ends in time", () =>
    Effect.gen(function*() {
      expect(yield* runWithin(Effect.succeed(1), minute, Effect.die("no timer is needed"))).toBe(1)
      expect(yield* Effect.flip(runWithin(Effect.fail("no"), minute, late))).toBe("no")
      expect(Exit.isFailure(yield* Effect.exit(runWithin(Effect.die("defect"), minute, late)))).toBe(true)
      const waiting = yield* Effect.fork(runWithin(Effect.as(Effect.sleep("1 second"), "done"), minute, late))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(waiting)).toBe("done")
    }))

  it.effect("returns the result of the expiry effect after interrupting the main effect", () =>
    Effect.gen(function*() {
      let stopped = false
      const endless = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (stopped = true)))
      const waiting = yield* Effect.fork(runWithin(endless, minute, late))
      yield* TestClock.adjust("59 seconds")
      expect(waiting.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(waiting)).toBe("late")
      expect(stopped).toBe(true)
    }))

  it.effect("enforces the time limit in an uninterruptible region", () =>
    Effect.gen(function*() {
      const expiry = Effect.as(Effect.timeoutOption(Effect.never, "1 minute"), "late")
      const waiting = yield* Effect.fork(
        Effect.uninterruptible(runWithin(Effect.never, Duration.zero, expiry, Fiber.interruptFork))
      )
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(waiting)).toBe("late")
    }))

  it.live("enforces the time limit on the real clock", () =>
    Effect.gen(function*() {
      let stopped = false
      const endless = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (stopped = true)))
      expect(yield* runWithin(endless, Duration.millis(5), Effect.as(Effect.sleep("5 millis"), "late"))).toBe("late")
      expect(stopped).toBe(true)
      const soon = Effect.as(Effect.sleep("5 millis"), "done")
      expect(yield* runWithin(soon, Duration.zero, Effect.never)).toBe("done")
      expect(yield* runWithin(soon, Duration.days(100), late)).toBe("done")
    }))

  it.effect("interrupts and awaits the effect when the caller is interrupted", () =>
    Effect.gen(function*() {
      const order: Array<string> = []
      const begun = yield* Deferred.make<void>()
      const slow = Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Effect.sync(() => void order.push("stopped")))
      )
      const waiting = yield* Effect.fork(runWithin(slow, minute, late))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(waiting)
      order.push("gone")
      expect(order).toEqual(["stopped", "gone"])
    }))

  it.effect("passes FiberRefs and runtime flags that the effect sets to the caller, except the flag `Interruption`", () =>
    Effect.gen(function*() {
      const ref = FiberRef.unsafeMake("before")
      const change = Effect.zipRight(
        FiberRef.set(ref, "after"),
        Effect.patchRuntimeFlags(RuntimeFlagsPatch.enable(RuntimeFlags.OpSupervision))
      )
      yield* Effect.uninterruptible(Effect.gen(function*() {
        yield* runWithin(change, minute, Effect.die("no timer is needed"))
        expect(RuntimeFlags.isEnabled(yield* Effect.getRuntimeFlags, RuntimeFlags.Interruption)).toBe(false)
      }))
      expect(RuntimeFlags.isEnabled(yield* Effect.getRuntimeFlags, RuntimeFlags.OpSupervision)).toBe(true)
      expect(yield* FiberRef.get(ref)).toBe("after")
    }))

  it.effect("passes runtime flags to the caller even if the effect sets no FiberRef", () =>
    Effect.gen(function*() {
      const change = Effect.patchRuntimeFlags(RuntimeFlagsPatch.enable(RuntimeFlags.OpSupervision))
      yield* runWithin(change, minute, Effect.die("no timer is needed"))
      expect(RuntimeFlags.isEnabled(yield* Effect.getRuntimeFlags, RuntimeFlags.OpSupervision)).toBe(true)
    }))

  it.effect("runs the effect with the caller's services and FiberRefs", () =>
    Effect.gen(function*() {
      class Name extends Context.Tag("Name")<Name, string>() {}
      const ref = FiberRef.unsafeMake("before")
      yield* FiberRef.set(ref, "around")
      const seen = runWithin(
        Effect.zip(Name, FiberRef.get(ref)).pipe(Effect.zipLeft(FiberRef.set(ref, "after"))),
        minute,
        Effect.never
      )
      expect(yield* Effect.provideService(seen, Name, "Ada")).toEqual(["Ada", "around"])
      expect(yield* FiberRef.get(ref)).toBe("after")
    }))
})

/** A stop with listeners, and one with a signal only. */
const stops = Effect.map(Effect.makeLatch(), (latch): ReadonlyArray<readonly [Stop, Effect.Effect<unknown>]> => {
  const listeners = new Set<() => void>()
  const listen = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return [
    [{ signal: latch.await }, latch.open],
    [{ signal: Effect.never, listen }, Effect.sync(() => listeners.forEach((listener) => listener()))]
  ]
})

describe("runUntil (runs an effect until it ends or a stop is requested)", () => {
  it.effect("returns the effect's exit if the effect ends before a stop is requested", () =>
    Effect.gen(function*() {
      for (const [stop] of yield* stops) {
        expect(yield* runUntil(Effect.succeed(1), stop, () => 2)).toBe(1)
        expect(yield* Effect.flip(runUntil(Effect.fail("no"), stop, () => 2))).toBe("no")
        const waiting = yield* Effect.fork(runUntil(Effect.as(Effect.sleep("1 second"), 1), stop, () => 2))
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(waiting)).toBe(1)
      }
    }))

  it.effect("interrupts the effect when a stop is requested, waits for its end, and returns the value for the stop", () =>
    Effect.gen(function*() {
      for (const [stop, request] of yield* stops) {
        let isStopped = false
        const endless = Effect.onInterrupt(
          Effect.never,
          () => Effect.delay(Effect.sync(() => void (isStopped = true)), "1 second")
        )
        const waiting = yield* Effect.fork(runUntil(endless, stop, () => "other"))
        yield* Effect.yieldNow()
        yield* request
        yield* Effect.repeatN(Effect.yieldNow(), 20)
        expect([waiting.unsafePoll(), isStopped]).toEqual([null, false])
        yield* TestClock.adjust("1 second")
        expect([yield* Fiber.join(waiting), isStopped]).toEqual(["other", true])
      }
    }))

  it.effect("does not interrupt the effect if the function `instead` returns no value for the stop", () =>
    Effect.gen(function*() {
      for (const [stop, request] of yield* stops) {
        const waiting = yield* Effect.fork(runUntil(Effect.as(Effect.sleep("1 second"), 1), stop, () => undefined))
        yield* Effect.yieldNow()
        yield* request
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(waiting)).toBe(1)
      }
    }))

  it.effect("interrupts the effect when the caller is interrupted", () =>
    Effect.gen(function*() {
      for (const [stop] of yield* stops) {
        let isStopped = false
        const endless = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (isStopped = true)))
        const waiting = yield* Effect.fork(runUntil(endless, stop, () => undefined))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(waiting)
        expect(isStopped).toBe(true)
      }
    }))
})
