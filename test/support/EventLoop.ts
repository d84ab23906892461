/** The event loop, which fibers that wait only for each other hold. */
import { Effect } from "effect"

/** Lets the loop do everything else that is due. */
export const turn: Effect.Effect<void> = Effect.async((resume) => {
  const next = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(next))
})
