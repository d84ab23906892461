/**
 * An effect and a limit that it is to keep.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
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
): Effect.Effect<A, E | E2, R | R2> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(start(restore(effect)), (fiber) => {
      const done = fiber.unsafePoll()
      if (done !== null) return Effect.zipRight(Fiber.inheritAll(fiber), done)
      return Effect.flatMap(Effect.forkDaemon(Effect.interruptible(expiry)), (timer) => {
        const first = Effect.async<() => Effect.Effect<A, E | E2>>((resume) => {
          fiber.addObserver((exit) => resume(Effect.succeed(() => Effect.zipRight(Fiber.inheritAll(fiber), exit))))
          timer.addObserver((exit: Exit.Exit<A, E2>) =>
            resume(Effect.succeed(() => Effect.zipRight(stop(fiber), exit)))
          )
        })
        return restore(first).pipe(
          Effect.onInterrupt(() => Fiber.interrupt(fiber)),
          Effect.ensuring(Effect.fiberIdWith((id) => Effect.sync(() => timer.unsafeInterruptAsFork(id)))),
          Effect.flatMap((end) => end())
        )
      })
    })
  )

/** Starts the effect at once: it has run up to where it has to wait when this returns. Nobody waits for it. */
export const start = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Fiber.RuntimeFiber<A, E>, never, R> =>
  Effect.map(Effect.runtime<R>(), (runtime) => Runtime.runFork(runtime, effect))
