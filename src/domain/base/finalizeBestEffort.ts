/**
 * What is left to do where something has ended.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"

/**
 * Tries it, for five seconds at most, also where nothing else may be interrupted. That it failed is only logged, so: what
 * has ended does not end otherwise because of it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const finalizeBestEffort = <E, R>(
  effect: Effect.Effect<unknown, E, R>,
  otherwise: string
): Effect.Effect<void, never, R> =>
  effect.pipe(
    Effect.interruptible,
    Effect.timeout("5 seconds"),
    Effect.catchAllCause((cause) => Effect.logWarning(otherwise, cause)),
    Effect.asVoid
  )
