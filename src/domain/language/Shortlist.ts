/**
 * Which of many flows a message is asked about: those that it may be close to, so that the question does not grow with the
 * number of flows.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * What is written of a flow.
 *
 * @since 0.1.0
 * @category models
 */
export interface About {
  readonly id: string
  readonly title: string
  readonly description?: string
  /** When it is wanted, as it is written; not when it is not. */
  readonly when: ReadonlyArray<string>
  /** What else is said in it: texts of its steps, as far as they are no functions, and descriptions of its fields. */
  readonly texts: ReadonlyArray<string>
}

/**
 * How flows are chosen. `coxswain/layers/shortlist` has one by words.
 *
 * @since 0.1.0
 * @category models
 */
export interface Shortlist {
  /** How many flows a message is asked about at most, those that are under way or waited for not counted. */
  readonly flows: number
  /**
   * Called once for an agent. What it gives names the flows that a message may be close to, the closest first, and none
   * when the message tells nothing. It gives the same for the same: a turn that is run again asks the same.
   */
  readonly make: (flows: ReadonlyArray<About>) => (message: string) => ReadonlyArray<string>
}

const isShortlist = (u: unknown): u is Shortlist =>
  Predicate.isRecord(u) && typeof u.make === "function" && Number.isInteger(u.flows) && Number(u.flows) > 0

/**
 * @since 0.1.0
 * @category schemas
 */
export const Shortlist: Schema.Schema<Shortlist> = Schema.declare(isShortlist, {
  identifier: "Shortlist",
  description: "a shortlist, for example byWords() of coxswain/layers/shortlist, with a positive number of flows"
})
