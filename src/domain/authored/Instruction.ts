/**
 * Statements the model must, must never or should follow, at agent, flow or step scope.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { PredicateSchema, WhenSchema } from "../code/Code.js"
import type { OneOrMany, Predicate, Written } from "./Callback.js"

/**
 * One statement. `when` costs no call: the clause is rendered and the model applies it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Instruction<D, C> {
  /** Default: its scope and its place in it: `agent#1`, `booking#2`, `booking/ask#1`. */
  readonly id?: string
  /** How strictly it is meant. Default `"must"`. */
  readonly kind?: "must" | "never" | "should"
  /** The statement itself, as the model reads it. */
  readonly text: string
  /**
   * Which model reads it: the one that speaks, the one that understands messages, or both. Understanding reads those of the
   * agent, and of the flow and the step that wait for the message. Default `"speaking"`.
   */
  readonly for?: "speaking" | "understanding" | "both"
  /** In words; any entry is enough, or `{ all }` of words and code; an entry that starts with `!` excludes. */
  readonly when?: Written<Predicate<D, C>>
  /** In code; all must hold, else the instruction is not rendered. */
  readonly if?: OneOrMany<Predicate<D, C>>
}

/**
 * @since 0.1.0
 * @category schemas
 */
export const Instruction = Schema.Struct({
  id: Schema.optional(Schema.NonEmptyString),
  kind: Schema.optional(Schema.Literal("must", "never", "should")),
  text: Schema.NonEmptyString,
  for: Schema.optional(Schema.Literal("speaking", "understanding", "both")),
  when: Schema.optional(WhenSchema),
  if: Schema.optional(PredicateSchema)
}).annotations({ identifier: "Instruction" })
