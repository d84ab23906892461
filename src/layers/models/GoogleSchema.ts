/**
 * JSON schemas as Gemini takes them.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Kept from "../../domain/Kept.js"
import type { JsonSchema } from "./JsonSchemas.js"
import { inlined, mapped } from "./JsonSchemas.js"

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

const kept = (schema: JsonSchema, keywords: ReadonlySet<string>): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.has(keyword)))

/** The one value there may be, as the one of a list. */
const listed = ({ const: one, ...schema }: JsonSchema): JsonSchema =>
  one === undefined ? schema : { type: typeof one, ...schema, enum: [one] }

const isListable = (value: unknown): boolean => Predicate.isString(value) || Predicate.isNumber(value)

/** Gemini lists texts and numbers only: other values are told in words. */
const listable = (schema: JsonSchema): JsonSchema => {
  const { description, enum: values, ...rest } = schema
  if (!Array.isArray(values) || values.every(isListable)) return schema
  return {
    ...rest,
    description: [description, `one of ${values.map((one) => JSON.stringify(one)).join(", ")}`].filter(Boolean).join(
      "; "
    )
  }
}

/** `integer` with bounds beyond what they exclude: Gemini knows none that exclude. */
const bounded = ({ exclusiveMaximum, exclusiveMinimum, ...schema }: JsonSchema): JsonSchema => {
  const step = schema.type === "integer" ? 1 : 0
  return {
    ...schema,
    ...(typeof exclusiveMinimum === "number" && { minimum: exclusiveMinimum + step }),
    ...(typeof exclusiveMaximum === "number" && { maximum: exclusiveMaximum - step })
  }
}

const jsonSchema = Kept.by((schema: object) =>
  mapped(inlined(schema).schema, (each) => kept(bounded(listable(listed(each))), known))
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

/** Values of a list are text there, and tuples lists of anything they hold. */
const simple = ({ enum: values, items, prefixItems, type, ...schema }: JsonSchema): JsonSchema => {
  const list = itemOf(Array.isArray(prefixItems) ? prefixItems : items)
  const texts = Array.isArray(values) && values.every(Predicate.isString)
  return {
    ...schema,
    ...upper(type ?? (texts ? "string" : undefined)),
    ...(texts && { enum: values }),
    ...(list !== undefined && Predicate.isRecord(list) && { items: list })
  }
}

const formats = new Set(["enum", "date-time", "int32", "int64", "float", "double"])

/** An object of any keys names no properties. */
const unlessEmpty = ({ properties, ...schema }: JsonSchema): JsonSchema =>
  Predicate.isRecord(properties) && Object.keys(properties).length > 0 ? { ...schema, properties } : schema

const openApi = Kept.by((schema: object) =>
  mapped(inlined(schema).schema, (each) => {
    const { format, ...rest } = kept(nullable(simple(bounded(listed(each)))), openapi)
    return unlessEmpty(formats.has(String(format)) ? { ...rest, format } : rest)
  })
)

/**
 * @since 0.1.0
 * @category combinators
 */
export const translated = (schema: object, dialect: SchemaDialect): JsonSchema =>
  dialect === "openapi" ? openApi(schema) : jsonSchema(schema)
