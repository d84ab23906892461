/**
 * An effect and a limit that it is to keep.
 *
 * @since 0.1.0
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as FiberStatus from "effect/FiberStatus"
import * as Runtime from "effect/Runtime"

/**
 * What `effect` comes to, or `expiry` where that comes first; the effect is told to `stop` then. The effect is started
 * at once and runs up to where it has to wait: what is done by then costs neither a timer nor a race. Whoever interrupts
 * this from outside waits until the effect has stopped.
 *
 * @since 0.1.0
 * @category combinators
 */
export const within = <A, E, R, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  expiry: Effect.Effect<A, E2, R2>,
  stop: (fiber: Fiber.RuntimeFiber<A, E>) => Effect.Effect<unknown> = Fiber.interrupt
): Effect.Effect<A, E | E2, R | R2> => Effect.uninterruptibleMask((restore) => masked(restore, effect, expiry, stop))

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * The same where nothing may be interrupted but what is given to `restore`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const masked = <A, E, R, E2, R2>(
  restore: Restore,
  effect: Effect.Effect<A, E, R>,
  expiry: Effect.Effect<A, E2, R2>,
  stop: (fiber: Fiber.RuntimeFiber<A, E>) => Effect.Effect<unknown> = Fiber.interrupt
): Effect.Effect<A, E | E2, R | R2> =>
  Effect.withFiberRuntime((parent, status) => {
    const fiber = fork(parent, status, restore(effect))
    const done = fiber.unsafePoll()
    if (done !== null) return Effect.zipRight(Fiber.inheritAll(fiber), done)
    return Effect.flatMap(Effect.forkDaemon(Effect.interruptible(expiry)), (timer) => {
      const first = Effect.async<() => Effect.Effect<A, E | E2>>((resume) => {
        fiber.addObserver((exit) => resume(Effect.succeed(() => Effect.zipRight(Fiber.inheritAll(fiber), exit))))
        timer.addObserver((exit: Exit.Exit<A, E2>) => resume(Effect.succeed(() => Effect.zipRight(stop(fiber), exit))))
      })
      const endTimer = () => timer.unsafeInterruptAsFork(parent.id())
      // Waiting fails only where whoever waits is interrupted.
      return Effect.matchCauseEffect(restore(first), {
        onFailure: (cause) => {
          endTimer()
          return Effect.zipRight(Fiber.interrupt(fiber), Effect.failCause(cause))
        },
        onSuccess: (end) => {
          endTimer()
          return end()
        }
      })
    })
  })

/** Starts the effect at once: it has run up to where it has to wait when this returns. Nobody waits for it. */
export const start = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Fiber.RuntimeFiber<A, E>, never, R> =>
  Effect.withFiberRuntime((parent, status) => Effect.succeed(fork(parent, status, effect)))

/** `Effect.fork` begins with the next turn of the scheduler; this begins now. */
const fork = <A, E, R>(
  parent: Fiber.RuntimeFiber<unknown, unknown>,
  { runtimeFlags }: FiberStatus.Running,
  effect: Effect.Effect<A, E, R>
): Fiber.RuntimeFiber<A, E> => {
  // A fiber's type does not say which services it has. The effect runs where they are provided, so they are there.
  const context = parent.currentContext as Context.Context<R>
  return Runtime.runFork(Runtime.make({ context, runtimeFlags, fiberRefs: parent.getFiberRefs() }), effect)
}
