/** Rules that the model must, must never or should follow, for an agent, a flow or a step. */
import * as Schema from "effect/Schema"
import { PredicatesSchema, WhenSchema } from "../code/Code.js"
import { defaulted } from "../code/OptionForm.js"
import type { OneOrMany, Predicate, Written } from "./Callback.js"

/** One rule. Its `when` needs no extra model call: it is part of the prompt, and the model applies it. */
export interface Instruction<D, C> {
  /**
   * Id of the rule. Default: the rule's scope and its position there, such as `agent#1`, `booking#2`, `booking/ask#1`.
   */
  readonly id?: string
  /** How strict the rule is. Default `"must"`. */
  readonly kind?: "must" | "never" | "should"
  /** The rule, as the model reads it. */
  readonly text: string
  /**
   * The prompts that contain the rule: of the model that speaks, of the model that understands messages, or of both.
   * The prompt for understanding has the rules of the agent and of the waiting flow and step. Default `"speaking"`.
   */
  readonly for?: "speaking" | "understanding" | "both"
  /**
   * Conditions in words: one match is enough. With `{ all }`, every string and predicate must hold. Entries that begin
   * with `!` exclude.
   */
  readonly when?: Written<Predicate<D, C>>
  /** Conditions in code: the rule is left out of the prompt unless all of them hold. */
  readonly if?: OneOrMany<Predicate<D, C>>
}

export const Instruction = Schema.Struct({
  id: Schema.optional(Schema.NonEmptyString),
  kind: defaulted(Schema.Literal("must", "never", "should"), "must"),
  text: Schema.NonEmptyString,
  for: defaulted(Schema.Literal("speaking", "understanding", "both"), "speaking"),
  when: Schema.optional(WhenSchema),
  if: Schema.optional(PredicatesSchema)
}).annotations({ identifier: "Instruction" })

/**
 * The Schema of a list of rules; a string is a `must` rule.
 *
 * @internal
 */
export const Instructions = Schema.Array(Schema.Union(Schema.NonEmptyString, Instruction))
