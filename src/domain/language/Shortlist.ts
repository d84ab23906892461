/**
 * Selection of the flows that a message is scored against, so that the prompt does not grow with the number of flows.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** The texts of a flow. */
export interface About {
  readonly id: string
  readonly title: string
  readonly description?: string
  /** The flow's `when` texts, without the excluding ones (`!…`). */
  readonly when: ReadonlyArray<string>
  /** Further texts of the flow: those of its steps, except functions, and the descriptions of its fields. */
  readonly texts: ReadonlyArray<string>
}

/** A method of selecting flows. `coxswain/layers/shortlist` has one that compares words. */
export interface Shortlist {
  /** Largest number of selected flows. Does not count active and suspended flows, and flows on the agenda. */
  readonly flows: number
  /**
   * Makes the selection, once per agent. The returned function lists the ids of flows close to a message, closest
   * first; empty if the message gives no hint. It must be deterministic, so that a repeated turn asks the model the
   * same questions.
   */
  readonly make: (flows: ReadonlyArray<About>) => (message: string) => ReadonlyArray<string>
}

const isShortlist = (u: unknown): u is Shortlist =>
  Predicate.isRecord(u) && typeof u.make === "function" && Number.isInteger(u.flows) && Number(u.flows) > 0

export const Shortlist: Schema.Schema<Shortlist> = Schema.declare(isShortlist, {
  identifier: "Shortlist",
  description: "a shortlist, for example byWords() of coxswain/layers/shortlist, with a positive number of flows"
})
