/** Terms of a domain, explained to models. */
import * as Schema from "effect/Schema"

/** A domain term with its explanation; models read both. */
export const Term = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Schema.String,
  synonyms: Schema.optional(Schema.Array(Schema.String))
}).annotations({ identifier: "Term" })

/** A domain term with its explanation; models read both. */
export interface Term {
  /** The term. */
  readonly name: string
  /** The meaning of the term, for the models. */
  readonly description: string
  /** Other words with the same meaning. */
  readonly synonyms?: ReadonlyArray<string>
}
