/**
 * JSON schemas as Anthropic's structured outputs take them.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Kept from "../../domain/Kept.js"
import type { JsonSchema } from "./JsonSchemas.js"
import { inlined, mapped } from "./JsonSchemas.js"

const taken = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "anyOf",
  "allOf",
  "enum",
  "const",
  "format",
  "title",
  "description",
  "default"
])

const formats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"])

const bounds = new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern"]
  .concat(["minLength", "maxLength", "minItems", "maxItems", "uniqueItems"]))

/** The vendor refuses bounds: they go into the description for the model, and the caller's Schema still checks them. */
const narrowed = (schema: JsonSchema): JsonSchema => {
  const { oneOf, ...rest } = schema
  const told = Object.entries(rest).filter(([key]) => bounds.has(key)).map(([key, value]) => `${key} ${String(value)}`)
  const kept = Object.entries(rest).filter(([key, value]) =>
    taken.has(key) && (key !== "format" || formats.has(String(value)))
  )
  return {
    ...Object.fromEntries(kept),
    ...(oneOf !== undefined && { anyOf: oneOf }),
    ...(told.length > 0 && { description: [rest.description, told.join(", ")].filter(Boolean).join("; ") })
  }
}

const says = ["type", "enum", "const", "anyOf", "allOf"]

/**
 * The schema for structured outputs, or nothing when they cannot express it: objects with any keys, values of any kind,
 * tuples, and what refers to itself.
 *
 * @since 0.1.0
 * @category combinators
 */
export const grammar: (schema: object) => JsonSchema | undefined = Kept.by((schema) => {
  const { recursive, schema: whole } = inlined(schema)
  let fits = !recursive && whole.type === "object"
  const result = mapped(whole, (each) => {
    const narrow = narrowed(each)
    if (!says.some((keyword) => keyword in narrow) || "prefixItems" in each || Array.isArray(each.items)) fits = false
    if (narrow.type !== "object") return narrow
    const open = each.additionalProperties !== undefined && each.additionalProperties !== false
    if (open || "patternProperties" in each || !Predicate.isRecord(narrow.properties)) fits = false
    return { ...narrow, additionalProperties: false }
  })
  return fits ? result : undefined
})
