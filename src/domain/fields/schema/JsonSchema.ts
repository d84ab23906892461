/** Transformations of JSON Schemas: inlining of references, and unsupported keywords moved into the description. */
import * as Predicate from "effect/Predicate"
import { asText, recordOf } from "../../base/Json.js"

export type JsonSchema = { readonly [keyword: string]: unknown }

export const isSchema = (value: unknown): value is JsonSchema => Predicate.isRecord(value)

const mapValues = (schema: JsonSchema, change: (value: unknown, key: string) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, change(value, key)]))

/** Inlines all references. A recursive reference is replaced by any object, and `recursive` is then true. */
export const inlined = (schema: object): { readonly schema: JsonSchema; readonly recursive: boolean } => {
  const all: JsonSchema = { ...schema }
  const definitions: JsonSchema = { ...recordOf(all.$defs), ...recordOf(all.definitions) }
  let recursive = false
  const inline = (value: unknown, within: ReadonlyArray<string>): unknown => {
    if (Array.isArray(value)) return value.map((each) => inline(each, within))
    if (!isSchema(value)) return value
    const { $defs: _, definitions: __, $ref: reference, ...rest } = value
    if (typeof reference !== "string") {
      // Only the values of `properties` are schemas, because the names of properties may equal keywords.
      const named = (properties: JsonSchema) => mapValues(properties, (each) => inline(each, within))
      return mapValues(rest, (each, key) => key === "properties" && isSchema(each) ? named(each) : inline(each, within))
    }
    const name = decodeURIComponent(reference.replace(/^#\/(\$defs|definitions)\//, ""))
    if (within.includes(name)) recursive = true
    const known = within.includes(name) ? undefined : definitions[name]
    const target = known === undefined ? { type: "object" } : inline(known, [...within, name])
    return { ...recordOf(target), ...recordOf(inline(rest, within)) }
  }
  return { schema: recordOf(inline(all, [])), recursive }
}

/** Applies `change` to every nested schema, innermost first. */
export const mapped = (schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema => {
  const each = (value: unknown): unknown => isSchema(value) ? mapped(value, change) : value
  const result: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    result[keyword] = keyword === "properties" && isSchema(value)
      ? mapValues(value, each)
      : ["anyOf", "oneOf", "allOf", "prefixItems", "items"].includes(keyword) && Array.isArray(value)
      ? value.map(each)
      : ["items", "additionalProperties"].includes(keyword)
      ? each(value)
      : value
  }
  return change(result)
}

const listed = (value: unknown): string => [value].flat().map(asText).join(", ")

/** Keywords as words, for model providers that do not support the keywords. */
const inWords: Readonly<Record<string, (value: unknown) => string>> = {
  minimum: (value) => `at least ${asText(value)}`,
  maximum: (value) => `at most ${asText(value)}`,
  exclusiveMinimum: (value) => `more than ${asText(value)}`,
  exclusiveMaximum: (value) => `less than ${asText(value)}`,
  multipleOf: (value) => `a multiple of ${asText(value)}`,
  minLength: (value) => `at least ${asText(value)} characters`,
  maxLength: (value) => `at most ${asText(value)} characters`,
  pattern: (value) => `matches the regular expression ${asText(value)}`,
  format: (value) => `in the format ${asText(value)}`,
  minItems: (value) => `at least ${asText(value)} items`,
  maxItems: (value) => `at most ${asText(value)} items`,
  uniqueItems: () => "no item twice",
  prefixItems: (value) => `the items, in this order: ${asText(value)}`,
  minProperties: (value) => `at least ${asText(value)} properties`,
  maxProperties: (value) => `at most ${asText(value)} properties`,
  propertyNames: (value) => `the name of each property: ${asText(value)}`,
  patternProperties: (value) => `properties by the form of their name: ${asText(value)}`,
  enum: (value) => `one of ${listed(value)}`,
  const: (value) => `always ${asText(value)}`,
  default: (value) => `${asText(value)} when nothing is said`,
  examples: (value) => `for example ${listed(value)}`,
  allOf: (value) => Array.isArray(value) ? value.map((one) => worded(recordOf(one))).join(", ") : ""
}

/** Describes the keywords of a schema in words. */
export const worded = (schema: JsonSchema): string =>
  Object.entries(schema).flatMap(([keyword, value]) => {
    const words = Object.hasOwn(inWords, keyword) ? inWords[keyword]?.(value) : undefined
    return words === undefined || words === "" ? [] : [words]
  }).join(", ")

/**
 * Keeps the keywords that the reader of the schema (a model provider) supports, and moves the others into the
 * description, unless it already contains them.
 *
 * @param takes - whether the reader takes a keyword with its value
 */
export const describing = (
  schema: JsonSchema,
  takes: (keyword: string, value: unknown, schema: JsonSchema) => boolean
): JsonSchema => {
  const entries = Object.entries(schema)
  const kept = Object.fromEntries(entries.filter(([keyword, value]) => takes(keyword, value, schema)))
  const words = worded(Object.fromEntries(entries.filter(([keyword]) => !Object.hasOwn(kept, keyword))))
  const told = typeof schema.description === "string" ? schema.description : ""
  if (words === "" || told.includes(words)) return kept
  return { ...kept, description: told === "" ? words : `${told}; ${words}` }
}
