/**
 * One turn of the exploration: how it begins, which way it goes, and where it leads.
 *
 * @since 0.2.0
 */
import type { Target } from "../shape/CodeTarget.js"
import type * as Hearing from "./Hearing.js"
import type { Path } from "./Path.js"

/** How a turn begins. */
export type Cause =
  | { readonly _tag: "Flow"; readonly flow: number }
  | { readonly _tag: "Message" }
  /** A handler of an event, of what a job tells, or of time that goes by. */
  | { readonly _tag: "Happened"; readonly path: string; readonly heard: Hearing.Heard }
  | { readonly _tag: "Code"; readonly path: string; readonly target: Target }

/** One turn of the exploration. */
export interface Turn {
  readonly from: number
  /** Whether something that was known is lost in it, or was before it on the shortest way: by the user, or by code at any time. */
  readonly late: boolean
  readonly cause: Cause
  readonly way: Path
  /** The place it leads to; -1 when nobody has the floor afterwards, `undefined` when the turn fails. */
  readonly to: number | undefined
}
