/**
 * JSON schemas as vendors read them: Effect writes draft 7, they read 2020-12.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"

/** `Schema.Struct({})` and `Schema.Object` are written as an object or an array: only the first can be called with. */
const isAnyObject = ({ $id }: Record<string, unknown>): boolean =>
  $id === "/schemas/%7B%7D" || $id === "/schemas/{}" || $id === "/schemas/object"

/** Keywords that hold a schema by name, where a name says nothing about what stands under it. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])

/** Keywords that hold values, not schemas. */
const values = new Set(["enum", "const", "default", "examples", "required"])

/** In 2020-12 a tuple has `prefixItems`. Those who do not know it want `items` to be a schema. */
const tuple = (items: ReadonlyArray<unknown>, schema: Record<string, unknown>): Record<string, unknown> => {
  const { additionalItems, items: _, ...rest } = schema
  const prefixItems = items.map(converted)
  const isOpen = Predicate.isRecord(additionalItems)
  return {
    ...rest,
    prefixItems,
    items: isOpen
      ? converted(additionalItems)
      : prefixItems.length === 1
      ? prefixItems[0]
      : { anyOf: prefixItems },
    ...(!isOpen && { maxItems: items.length })
  }
}

const list = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { items } = schema
  if (Array.isArray(items) && items.length > 0) return tuple(items, schema)
  return { ...schema, items: items === undefined || Array.isArray(items) ? {} : converted(items) }
}

const converted = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(converted)
  if (!Predicate.isRecord(schema)) return schema
  const { $id: _, $schema: __, ...given } = schema
  if (isAnyObject(schema)) {
    return { type: "object", ...given.description !== undefined && { description: given.description } }
  }
  const parts = Object.entries(given).map(([key, value]) => [
    key,
    values.has(key) || key === "items" || key === "additionalItems"
      ? value
      : named.has(key) && Predicate.isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, converted(each)]))
      : converted(value)
  ])
  const made: Record<string, unknown> = Object.fromEntries(parts)
  return made.type === "array" ? list(made) : made
}

const kept = (convert: (schema: object) => object) => {
  // By identity: an agent's schemas are made once and sent with every call.
  const known = new WeakMap<object, object>()
  return (schema: object): object => {
    const found = known.get(schema)
    if (found !== undefined) return found
    const made = convert(schema)
    known.set(schema, made)
    known.set(made, made)
    return made
  }
}

/**
 * The schema in the draft that vendors read. The same schema gives the same object again.
 *
 * @since 0.1.0
 * @category combinators
 */
export const vendorSchema: (schema: object) => object = kept((schema) => converted(schema) as object)

/**
 * The schema of a tool's arguments: always one of an object, also for a tool that takes none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const toolSchema: (schema: object) => object = kept((schema) => {
  const made: Record<string, unknown> = { ...vendorSchema(schema) }
  if (isAnyObject(schema as Record<string, unknown>) || Object.keys(made).length === 0) {
    return { type: "object", properties: {}, additionalProperties: false }
  }
  return made.type === "object" ? { ...made, properties: made.properties ?? {} } : made
})
