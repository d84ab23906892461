/**
 * The search for values in texts. It is loaded with the first turn that needs it: bundlers write it to a separate file,
 * because most agents keep no origins.
 */
import * as Effect from "effect/Effect"
import type * as Trace from "../../../domain/origin/trace.js"

let loaded: typeof Trace | undefined

/** Loads the search: when a turn of an agent that keeps origins begins, and before the origins of a call are determined. */
export const load: Effect.Effect<void> = Effect.suspend(() =>
  loaded !== undefined ? Effect.void : Effect.map(
    Effect.promise(() => import("../../../domain/origin/trace.js")),
    (search) => {
      loaded = search
    }
  )
)

/** The search, in a turn that has loaded it. */
export const search = (): typeof Trace => {
  if (loaded === undefined) throw new Error("The search for origins is not loaded")
  return loaded
}
