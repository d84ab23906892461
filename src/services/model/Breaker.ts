/**
 * A circuit breaker: after some failures in a row nothing is asked for a while, then one call finds out whether it
 * works again. So a provider that is down costs its timeout once, not on every turn.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How many failures in a row open it; default 5. */
  readonly failures?: number
  /** How long it stays open before one call is let through; default 30 seconds. */
  readonly coolDown?: Duration.DurationInput
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Breaker {
  /** How long it stays open; none when a call may be made. */
  readonly open: Effect.Effect<Option.Option<Duration.Duration>>
  /**
   * Runs the effect unless the breaker is open. `isFailure` says which errors speak against the callee; any other
   * outcome closes the breaker.
   */
  readonly guard: <A, E, R, E2>(
    effect: Effect.Effect<A, E, R>,
    options: {
      readonly isFailure: (error: E) => boolean
      readonly onOpen: (wait: Duration.Duration) => E2
      /** Told when this effect's outcome opened the breaker, or closed it after it was open. */
      readonly onChange?: (to: "opened" | "closed") => Effect.Effect<void>
    }
  ) => Effect.Effect<A, E | E2, R>
}

type State =
  | { readonly _tag: "Closed"; readonly failures: number }
  | { readonly _tag: "Open"; readonly until: number }
  | { readonly _tag: "HalfOpen" }

const closed: State = { _tag: "Closed", failures: 0 }

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options?: Options): Effect.Effect<Breaker> =>
  Effect.map(Ref.make<State>(closed), (ref) => {
    const limit = options?.failures ?? 5
    const coolDown = Duration.toMillis(options?.coolDown ?? Duration.seconds(30))

    const left = (state: State, now: number): number =>
      state._tag === "Closed" ? 0 : state._tag === "HalfOpen" ? coolDown : Math.max(0, state.until - now)

    const enter = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Ref.modify(ref, (state) => {
        const wait = left(state, now)
        // The one who finds it cooled down tries; others wait for what becomes of it.
        return [wait, state._tag === "Open" && wait === 0 ? { _tag: "HalfOpen" as const } : state]
      }))

    const after = (state: State, outcome: "worked" | "failed" | "interrupted", now: number): State => {
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

    const leave = (outcome: "worked" | "failed" | "interrupted") =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Ref.modify(ref, (before): readonly ["opened" | "closed" | undefined, State] => {
          const state = after(before, outcome, now)
          const opened = state._tag === "Open" && state !== before && outcome === "failed"
          const closed = state._tag === "Closed" && before._tag !== "Closed"
          return [opened ? "opened" : closed ? "closed" : undefined, state]
        }))

    return {
      open: Effect.zipWith(Clock.currentTimeMillis, Ref.get(ref), (now, state) => {
        const wait = left(state, now)
        return wait === 0 ? Option.none() : Option.some(Duration.millis(wait))
      }),
      guard: (effect, { isFailure, onChange, onOpen }) =>
        Effect.acquireUseRelease(
          Effect.flatMap(enter, (wait) =>
            wait > 0 ? Effect.fail(onOpen(Duration.millis(wait))) : Effect.void),
          () =>
            Effect.either(effect),
          (_, exit) =>
            Effect.flatMap(
              leave(
                Exit.isInterrupted(exit)
                  ? "interrupted"
                  : Exit.isSuccess(exit) && exit.value._tag === "Left" && isFailure(exit.value.left)
                  ? "failed"
                  : "worked"
              ),
              (change) => change === undefined || onChange === undefined ? Effect.void : onChange(change)
            )
        ).pipe(Effect.flatten)
    }
  })
