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
export const runWithin = <A, E, R, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  after: Duration.Duration,
  expiry: Effect.Effect<A, E2, R2>,
  stop: (fiber: Fiber.RuntimeFiber<A, E>) => Effect.Effect<unknown> = Fiber.interrupt
): Effect.Effect<A, E | E2, R | R2> =>
  Effect.uninterruptibleMask((restore) => runMasked(restore, effect, after, expiry, stop))

/**
 * What may be interrupted again, as `Effect.uninterruptibleMask` gives it.
 *
 * @since 0.1.0
 * @category models
 */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * The same where nothing may be interrupted but what is given to `restore`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const runMasked = <A, E, R, E2, R2>(
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
    const race = new Race(parent, status, fiber, expiry, stop)
    // Waiting fails only where whoever waits is interrupted.
    return Effect.matchCauseEffect(restore(race.first(after)), {
      onFailure: (cause) => {
        race.endTimer()
        return Effect.zipRight(Fiber.interrupt(fiber), Effect.failCause(cause))
      },
      onSuccess: (exit) => {
        race.endTimer()
        return race.ended(exit)
      }
    })
  })

/** The clock that Effect has when nobody gave one. */
const live = Context.get(DefaultServices.liveServices, Clock.Clock)

/** What timers of the platform can count to. */
const longest = 2 ** 31 - 1

/**
 * An effect that runs, and the time that it has. A fiber that only sleeps takes four kilobytes, and as long as some phases
 * of a turn: by the clock of the process the expiry is a plain timer until it begins.
 */
class Race<A, E, E2, R2> {
  private timer: ReturnType<typeof setTimeout> | undefined
  private late: Fiber.RuntimeFiber<A, E2> | undefined

  constructor(
    private readonly parent: Fiber.RuntimeFiber<unknown, unknown>,
    private readonly status: FiberStatus.Running,
    private readonly fiber: Fiber.RuntimeFiber<A, E>,
    private readonly expiry: Effect.Effect<A, E2, R2>,
    private readonly stop: (fiber: Fiber.RuntimeFiber<A, E>) => Effect.Effect<unknown>
  ) {}

  /** How the first of the two has ended. */
  first(after: Duration.Duration): Effect.Effect<Exit.Exit<A, E | E2>> {
    return Effect.async((resume) => {
      const ended = (exit: Exit.Exit<A, E | E2>) => resume(Effect.succeed(exit))
      this.fiber.addObserver(ended)
      this.startTimer(after, ended)
    })
  }

  /** What is left to do when the first has ended so. */
  ended(exit: Exit.Exit<A, E | E2>): Effect.Effect<A, E | E2> {
    return Effect.zipRight(
      this.late?.unsafePoll() === exit ? this.stop(this.fiber) : Fiber.inheritAll(this.fiber),
      exit
    )
  }

  private startTimer(after: Duration.Duration, ended: (exit: Exit.Exit<A, E2>) => void): void {
    const clock = Context.get(this.parent.currentDefaultServices, Clock.Clock)
    if (clock !== live) return this.begin(Effect.zipRight(clock.sleep(after), this.expiry), ended)
    const millis = Duration.toMillis(after)
    if (millis > longest) return
    // eslint-disable-next-line no-restricted-globals -- it stands in for the sleep of the live clock, and for no other
    this.timer = setTimeout(() => this.begin(this.expiry, ended), millis)
  }

  private begin(expiry: Effect.Effect<A, E2, R2>, ended: (exit: Exit.Exit<A, E2>) => void): void {
    this.late = fork(this.parent, this.status, Effect.interruptible(expiry))
    this.late.addObserver(ended)
  }

  endTimer(): void {
    clearTimeout(this.timer)
    this.late?.unsafeInterruptAsFork(this.parent.id())
  }
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
