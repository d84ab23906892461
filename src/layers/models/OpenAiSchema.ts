/** Converts JSON schemas for the strict mode of OpenAI. */
import * as Predicate from "effect/Predicate"
import { recordOf } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import { describing, inlined, type JsonSchema, mapped } from "../../domain/fields/schema/JsonSchema.js"

const taken = new Set([
  ...["type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "description"],
  ...["pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["minItems", "maxItems"]
])

const formats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"])

const takes = (keyword: string, value: unknown): boolean =>
  taken.has(keyword) && (keyword !== "format" || formats.has(String(value)))

/** True if the schema accepts `null`. */
const takesNull = ({ anyOf, const: one, enum: values, type }: JsonSchema): boolean =>
  Array.isArray(anyOf)
    ? anyOf.some((member) => takesNull(recordOf(member)))
    : Array.isArray(values)
    ? values.includes(null)
    : one === null || [type].flat().includes("null")

/** Makes an optional property accept `null`, because strict mode requires every property. */
const nullable = (property: JsonSchema): JsonSchema =>
  takesNull(property) ? property : { anyOf: [property, { type: "null" }] }

const typeOf = (value: unknown): string => value === null ? "null" : typeof value

/** Adds the type of enumerated values, which strict mode requires. */
const typed = (schema: JsonSchema): JsonSchema => {
  if (schema.type !== undefined || schema.anyOf !== undefined) return schema
  const values = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : []
  const types = [...new Set(values.map(typeOf))]
  return types.length === 0 ? schema : { type: types.length === 1 ? types[0] : types, ...schema }
}

const closed = (schema: JsonSchema): JsonSchema => {
  const properties = recordOf(schema.properties)
  const required: ReadonlyArray<unknown> = Array.isArray(schema.required) ? schema.required : []
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        required.includes(name) ? property : nullable(recordOf(property))
      ])
    ),
    required: Object.keys(properties),
    additionalProperties: false
  }
}

/**
 * True for a schema that strict mode cannot express: an object with arbitrary keys, a value of any type, or a list
 * without a type for its items.
 */
const isOpen = (schema: JsonSchema): boolean => {
  if (schema.type === undefined && schema.anyOf === undefined) return true
  if (![schema.type].flat().includes("object")) return schema.type === "array" && !Predicate.isRecord(schema.items)
  const { additionalProperties = false, patternProperties, properties } = schema
  return additionalProperties !== false || patternProperties !== undefined || !Predicate.isRecord(properties)
}

/** Limits of a whole schema, as OpenAI documents them. */
const limits = { properties: 5_000, values: 1_000, characters: 120_000, levels: 10 }

const levelsOf = (schema: unknown): number => {
  if (Array.isArray(schema)) return Math.max(0, ...schema.map(levelsOf))
  if (!Predicate.isRecord(schema)) return 0
  const below = Math.max(0, ...Object.values(schema).map(levelsOf))
  return Predicate.isRecord(schema.properties) ? below + 1 : below
}

/**
 * Returns the schema for strict mode; undefined if the mode cannot express it: objects with any keys, values of any
 * kind, recursion, and schemas beyond its limits. Optional properties accept `null` instead; unsupported keywords are
 * moved into the description.
 */
export const strict: (schema: object) => JsonSchema | undefined = Memo.weak((schema) => {
  const { recursive, schema: whole } = inlined(schema)
  if (recursive || whole.type !== "object") return undefined
  const size = { properties: 0, values: 0, characters: 0 }
  let fits = true
  const made = mapped(whole, ({ oneOf, ...given }) => {
    const each = typed(oneOf === undefined ? given : { ...given, anyOf: oneOf })
    fits &&= !isOpen(each)
    const names = Object.keys(recordOf(each.properties))
    const values = Array.isArray(each.enum) ? each.enum : []
    size.properties += names.length
    size.values += values.length
    size.characters += [...names, ...values].join("").length
    const told = describing(each, takes)
    return [told.type].flat().includes("object") ? closed(told) : told
  })
  const { characters, properties, values } = size
  const isSmall = properties <= limits.properties && values <= limits.values && characters <= limits.characters
  return fits && isSmall && levelsOf(made) <= limits.levels ? made : undefined
})
