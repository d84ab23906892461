/** The form of a field in a document: the supported part of JSON Schema, with the annotations of this library. */
import * as Schema from "effect/Schema"
import { Json } from "../base/Json.js"
import { annotations } from "../fields/Annotations.js"
import { optional } from "../fields/Fields.js"

/**
 * The name of a format of texts.
 */
const Format = Schema.Literal("date", "date-time", "time", "email", "uri", "uuid")

const typeNames = ["string", "number", "integer", "boolean", "null", "array", "object"] as const

/** Names that other languages have for the types. */
const otherNames = new Map<unknown, string>([
  ...["int", "long", "whole"].map((name) => [name, "integer"] as const),
  ...["float", "double", "decimal"].map((name) => [name, "number"] as const),
  ...["str", "text", "date", "datetime"].map((name) => [name, "string"] as const),
  ...["bool", "yes/no"].map((name) => [name, "boolean"] as const),
  ...["list", "set"].map((name) => [name, "array"] as const),
  ...["map", "dict", "record", "struct"].map((name) => [name, "object"] as const)
])

const TypeName = Schema.Literal(...typeNames).annotations({
  message: ({ actual }) => {
    const meant = otherNames.get(actual)
    const names = `expected one of ${typeNames.join(", ")}, got ${JSON.stringify(actual)}`
    return { message: meant === undefined ? names : `${names}: write ${meant}`, override: true }
  }
})

const count = optional(Schema.NonNegativeInt)
const bound = optional(Schema.Number)

/** A field in a document: a JSON Schema with annotations. */
export interface FieldShape extends Schema.Struct.Type<typeof flat> {
  /** The Schema of all items of a list. */
  readonly items?: FieldShape
  /** The parts of an object, by name. */
  readonly properties?: { readonly [name: string]: FieldShape }
  /** The Schema of all parts of an object that `properties` does not name, or `false` if there may be none. */
  readonly additionalProperties?: FieldShape | boolean
  /** Alternatives: the value fits at least one. */
  readonly anyOf?: ReadonlyArray<FieldShape>
}

const flat = {
  /** The type of the value, or several types. */
  type: optional(Schema.Union(TypeName, Schema.NonEmptyArray(TypeName))),
  /** The only allowed value. */
  const: optional(Json),
  /** The allowed values. */
  enum: optional(Schema.NonEmptyArray(Json)),
  /** Smallest number of characters. */
  minLength: count,
  /** Largest number of characters. */
  maxLength: count,
  /** A regular expression that occurs in the text. */
  pattern: optional(Schema.String),
  /** The format of the text. */
  format: optional(Format),
  /** Smallest number. */
  minimum: bound,
  /** Largest number. */
  maximum: bound,
  /** The number is greater than this. */
  exclusiveMinimum: bound,
  /** The number is less than this. */
  exclusiveMaximum: bound,
  /** The number is a multiple of this. */
  multipleOf: optional(Schema.Positive),
  /** Smallest number of items. */
  minItems: count,
  /** Largest number of items. */
  maxItems: count,
  /** The parts that an object must have. */
  required: optional(Schema.Array(Schema.String)),
  /** Label in forms. */
  title: optional(Schema.String),
  /** Meaning of the value, for models and people. */
  description: optional(Schema.String),
  /** Examples of values. */
  examples: optional(Schema.Array(Json)),
  /** Name of a Schema in the registry, in place of the keywords of JSON Schema. */
  schema: optional(Schema.NonEmptyString),
  /**
   * True if a field of the context may be missing. Fields of the data may always be missing, because they are collected
   * bit by bit.
   */
  optional: optional(Schema.Boolean),
  ...annotations
}

/** The Schema of a field in a document. */
export const FieldShape: Schema.Schema<FieldShape> = Schema.Struct({
  ...flat,
  items: optional(Schema.suspend(() => FieldShape)),
  properties: optional(Schema.Record({ key: Schema.String, value: Schema.suspend(() => FieldShape) })),
  additionalProperties: optional(Schema.Union(Schema.Boolean, Schema.suspend(() => FieldShape))),
  anyOf: optional(Schema.Array(Schema.suspend(() => FieldShape)))
}).annotations({ identifier: "Field" })
