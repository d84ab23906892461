/** Cleanup that cannot change a result. */
import * as Effect from "effect/Effect"

/**
 * Best-effort finalizer: runs for at most 5 s, also in uninterruptible regions, logs a failure, and never changes the
 * outcome of the main effect.
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
