/** One turn of the exploration: its beginning, its path, and its result. */
import type * as Hearing from "./Hearing.js"
import type { Path } from "./Path.js"

/** The input that begins a turn. */
export type Cause =
  | { readonly _tag: "Flow"; readonly flow: number }
  | { readonly _tag: "Message" }
  /** A handler of an event, of a job's report, or of a timer. */
  | { readonly _tag: "Happened"; readonly path: string; readonly heard: Hearing.EventHandler }
  | { readonly _tag: "Code"; readonly path: string }

/** One turn of the exploration. */
export interface Turn {
  readonly from: number
  /** True if a known value is withdrawn or cleared in this turn, or in an earlier turn of the shortest path to it. */
  readonly late: boolean
  readonly cause: Cause
  readonly way: Path
  /**
   * Index of the position to which the turn leads; -1 if the conversation is then outside all flows, `undefined` if the
   * turn fails.
   */
  readonly to: number | undefined
}
