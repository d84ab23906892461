/** Converts JSON schemas for Anthropic's structured outputs. */
import * as Predicate from "effect/Predicate"
import { recordOf } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import { describing, inlined, type JsonSchema, mapped } from "../../domain/fields/schema/JsonSchema.js"

const taken = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "anyOf",
  "enum",
  "const",
  "format",
  "title",
  "description",
  "default"
])

const formats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"])

const takes = (keyword: string, value: unknown): boolean =>
  taken.has(keyword) && (keyword !== "format" || formats.has(String(value)))

/**
 * Moves keywords that the vendor refuses, such as bounds, into the description; the caller's Schema still checks them.
 */
const narrowed = ({ oneOf, ...schema }: JsonSchema): JsonSchema =>
  describing(oneOf === undefined ? schema : { ...schema, anyOf: oneOf }, takes)

/** Maximum number of properties with a choice of types, and of optional properties. */
const limits = { choices: 16, optional: 24 }

const says = ["type", "enum", "const", "anyOf"]

const sizeOf = ({ properties, required }: JsonSchema) => {
  const all = Object.entries(recordOf(properties))
  const isChoice = ([, property]: readonly [string, unknown]) => {
    const { anyOf, type } = recordOf(property)
    return anyOf !== undefined || Array.isArray(type)
  }
  const isOptional = ([name]: readonly [string, unknown]) => !Array.isArray(required) || !required.includes(name)
  return { choices: all.filter(isChoice).length, optional: all.filter(isOptional).length }
}

/**
 * Returns the schema for structured outputs; undefined if they cannot express it: objects with any keys, values of any
 * kind, tuples, recursion, and more than 16 properties with a choice of types or 24 optional properties.
 */
export const grammar: (schema: object) => JsonSchema | undefined = Memo.weak((schema) => {
  const { recursive, schema: whole } = inlined(schema)
  let fits = !recursive && whole.type === "object"
  const size = { choices: 0, optional: 0 }
  const result = mapped(whole, (each) => {
    const narrow = narrowed(each)
    const { choices, optional } = sizeOf(each)
    size.choices += choices
    size.optional += optional
    if (!says.some((keyword) => keyword in narrow) || "prefixItems" in each || Array.isArray(each.items)) fits = false
    if (narrow.type !== "object") return narrow
    const open = each.additionalProperties !== undefined && each.additionalProperties !== false
    if (open || "patternProperties" in each || !Predicate.isRecord(narrow.properties)) fits = false
    return { ...narrow, additionalProperties: false }
  })
  return fits && size.choices <= limits.choices && size.optional <= limits.optional ? result : undefined
})
