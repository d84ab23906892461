/**
 * The search for values in texts. It is loaded with the first turn that needs it: bundlers write it to a separate file,
 * because most agents keep no origins.
 */
import * as Effect from "effect/Effect"
import * as Later from "../../../domain/base/Later.js"

const later = Later.make(() => import("../../../domain/origin/trace.js"))

/** Loads the search: when a turn of an agent that keeps origins begins, and before the origins of a call are determined. */
export const load: Effect.Effect<void> = Effect.asVoid(later.load)

/** The search, in a turn that has loaded it. */
export const search = later.get
