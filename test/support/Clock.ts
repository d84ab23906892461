/**
 * A `TestClock` that does not wait in real time. Before it advances, Effect's clock checks four times whether all fibers
 * are suspended, with a timer of one millisecond between the checks, and repeats this for every scheduled moment: most of
 * the run time of tests that let days pass. This clock yields to the event loop once instead. It misses no message queued
 * for a fiber, because fibers are asked through their mailboxes. It can miss the work of threads (files, digests), as the
 * timers can too, only less often.
 */
import { Effect, TestClock, TestContext } from "effect"

const yieldTimer = Effect.async<void>((resume) => {
  const next = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(next))
})

/** The class of the clock is not exported. */
const clock: { awaitSuspended: () => Effect.Effect<void> } = Object.getPrototypeOf(
  Effect.runSync(Effect.provide(TestClock.testClock(), TestContext.TestContext))
)
const { awaitSuspended } = clock
clock.awaitSuspended = function() {
  return awaitSuspended.call(Object.assign(this, { yieldTimer }))
}
