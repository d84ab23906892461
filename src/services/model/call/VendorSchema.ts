/**
 * Converts JSON schemas from draft 7, which Effect writes, to 2020-12, which vendors read, with patterns that servers can
 * make a grammar of.
 */
import * as Predicate from "effect/Predicate"

/**
 * True for the JSON schema of `Schema.Struct({})` and `Schema.Object`, which Effect writes as "object or array". The
 * arguments of a tool can only be an object.
 */
const isAnyObject = ({ $id }: Record<string, unknown>): boolean =>
  $id === "/schemas/%7B%7D" || $id === "/schemas/{}" || $id === "/schemas/object"

/** Keywords whose value maps names to schemas. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])

/** Keywords whose value is plain data, without schemas. */
const values = new Set(["enum", "const", "default", "examples", "required"])

/**
 * Converts a tuple to `prefixItems`, as 2020-12 requires. `items` becomes one schema for all items, for readers that do
 * not know `prefixItems`.
 */
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

/** Character classes of regular expressions, in brackets. */
const classes: Readonly<Record<string, string>> = { d: "0-9", w: "A-Za-z0-9_", s: " \\t\\n\\r" }

/**
 * Writes the short classes of a pattern, such as `\d` and `\W`, in brackets. Leaves the pattern as it is if that is not
 * possible, as for `[\s\S]`.
 */
const spelled = (pattern: string): string => {
  let isPossible = true
  let isInside = false
  const made = pattern.replace(/\\([\s\S])|\[|\]/g, (found, escaped: string | undefined) => {
    if (escaped === undefined) {
      isInside = found === "["
      return found
    }
    const known = classes[escaped.toLowerCase()]
    if (known === undefined) return found
    const isNegated = escaped !== escaped.toLowerCase()
    if (isInside && isNegated) isPossible = false
    return isInside ? known : isNegated ? `[^${known}]` : `[${known}]`
  })
  return isPossible ? made : pattern
}

/** Splits a pattern at the alternatives outside of its groups. */
const alternatives = (pattern: string): ReadonlyArray<string> => {
  const all = [""]
  let depth = 0
  for (const [part] of pattern.matchAll(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/g)) {
    if (part === "(") depth++
    if (part === ")") depth--
    if (part === "|" && depth === 0) all.push("")
    else all[all.length - 1] += part
  }
  return all
}

/**
 * Anchors a pattern at both ends. A pattern without anchors matches anywhere in a text, but servers that make a grammar of
 * a schema, such as llama.cpp, ignore it.
 */
const anchored = (pattern: string): string => {
  const whole = alternatives(pattern).map((one) => {
    const start = one.startsWith("^") ? one.slice(1) : `.*${one}`
    return /(?<!\\)(?:\\\\)*\$$/.test(start) ? start.slice(0, -1) : `${start}.*`
  })
  return whole.length === 1 ? `^${whole[0]}$` : `^(${whole.join("|")})$`
}

const day = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"

/** Returns the pattern in the form that servers with grammars read, with the format that it stands for. */
const patternOf = (pattern: string): object => {
  const made = anchored(spelled(pattern))
  return { pattern: made, ...(made === day && { format: "date" }) }
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
  const made: Record<string, unknown> = {
    ...Object.fromEntries(parts),
    ...(typeof given.pattern === "string" && patternOf(given.pattern))
  }
  return made.type === "array" ? list(made) : made
}

const kept = (convert: (schema: object) => object) => {
  // Cached by object identity, because an agent's schemas are made once and sent with every call.
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

/** Returns the schema in the draft that vendors read; the same object for the same schema. */
export const vendorSchema: (schema: object) => object = kept((schema) => converted(schema) as object)

/** Returns the schema of a tool's arguments: always the schema of an object, even if the tool has no arguments. */
export const toolSchema: (schema: object) => object = kept((schema) => {
  const made: Record<string, unknown> = { ...vendorSchema(schema) }
  if (isAnyObject(schema as Record<string, unknown>) || Object.keys(made).length === 0) {
    return { type: "object", properties: {}, additionalProperties: false }
  }
  return made.type === "object" ? { ...made, properties: made.properties ?? {} } : made
})
