/** Converts JSON schemas for Gemini. */
import * as Predicate from "effect/Predicate"
import * as Memo from "../../domain/base/Memo.js"
import { describing, inlined, type JsonSchema, mapped } from "../../domain/fields/schema/JsonSchema.js"

/** The dialect of schemas: JSON schema, since Gemini 2.5, or the subset of OpenAPI's schemas for earlier models. */
export type SchemaDialect = "json_schema" | "openapi"

const known = new Set([
  "type",
  "format",
  "title",
  "description",
  "enum",
  "items",
  "prefixItems",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "anyOf",
  "oneOf",
  "properties",
  "additionalProperties",
  "required",
  "propertyOrdering"
])

/** Converts `const` to an `enum` of one value. */
const listed = ({ const: one, ...schema }: JsonSchema): JsonSchema =>
  one === undefined ? schema : { type: typeof one, ...schema, enum: [one] }

const formatsOf = (...formats: ReadonlyArray<string>): ReadonlySet<unknown> =>
  new Set([...formats, "int32", "int64", "float", "double"])

/** True for texts and numbers: Gemini accepts no other values in an `enum`. */
const isListable = (value: unknown): boolean => Predicate.isString(value) || Predicate.isNumber(value)

/** Keeps the keywords that the model accepts, and moves the others into the description. */
const kept = (schema: JsonSchema, keywords: ReadonlySet<string>, formats: ReadonlySet<unknown>): JsonSchema =>
  describing(schema, (keyword, value) => {
    if (keyword === "format") return formats.has(value)
    if (keyword === "enum") return Array.isArray(value) && value.every(isListable)
    return keywords.has(keyword)
  })

/** Replaces exclusive bounds, which Gemini does not know, by inclusive ones; for integers by the next value. */
const bounded = ({ exclusiveMaximum, exclusiveMinimum, ...schema }: JsonSchema): JsonSchema => {
  const step = schema.type === "integer" ? 1 : 0
  return {
    ...schema,
    ...(typeof exclusiveMinimum === "number" && { minimum: exclusiveMinimum + step }),
    ...(typeof exclusiveMaximum === "number" && { maximum: exclusiveMaximum - step })
  }
}

const jsonFormats = formatsOf("date-time", "date", "time")

const jsonSchema = Memo.weak((schema: object) =>
  mapped(inlined(schema).schema, (each) => kept(bounded(listed(each)), known, jsonFormats))
)

const openapi = new Set([
  ...["type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties"],
  ...["required", "propertyOrdering", "minimum", "maximum", "minLength", "maxLength", "pattern", "anyOf"]
])

const isNull = (schema: unknown): boolean => Predicate.isRecord(schema) && schema.type === "NULL"

/** Converts a null type to `nullable`, because OpenAPI has no null type. */
const nullable = (schema: JsonSchema): JsonSchema => {
  const choice = [schema.anyOf, schema.oneOf].flat().filter(Predicate.isRecord)
  if (choice.length === 0) return schema
  const { anyOf: _, oneOf: __, ...rest } = schema
  const others = choice.filter((each) => !isNull(each))
  const none = others.length < choice.length ? { nullable: true } : {}
  return others.length === 1 ? { ...others[0], ...rest, ...none } : { ...rest, ...none, anyOf: others }
}

const upper = (type: unknown): JsonSchema => {
  if (typeof type === "string") return { type: type.toUpperCase() }
  if (!Array.isArray(type)) return {}
  const types = type.filter((each) => each !== "null").map((each) => ({ type: String(each).toUpperCase() }))
  return {
    ...(types.length === 1 ? types[0] : { anyOf: types }),
    ...(types.length < type.length && { nullable: true })
  }
}

const itemOf = (items: unknown): unknown => {
  if (!Array.isArray(items)) return items
  return items.length === 1 ? items[0] : { anyOf: items }
}

const isSimple = (keyword: string, value: unknown, { type = "string" }: JsonSchema): boolean =>
  keyword !== "enum" || (type === "string" && Array.isArray(value) && value.every(Predicate.isString))

/**
 * Converts a schema for OpenAPI: only texts can be enumerated, and a tuple becomes a list whose items have any of its
 * types.
 */
const simple = (given: JsonSchema): JsonSchema => {
  const { enum: values, items, prefixItems, type, ...schema } = describing(given, isSimple)
  const list = itemOf(Array.isArray(prefixItems) ? prefixItems : items)
  return {
    ...schema,
    ...upper(type ?? (values === undefined ? undefined : "string")),
    ...(values !== undefined && { enum: values }),
    ...(list !== undefined && Predicate.isRecord(list) && { items: list })
  }
}

const openApiFormats = formatsOf("enum", "date-time")

/** Removes empty `properties`, as in the schema of an object with any keys. */
const unlessEmpty = ({ properties, ...schema }: JsonSchema): JsonSchema =>
  Predicate.isRecord(properties) && Object.keys(properties).length > 0 ? { ...schema, properties } : schema

const openApi = Memo.weak((schema: object) =>
  mapped(
    inlined(schema).schema,
    (each) => unlessEmpty(kept(nullable(simple(bounded(listed(each)))), openapi, openApiFormats))
  )
)

export const translated = (schema: object, dialect: SchemaDialect): JsonSchema =>
  dialect === "openapi" ? openApi(schema) : jsonSchema(schema)
