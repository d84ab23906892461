/** Runs an effect with a time limit. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import type * as FiberStatus from "effect/FiberStatus"
import { identity } from "effect/Function"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"

/**
 * Runs `effect` with a time limit. When `after` has passed, it also starts `expiry`; the result is that of the effect
 * that ends first. If `expiry` wins, `stop` runs on the effect's fiber. The effect starts synchronously: if it ends
 * without suspending, no timer and no race are created. Interrupting the result waits until the effect has stopped.
 */
export const runWithin = <A, E, R, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  after: Duration.Duration,
  expiry: Effect.Effect<A, E2, R2>,
  stop: (fiber: Fiber.RuntimeFiber<A, E>) => Effect.Effect<unknown> = Fiber.interrupt
): Effect.Effect<A, E | E2, R | R2> => maskFast((restore) => runMasked(restore, effect, after, expiry, stop))

/** The `restore` function of `maskFast` and `Effect.uninterruptibleMask`: makes an effect interruptible again. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Like `Effect.uninterruptibleMask`, with fewer frames and objects. A fiber keeps these in memory while the effect
 * waits.
 */
export const maskFast = <A, E, R>(body: (restore: Restore) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((_, { runtimeFlags }) =>
    RuntimeFlags.interruption(runtimeFlags) ? Effect.uninterruptible(body(Effect.interruptible)) : body(identity)
  )

/** Like `runWithin`, for callers inside an uninterruptible region: only `effect` is interruptible, by `restore`. */
export const runMasked = <A, E, R, E2, R2>(
  restore: Restore,
  effect: Effect.Effect<A, E, R>,
  after: Duration.Duration,
  expiry: Effect.Effect<A, E2, R2>,
  stop: (fiber: Fiber.RuntimeFiber<A, E>) => Effect.Effect<unknown> = Fiber.interrupt
): Effect.Effect<A, E | E2, R | R2> =>
  Effect.withFiberRuntime((parent, status) => {
    const fiber = forkRestored(parent, status, restore, effect)
    const done = fiber.unsafePoll()
    if (done !== null) return inherited(fiber, done)
    const race = new Race(parent, status, fiber, expiry, stop)
    // The wait fails only if the waiting fiber is interrupted.
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

/** A request to stop. */
export interface Stop {
  /** Completes when the stop is requested. */
  readonly signal: Effect.Effect<void>
  /**
   * Calls the listener when the stop is requested, without a fiber that waits. Returns a function that removes the
   * listener.
   */
  readonly listen?: ((listener: () => void) => () => void) | undefined
}

/**
 * Runs `effect` until it ends or a stop is requested. If `instead` returns a value for the stop, interrupts the effect;
 * when it has stopped, the result is that value. The effect starts synchronously.
 */
export const runUntil = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  stop: Stop,
  instead: () => A | undefined
): Effect.Effect<A, E, R> =>
  maskFast((restore) =>
    Effect.withFiberRuntime((parent, status) => {
      const fiber = forkRestored(parent, status, restore, effect)
      const done = fiber.unsafePoll()
      if (done !== null) return inherited(fiber, done)
      let value: A | undefined
      let cancel = () => {}
      const first = Effect.async<void>((resume) => {
        fiber.addObserver(() => resume(Effect.void))
        cancel = listened(parent, status, stop, () => {
          value = instead()
          if (value !== undefined) resume(Effect.void)
        })
      })
      // The wait fails only if the waiting fiber is interrupted.
      return Effect.matchCauseEffect(restore(first), {
        onFailure: (cause) => {
          cancel()
          return Effect.zipRight(Fiber.interrupt(fiber), Effect.failCause(cause))
        },
        onSuccess: () => {
          cancel()
          const exit = fiber.unsafePoll()
          if (exit !== null) return inherited(fiber, exit)
          // The fiber has not ended, so the stop came first.
          return Effect.as(Fiber.interrupt(fiber), value!)
        }
      })
    })
  )

const listened = (
  parent: Fiber.RuntimeFiber<unknown, unknown>,
  status: FiberStatus.Running,
  { listen, signal }: Stop,
  listener: () => void
): () => void => {
  if (listen !== undefined) return listen(listener)
  const waiting = fork(parent, status, Effect.interruptible(Effect.map(signal, listener)))
  return () => waiting.unsafeInterruptAsFork(parent.id())
}

/**
 * The exit of a fiber that has ended, with its fiber refs taken over. Skips the join if the refs are equal, because a
 * join takes long.
 */
const inherited = <A, E>(
  fiber: Fiber.RuntimeFiber<unknown, unknown>,
  exit: Exit.Exit<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiberRuntime((parent) => {
    const [before, after] = [parent.getFiberRefs(), fiber.getFiberRefs()]
    for (const [ref, [[, value]]] of after.locals) {
      const own = before.locals.get(ref)?.[0][1] ?? FiberRefs.getOrDefault(before, ref)
      if (own !== value && (ref !== FiberRef.currentRuntimeFlags || differ(own, value))) {
        return Effect.zipRight(Fiber.inheritAll(fiber), exit)
      }
    }
    return exit
  })

/**
 * True if a join would change the runtime flags, apart from the two that belong to each fiber: interruption and
 * wind-down.
 */
const differ = (one: number, other: number): boolean =>
  ((one ^ other) & ~(RuntimeFlags.Interruption | RuntimeFlags.WindDown)) !== 0

/** Effect's default clock. */
const live = Context.get(DefaultServices.liveServices, Clock.Clock)

/** The longest delay of `setTimeout`, in milliseconds. */
const longest = 2 ** 31 - 1

/**
 * Races an effect against a timer. A sleeping fiber takes four kilobytes and as much time as some phases of a turn, so
 * with the live clock a plain `setTimeout` is used.
 */
class Race<A, E, E2, R2> {
  private timer: (() => void) | undefined
  private late: Fiber.RuntimeFiber<A, E2> | undefined

  constructor(
    private readonly parent: Fiber.RuntimeFiber<unknown, unknown>,
    private readonly status: FiberStatus.Running,
    private readonly fiber: Fiber.RuntimeFiber<A, E>,
    private readonly expiry: Effect.Effect<A, E2, R2>,
    private readonly stop: (fiber: Fiber.RuntimeFiber<A, E>) => Effect.Effect<unknown>
  ) {}

  /** The exit of the first to end: the effect or the expiry. */
  first(after: Duration.Duration): Effect.Effect<Exit.Exit<A, E | E2>> {
    return Effect.async((resume) => {
      const ended = (exit: Exit.Exit<A, E | E2>) => resume(Effect.succeed(exit))
      this.fiber.addObserver(ended)
      this.startTimer(after, ended)
    })
  }

  /**
   * Cleans up after the race and returns the winner's result: if the expiry won, stops the effect; otherwise takes over
   * the fiber refs of the effect.
   */
  ended(exit: Exit.Exit<A, E | E2>): Effect.Effect<A, E | E2> {
    return this.late?.unsafePoll() === exit ? Effect.zipRight(this.stop(this.fiber), exit) : inherited(this.fiber, exit)
  }

  private startTimer(after: Duration.Duration, ended: (exit: Exit.Exit<A, E2>) => void): void {
    this.timer = callAfter(this.parent, this.status, after, () => {
      this.late = fork(this.parent, this.status, Effect.interruptible(this.expiry))
      this.late.addObserver(ended)
    })
  }

  endTimer(): void {
    this.timer?.()
    this.late?.unsafeInterruptAsFork(this.parent.id())
  }
}

/** Calls `due` once when `after` has passed by the clock of a fiber. Returns a function that cancels the call. */
export const callAfter = (
  parent: Fiber.RuntimeFiber<unknown, unknown>,
  status: FiberStatus.Running,
  after: Duration.Duration,
  due: () => void
): () => void => {
  const clock = Context.get(parent.currentDefaultServices, Clock.Clock)
  if (clock !== live) {
    const sleeping = fork(parent, status, Effect.interruptible(Effect.map(clock.sleep(after), due)))
    return () => sleeping.unsafeInterruptAsFork(parent.id())
  }
  const millis = Duration.toMillis(after)
  if (millis > longest) return () => {}
  // eslint-disable-next-line no-restricted-globals -- it stands in for the sleep of the live clock, and for no other
  const timer = setTimeout(due, millis)
  return () => clearTimeout(timer)
}

/** Starts the effect synchronously: on return it has run until its first suspension. Its fiber is not awaited. */
export const start = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Fiber.RuntimeFiber<A, E>, never, R> =>
  Effect.withFiberRuntime((parent, status) => Effect.succeed(fork(parent, status, effect)))

/**
 * Starts `restore(effect)`. If `restore` makes the effect interruptible, the new fiber is interruptible from its start
 * instead: this saves the frame of the wrapper that `restore` returns.
 */
const forkRestored = <A, E, R>(
  parent: Fiber.RuntimeFiber<unknown, unknown>,
  status: FiberStatus.Running,
  restore: Restore,
  effect: Effect.Effect<A, E, R>
): Fiber.RuntimeFiber<A, E> =>
  restore === Effect.interruptible
    ? fork(parent, { runtimeFlags: RuntimeFlags.enable(status.runtimeFlags, RuntimeFlags.Interruption) }, effect)
    : fork(parent, status, restore(effect))

/**
 * Like `start`, for callers that have the running fiber. Unlike `Effect.fork`, does not wait for the scheduler's next
 * turn.
 */
export const fork = <A, E, R>(
  parent: Fiber.RuntimeFiber<unknown, unknown>,
  { runtimeFlags }: Pick<FiberStatus.Running, "runtimeFlags">,
  effect: Effect.Effect<A, E, R>
): Fiber.RuntimeFiber<A, E> => {
  // The type of a fiber does not include its services. The cast is safe, because the effect runs inside a fiber that
  // has the services.
  const context = parent.currentContext as Context.Context<R>
  return Runtime.runFork(Runtime.make({ context, runtimeFlags, fiberRefs: parent.getFiberRefs() }), effect)
}
