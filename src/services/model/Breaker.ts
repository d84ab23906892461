/**
 * A circuit breaker: after several failures in a row, calls fail immediately for a while; then one call tests whether
 * the callee works again. So the timeout of a provider that is down delays one turn, not every turn.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"

export interface Options {
  /** Number of consecutive failures that open the breaker; default 5. */
  readonly failures?: number
  /** Time for which the breaker stays open before one call is let through; default 30 seconds. */
  readonly coolDown?: Duration.DurationInput
}

export interface Breaker {
  /** Remaining time for which the breaker stays open; `None` when a call may be made. */
  readonly open: Effect.Effect<Option.Option<Duration.Duration>>
  /**
   * Runs the effect unless the breaker is open. `isFailure` decides which errors count as failures of the callee; any
   * other outcome closes the breaker.
   */
  readonly guard: <A, E, R, E2>(
    effect: Effect.Effect<A, E, R>,
    options: Guarding<E, E2>
  ) => Effect.Effect<A, E | E2, R>
}

export interface Guarding<E, E2> {
  readonly isFailure: (error: E) => boolean
  readonly onOpen: (wait: Duration.Duration) => E2
  /** Called when this effect's outcome opened the breaker, or closed it after it was open. */
  readonly onChange?: (to: "opened" | "closed") => Effect.Effect<void>
}

type State =
  | { readonly _tag: "Closed"; readonly failures: number }
  | { readonly _tag: "Open"; readonly until: number }
  | { readonly _tag: "HalfOpen" }

const closed: State = { _tag: "Closed", failures: 0 }

type Outcome = "worked" | "failed" | "interrupted"

export const make = (options?: Options): Effect.Effect<Breaker> =>
  Effect.sync(() => {
    const limit = options?.failures ?? 5
    const coolDown = Duration.toMillis(options?.coolDown ?? Duration.seconds(30))
    let state: State = closed

    const left = (now: number): number =>
      state._tag === "Closed" ? 0 : state._tag === "HalfOpen" ? coolDown : Math.max(0, state.until - now)

    const enter = (now: number): number => {
      const wait = left(now)
      // After the cool-down, one call is made; other calls are refused until its outcome is known.
      if (state._tag === "Open" && wait === 0) state = { _tag: "HalfOpen" }
      return wait
    }

    const after = (outcome: Outcome, now: number): State => {
      if (outcome === "worked") return closed
      switch (state._tag) {
        case "Open":
          return state
        case "HalfOpen":
          return { _tag: "Open", until: outcome === "interrupted" ? now : now + coolDown }
        case "Closed": {
          if (outcome === "interrupted") return state
          const failures = state.failures + 1
          return failures >= limit ? { _tag: "Open", until: now + coolDown } : { _tag: "Closed", failures }
        }
      }
    }

    const leave = (outcome: Outcome, now: number): "opened" | "closed" | undefined => {
      const before = state
      state = after(outcome, now)
      if (state._tag === "Open") return state !== before && outcome === "failed" ? "opened" : undefined
      return state._tag === "Closed" && before._tag !== "Closed" ? "closed" : undefined
    }

    return {
      open: Effect.map(Clock.currentTimeMillis, (now) => {
        const wait = left(now)
        return wait === 0 ? Option.none() : Option.some(Duration.millis(wait))
      }),
      guard: <A, E, R, E2>(effect: Effect.Effect<A, E, R>, { isFailure, onChange, onOpen }: Guarding<E, E2>) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.clockWith((clock): Effect.Effect<A, E | E2, R> => {
            const wait = enter(clock.unsafeCurrentTimeMillis())
            if (wait > 0) return Effect.fail(onOpen(Duration.millis(wait)))
            return Effect.onExit(restore(effect), (exit) => {
              const change = leave(outcomeOf(exit, isFailure), clock.unsafeCurrentTimeMillis())
              return change === undefined || onChange === undefined ? Effect.void : onChange(change)
            })
          })
        )
    }
  })

const outcomeOf = <E>(exit: Exit.Exit<unknown, E>, isFailure: (error: E) => boolean): Outcome => {
  if (Exit.isSuccess(exit)) return "worked"
  if (Cause.isInterrupted(exit.cause)) return "interrupted"
  return Option.exists(Cause.failureOption(exit.cause), isFailure) ? "failed" : "worked"
}
