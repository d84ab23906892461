/**
 * What kind of value a JSON schema wants, and the smallest value it allows: for tools and structured answers, whose
 * schemas may be known as JSON schemas only.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import type { Day, Field, Kind } from "./Kind.js"
import { identifierWords } from "./Words.js"

type Json = Record<string, unknown>

const at = (json: Json, key: string): unknown => json[key]

const list = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

const record = (value: unknown): Json => Predicate.isRecord(value) ? value : {}

const text = (value: unknown): string => typeof value === "string" ? value : ""

/** References followed, alternatives with nothing left out; what is left is one schema or an `anyOf`. */
const resolve = (json: Json, root: Json, depth = 0): Json => {
  if (depth > 8) return {}
  const ref = text(at(json, "$ref"))
  if (ref.startsWith("#/")) {
    const target = ref.slice(2).split("/").reduce<Json>(
      (into, key) => record(Object.hasOwn(into, key) ? into[key] : {}),
      root
    )
    return resolve(target, root, depth + 1)
  }
  const all = list(at(json, "allOf"))
  if (all.length > 0 && at(json, "type") === undefined) return resolve(record(all[0]), root, depth + 1)
  const any = [...list(at(json, "anyOf")), ...list(at(json, "oneOf"))]
    .map((member) => resolve(record(member), root, depth + 1))
    .filter((member) => at(member, "type") !== "null")
  if (any.length === 1) return { description: at(json, "description"), ...any[0] }
  return any.length > 1 ? { ...json, anyOf: any } : json
}

const typeOf = (json: Json): string => {
  const type = at(json, "type")
  return Array.isArray(type) ? text(type.find((member) => member !== "null")) : text(type)
}

const valuesOf = (json: Json): ReadonlyArray<unknown> => {
  if (Object.hasOwn(json, "const")) return [at(json, "const")]
  const any = list(at(json, "anyOf")).map(record)
  const members = any.map(valuesOf)
  return any.length > 0 ? members.every((values) => values.length > 0) ? members.flat() : [] : list(at(json, "enum"))
}

const kindOf = (given: Json, root: Json, depth: number): Kind => {
  const json = resolve(given, root)
  const values = valuesOf(json)
  if (depth > 4) return { _tag: "Other" }
  if (values.length > 0) {
    const option = (value: unknown) => ({ value, names: [identifierWords(String(value))] })
    return { _tag: "Choice", options: values.map(option) }
  }
  switch (typeOf(json)) {
    case "string": {
      const format = text(at(json, "format"))
      const encode = (day: Day) => format === "date-time" ? `${day.date}T${day.time ?? "00:00"}:00.000Z` : day.date
      return format.startsWith("date") ? { _tag: "Date", encode } : { _tag: "Text", pattern: false }
    }
    case "number":
    case "integer":
      return { _tag: "Amount", encode: (value) => value }
    case "boolean":
      return { _tag: "Flag", encode: (value) => value }
    case "array":
      return { _tag: "Many", of: kindOf(record(at(json, "items")), root, depth + 1) }
    case "object":
      return { _tag: "Record", fields: fieldsOf(json, root, depth + 1) }
    default: {
      const kinds = list(at(json, "anyOf")).map((member) => kindOf(record(member), root, depth + 1))
      return kinds.find(({ _tag }) => _tag !== "Text") ?? kinds[0] ?? { _tag: "Other" }
    }
  }
}

const fieldsOf = (json: Json, root: Json, depth: number): ReadonlyArray<Field> =>
  Object.entries(record(at(json, "properties"))).map(([name, property]) => {
    const described = [record(property), resolve(record(property), root)].map((schema) =>
      text(at(schema, "description"))
    )
    return {
      name,
      description: described.find((description) => description !== "") ?? "",
      kind: kindOf(record(property), root, depth),
      required: list(at(json, "required")).includes(name),
      known: false,
      asked: false,
      accepts: () => false
    }
  })

/**
 * The properties of an object's JSON schema.
 *
 * @internal
 */
export const fieldsOfJson = (json: object): ReadonlyArray<Field> =>
  fieldsOf(resolve(record(json), record(json)), record(json), 0)

/**
 * The value with what is required of it and missing filled in by the smallest value allowed: an empty text, the minimum,
 * the first of an enumeration.
 *
 * @internal
 */
export const completed = (value: unknown, schema: object, root: object = schema, depth = 0): unknown => {
  const json = resolve(record(schema), record(root))
  if (typeOf(json) === "object" && depth < 8) {
    const known = record(value)
    const properties = record(at(json, "properties"))
    const required = list(at(json, "required")).map(text)
    const entries = Object.entries(properties)
      .filter(([name]) => required.includes(name) || Object.hasOwn(known, name))
      .map(([name, property]) => [name, completed(known[name], record(property), root, depth + 1)])
    return Object.fromEntries(entries)
  }
  if (value !== undefined) return value
  const [first] = valuesOf(json)
  if (first !== undefined) return first
  switch (typeOf(json)) {
    case "string":
      return "-".repeat(Math.min(Number(at(json, "minLength") ?? 0), 100))
    case "number":
    case "integer":
      return Math.max(0, Number(at(json, "minimum") ?? 0))
    case "boolean":
      return false
    case "array":
      return []
    default: {
      const any = list(at(json, "anyOf"))
      return any.length > 0 ? completed(undefined, record(any[0]), root, depth + 1) : null
    }
  }
}
