/**
 * Agents as documents: JSON or YAML instead of a literal in TypeScript.
 *
 * A document has the shape of the options of an agent; in addition, it declares its fields and events. A document
 * refers to code by name: `{ hook: name }`, `{ predicate: name }`, `{ template: name }`; to a tool by its name alone. A
 * condition is an expression of the Common Expression Language, such as `data.guests > 4`; a text may have
 * placeholders, `{{data.city}}`.
 */
import * as Schema from "effect/Schema"
import type { Json } from "../base/Json.js"
import * as PartKinds from "./PartKinds.js"

/** The version of the document format. */
export const version = 1

/** The fields of a document in addition to the options of an agent. */
export interface Declarations {
  /** The JSON Schema of the file, for editors. */
  readonly $schema?: string
  /** Version of the document format. Default 1. */
  readonly coxswain?: 1
  /** The fields that the conversation collects, by name. */
  readonly data?: { readonly [name: string]: Json }
  /** The fields that the application gives with each turn, by name. */
  readonly context?: { readonly [name: string]: Json }
  /** The external events, by name, each with the Schema of its payload. */
  readonly events?: { readonly [name: string]: Json }
}

/** An agent as a document: a JSON object with the fields of `Declarations` and the options of an agent. */
export interface FlowDocument extends Declarations {
  /** Name of the agent, as the prompts give it. */
  readonly name: string
  readonly [option: string]: unknown
}

const fields = Schema.Record({ key: Schema.String, value: PartKinds.field.schema })

/** The Schema of documents. It checks their form: names, expressions and targets are checked when an agent is made. */
export const FlowDocument: Schema.Schema<FlowDocument> = PartKinds.document({
  $schema: Schema.String,
  coxswain: Schema.Literal(version),
  data: fields,
  context: fields,
  events: fields
})
