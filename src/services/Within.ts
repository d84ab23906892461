/**
 * An effect and a limit that it is to keep.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as FiberStatus from "effect/FiberStatus"
import * as Runtime from "effect/Runtime"

/**
 * What `effect` comes to, or `expiry`, which is begun when the time has passed, where that comes first; the effect is told
 * to `stop` then. The effect is started at once and runs up to where it has to wait: what is done by then costs neither a
 * timer nor a race. Whoever interrupts this from outside waits until the effect has stopped.
 *
 * @since 0.1.0
 * @category combinators
 */
export const within = <A, E, R, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  after: Duration.Duration,
  expiry: Effect.Effect<A, E2, R2>,
  stop: (fiber: Fiber.RuntimeFiber<A, E>) => Effect.Effect<unknown> = Fiber.interrupt
): Effect.Effect<A, E | E2, R | R2> =>
  Effect.uninterruptibleMask((restore) => masked(restore, effect, after, expiry, stop))

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
  after: Duration.Duration,
  expiry: Effect.Effect<A, E2, R2>,
  stop: (fiber: Fiber.RuntimeFiber<A, E>) => Effect.Effect<unknown> = Fiber.interrupt
): Effect.Effect<A, E | E2, R | R2> =>
  Effect.withFiberRuntime((parent, status) => {
    const fiber = fork(parent, status, restore(effect))
    const done = fiber.unsafePoll()
    if (done !== null) return Effect.zipRight(Fiber.inheritAll(fiber), done)
    let endTimer: Cancel = noTimer
    const first = Effect.async<() => Effect.Effect<A, E | E2>>((resume) => {
      fiber.addObserver((exit) => resume(Effect.succeed(() => Effect.zipRight(Fiber.inheritAll(fiber), exit))))
      endTimer = later(parent, status, after, expiry, (exit) =>
        resume(Effect.succeed(() =>
          Effect.zipRight(stop(fiber), exit)
        )))
    })
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

type Cancel = () => void

const noTimer: Cancel = () => {}

/** The clock that Effect has when nobody gave one. */
const live = Context.get(DefaultServices.liveServices, Clock.Clock)

/** What timers of the platform can count to. */
const longest = 2 ** 31 - 1

/**
 * Begins the effect when the time has passed, and tells how it ended. A fiber that only sleeps takes three kilobytes and
 * as long as some phases of a turn, so by the clock of the process this is a plain timer until then.
 */
const later = <A, E, R>(
  parent: Fiber.RuntimeFiber<unknown, unknown>,
  status: FiberStatus.Running,
  after: Duration.Duration,
  effect: Effect.Effect<A, E, R>,
  ended: (exit: Exit.Exit<A, E>) => void
): Cancel => {
  const begin = (begun: Effect.Effect<A, E, R>): Cancel => {
    const fiber = fork(parent, status, Effect.interruptible(begun))
    fiber.addObserver(ended)
    return () => fiber.unsafeInterruptAsFork(parent.id())
  }
  const clock = Context.get(parent.currentDefaultServices, Clock.Clock)
  if (clock !== live) return begin(Effect.zipRight(clock.sleep(after), effect))
  const millis = Duration.toMillis(after)
  if (millis > longest) return noTimer
  let cancel: Cancel = () => clearTimeout(timer)
  // eslint-disable-next-line no-restricted-globals -- it stands in for the sleep of the live clock, and for no other
  const timer = setTimeout(() => {
    cancel = begin(effect)
  }, millis)
  return () => cancel()
}

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
