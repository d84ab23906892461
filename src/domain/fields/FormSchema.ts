/** The Schema of a form: what a page renders, and what a session keeps. */
import * as Schema from "effect/Schema"
import { Json, type JsonObject, OwnKey } from "../base/Json.js"
import { optional } from "./Fields.js"

/** A suggested answer for a page to render. */
export const Suggestion = Schema.Struct({ value: Json, label: Schema.String }).annotations({ identifier: "Suggestion" })

export type Suggestion = typeof Suggestion.Type

/**
 * The JSON Schema of a field. It is an intersection, because optional properties beside an index signature do not compile
 * in a project without `exactOptionalPropertyTypes`.
 */
export type Property = JsonObject & {
  readonly title: string
  readonly description?: string
  readonly suggestions?: ReadonlyArray<Suggestion>
}

const Property: Schema.Schema<Property> = Schema.Struct({
  title: Schema.String,
  description: optional(Schema.String),
  suggestions: optional(Schema.Array(Suggestion))
}, { key: OwnKey, value: Json })

/**
 * A JSON Schema (draft 7, without references) of the fields that a step still needs. Each field has its label as
 * `title`. `suggestions` is a keyword of this library; the form's own suggestions are sent as messages.
 */
export const Form = Schema.Struct({
  type: Schema.Literal("object"),
  title: optional(Schema.String),
  properties: Schema.Record({ key: OwnKey, value: Property }),
  required: Schema.Array(Schema.String),
  additionalProperties: Schema.Literal(false),
  suggestions: optional(Schema.Array(Suggestion))
}).annotations({ identifier: "Form" })

export type Form = typeof Form.Type
