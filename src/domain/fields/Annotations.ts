/** The annotations of a field: their names, their values in a document, and their defaults. */
import * as Schema from "effect/Schema"
import { Json } from "../base/Json.js"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const oneOf = <const L extends readonly [string, ...ReadonlyArray<string>]>(...values: L) =>
  Schema.optionalWith(Schema.Literal(...values), { exact: true })

/** The values of annotations that have few. */
export const values = {
  /** The condition under which a value is taken from a message. */
  extract: oneOf("always", "asked", "explicit", "never"),
  /** `none` if a value need not stand in words of the message, as a value from a picture. */
  evidence: oneOf("words", "none"),
  /** Lifetime of a value: `flow` ends with the flow that declares the field, `user` lasts for all sessions of a user. */
  scope: oneOf("session", "flow", "user")
}

/** All annotations, as a document writes them. */
export const annotations = {
  /** Fields that this field depends on: if one of them is corrected, this field is cleared. */
  dependsOn: optional(Schema.Array(Schema.String)),
  /** The way in which a message changes a known list or record: `replace`, `append`, or `by:` and a key. */
  merge: optional(Schema.String),
  ...values,
  /** The value if the user has no preference. */
  dontCare: optional(Json),
  /** Suggested answers. */
  choices: optional(Schema.Array(Json))
}
