/**
 * A `TestClock` that does not wait in real time. Before time moves, it looks four times whether all fibers wait, with a timer
 * of a millisecond before each look but the first, and does so for every moment at which something happens: in tests that
 * let days pass, that was most of what they took. Here the event loop goes round once instead. Nothing that is queued for a
 * fiber is overlooked, because fibers are asked through their mailboxes. What threads do (files, digests) is overlooked
 * sooner than with timers, which only made it less likely.
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
