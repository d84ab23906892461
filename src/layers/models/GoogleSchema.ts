/**
 * JSON schemas as Gemini takes them.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Memo from "../../domain/base/Memo.js"
import { describing, inlined, type JsonSchema, mapped } from "../../domain/fields/schema/JsonSchema.js"

/**
 * What a model takes: JSON schema, since Gemini 2.5, or the subset of OpenAPI's schemas that the models before it take.
 *
 * @since 0.1.0
 * @category models
 */
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

/** The one value there may be, as the one of a list. */
const listed = ({ const: one, ...schema }: JsonSchema): JsonSchema =>
  one === undefined ? schema : { type: typeof one, ...schema, enum: [one] }

const formatsOf = (...formats: ReadonlyArray<string>): ReadonlySet<unknown> =>
  new Set([...formats, "int32", "int64", "float", "double"])

/** Gemini lists texts and numbers only. */
const isListable = (value: unknown): boolean => Predicate.isString(value) || Predicate.isNumber(value)

/** What the model takes of a schema; the rest is told in words. */
const kept = (schema: JsonSchema, keywords: ReadonlySet<string>, formats: ReadonlySet<unknown>): JsonSchema =>
  describing(schema, (keyword, value) => {
    if (keyword === "format") return formats.has(value)
    if (keyword === "enum") return Array.isArray(value) && value.every(isListable)
    return keywords.has(keyword)
  })

/** `integer` with bounds beyond what they exclude: Gemini knows none that exclude. */
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

/** `null` is a property of a schema in OpenAPI, not a type. */
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

/** Values of a list are text there, and tuples lists of anything they hold. */
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

/** An object of any keys names no properties. */
const unlessEmpty = ({ properties, ...schema }: JsonSchema): JsonSchema =>
  Predicate.isRecord(properties) && Object.keys(properties).length > 0 ? { ...schema, properties } : schema

const openApi = Memo.weak((schema: object) =>
  mapped(
    inlined(schema).schema,
    (each) => unlessEmpty(kept(nullable(simple(bounded(listed(each)))), openapi, openApiFormats))
  )
)

/**
 * @since 0.1.0
 * @category combinators
 */
export const translated = (schema: object, dialect: SchemaDialect): JsonSchema =>
  dialect === "openapi" ? openApi(schema) : jsonSchema(schema)
