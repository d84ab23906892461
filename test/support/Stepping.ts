/** Interrupts an effect at any one of its steps, where the scheduler of a busy process may let another fiber run. */
import { Effect, Fiber, FiberId, type Scheduler } from "effect"

/** Interrupts the fiber at the `last`th step that it and its children take; others run as ever. */
class Stepping implements Scheduler.Scheduler {
  steps = 0
  root: Fiber.RuntimeFiber<unknown, unknown> | undefined
  constructor(private readonly outer: Scheduler.Scheduler, private readonly last: number) {}

  shouldYield(fiber: Fiber.RuntimeFiber<unknown, unknown>): number | false {
    this.root ??= fiber
    if (++this.steps !== this.last) return this.outer.shouldYield(fiber)
    this.root.unsafeInterruptAsFork(FiberId.none)
    return 0
  }

  scheduleTask(task: Scheduler.Task, priority: number, fiber?: Fiber.RuntimeFiber<unknown, unknown>): void {
    this.outer.scheduleTask(task, priority, fiber)
  }
}

/** Lets other fibers run until it is so, but no longer than they can need; whether it came to be so. */
export const comes = (isSo: () => boolean, left = 200): Effect.Effect<boolean> =>
  Effect.suspend(() =>
    isSo() || left === 0 ? Effect.succeed(isSo()) : Effect.zipRight(Effect.yieldNow(), comes(isSo, left - 1))
  )

/**
 * Runs it, interrupted at the given step; where it waits for something before that step, it is interrupted there. Whether it
 * came so far, and whether it ended then: a race of Effect does not when it is interrupted between making its fibers and
 * starting them.
 */
export const interruptedAt = <A, E>(
  effect: Effect.Effect<A, E>,
  step: number
): Effect.Effect<{ readonly came: boolean; readonly ended: boolean }> =>
  Effect.gen(function*() {
    const { currentScheduler } = yield* Effect.withFiberRuntime<Fiber.RuntimeFiber<unknown, unknown>>(Effect.succeed)
    const stepping = new Stepping(currentScheduler, step)
    const fiber = yield* Effect.forkDaemon(Effect.withScheduler(Effect.suspend(() => effect), stepping))
    const came = yield* comes(() => stepping.steps >= step)
    yield* Fiber.interruptFork(fiber)
    return { came, ended: yield* comes(() => fiber.unsafePoll() !== null) }
  })
