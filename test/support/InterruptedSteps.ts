/** Interrupts an effect at a given step, where a busy scheduler could switch to another fiber. */
import { Effect, Fiber, FiberId, type Scheduler } from "effect"

/** Interrupts the fiber at the `last`th step of it and its children; does not affect other fibers. */
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

/** Yields to other fibers until the condition holds, at most `left` times; returns whether it holds. */
export const comes = (isSo: () => boolean, left = 200): Effect.Effect<boolean> =>
  Effect.suspend(() =>
    isSo() || left === 0 ? Effect.succeed(isSo()) : Effect.zipRight(Effect.yieldNow(), comes(isSo, left - 1))
  )

/**
 * Runs an effect and interrupts it at the given step, or earlier if it is suspended before that step. Returns whether it
 * reached the step and whether it ended: a race of Effect does not end when it is interrupted between creating its fibers
 * and starting them.
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
