/**
 * JSON schemas in the shapes that vendors take.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import { recordOf } from "../../domain/Json.js"
import * as Kept from "../../domain/Kept.js"

/**
 * @since 0.1.0
 * @category models
 */
export type JsonSchema = { readonly [keyword: string]: unknown }

const mapValues = (schema: JsonSchema, change: (value: unknown, key: string) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, change(value, key)]))

const isSchema = (value: unknown): value is JsonSchema => Predicate.isRecord(value)

/**
 * The schema without references. What refers to itself becomes any object, and `recursive` tells so.
 *
 * @since 0.1.0
 * @category combinators
 */
export const inlined = (schema: object): { readonly schema: JsonSchema; readonly recursive: boolean } => {
  const all: JsonSchema = { ...schema }
  const definitions: JsonSchema = { ...recordOf(all.$defs), ...recordOf(all.definitions) }
  let recursive = false
  const inline = (value: unknown, within: ReadonlyArray<string>): unknown => {
    if (Array.isArray(value)) return value.map((each) => inline(each, within))
    if (!isSchema(value)) return value
    const { $defs: _, definitions: __, $ref: reference, ...rest } = value
    if (typeof reference !== "string") {
      // What a property is called says nothing about what stands under it.
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

/** A schema by which a call has no arguments. */
const empty: JsonSchema = { type: "object", properties: {}, additionalProperties: false }

const strings = (value: unknown): ReadonlyArray<string> => Array.isArray(value) ? value.map(String) : []

/** One object for a choice of objects: it has the properties of all, and requires what each requires. */
const joined = (top: JsonSchema): JsonSchema => {
  const { allOf, anyOf, oneOf, ...rest } = top
  const any = [anyOf, oneOf].flat().filter(isSchema).filter(({ properties }) => isSchema(properties))
  const all = [allOf].flat().filter(isSchema).filter(({ properties }) => isSchema(properties))
  if (any.length + all.length === 0 && !isSchema(rest.properties)) return empty
  const required = [
    ...strings(rest.required),
    ...all.flatMap((each) => strings(each.required)),
    ...(any.length === 0 ? [] : strings(any[0]!.required)).filter((name) =>
      any.every((each) => strings(each.required).includes(name))
    )
  ]
  const properties = [...any, ...all, rest].map((each) => isSchema(each.properties) ? each.properties : {})
  return { ...rest, type: "object", properties: Object.fromEntries(properties.flatMap(Object.entries)), required }
}

/**
 * The schema of a tool's arguments: an object at the top, as every vendor wants it. The schema of a tool without
 * arguments says "anything but null" in JSON schema, and is an object without properties here.
 *
 * @since 0.1.0
 * @category combinators
 */
export const argumentsOf: (schema: object) => JsonSchema = Kept.by((schema) => {
  const { $id: _, $schema: __, ...top } = recordOf(schema)
  if (typeof top.$ref === "string") return argumentsOf(inlined(schema).schema)
  if (top.anyOf !== undefined || top.oneOf !== undefined || top.allOf !== undefined) return joined(inlined(top).schema)
  if (top.type !== "object" && !isSchema(top.properties)) return empty
  return { ...top, type: "object", properties: top.properties ?? {} }
})

/**
 * Every schema within a schema, from the inside out, changed by `change`.
 *
 * @since 0.1.0
 * @category combinators
 */
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
