/**
 * JSON schemas, for tools and structured answers: they reach a model as nothing else. Says what
 * kinds of values they want, and the smallest value that they allow.
 *
 * @since 0.1.0
 */
import { recordOf } from "../../domain/Json.js"
import type { Day, Field, Kind } from "./Kind.js"
import { identifierWords } from "./Words.js"

type Json = Record<string, unknown>

const list = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

const text = (value: unknown): string => typeof value === "string" ? value : ""

const own = <A>(from: Record<string, A>, key: string): A | undefined => Object.hasOwn(from, key) ? from[key] : undefined

const referred = (ref: string, root: Json): Json =>
  ref.slice(2).split("/").reduce<Json>((into, key) => recordOf(own(into, key)), root)

/** References followed and null left out: what is left is one schema, or an `anyOf`. */
const resolve = (json: Json, root: Json, depth = 0): Json => {
  if (depth > 8) return {}
  const ref = text(json["$ref"])
  if (ref.startsWith("#/")) return resolve(referred(ref, root), root, depth + 1)
  const [first] = list(json["allOf"])
  if (first !== undefined && json["type"] === undefined) return resolve(recordOf(first), root, depth + 1)
  const any = [...list(json["anyOf"]), ...list(json["oneOf"])]
    .map((member) => resolve(recordOf(member), root, depth + 1))
    .filter((member) => member["type"] !== "null")
  if (any.length === 1) return { description: json["description"], ...any[0] }
  return any.length > 1 ? { ...json, anyOf: any } : json
}

const typeOf = ({ type }: Json): string =>
  Array.isArray(type) ? text(type.find((member) => member !== "null")) : text(type)

const valuesOf = (json: Json): ReadonlyArray<unknown> => {
  if (Object.hasOwn(json, "const")) return [json["const"]]
  const members = list(json["anyOf"]).map((member) => valuesOf(recordOf(member)))
  if (members.length === 0) return list(json["enum"])
  return members.every((values) => values.length > 0) ? members.flat() : []
}

const encodings: Record<string, (day: Day) => unknown> = {
  "date": ({ date }) => date,
  "date-time": ({ date, time }) => `${date}T${time ?? "00:00"}:00.000Z`
}

const readers: Record<string, (json: Json, root: Json, depth: number) => Kind> = {
  string: (json) => {
    const encode = own(encodings, text(json["format"]))
    return encode === undefined ? { _tag: "Text", pattern: false } : { _tag: "Date", encode }
  },
  number: () => ({ _tag: "Amount", encode: (value) => value }),
  integer: () => ({ _tag: "Amount", encode: (value) => value }),
  boolean: () => ({ _tag: "Flag", encode: (value) => value }),
  array: (json, root, depth) => ({ _tag: "Many", of: kindOf(recordOf(json["items"]), root, depth) }),
  object: (json, root, depth) => ({ _tag: "Record", fields: fieldsOf(json, root, depth) })
}

const kindOf = (given: Json, root: Json, depth: number): Kind => {
  if (depth > 4) return { _tag: "Other" }
  const json = resolve(given, root)
  const values = valuesOf(json)
  if (values.length > 0) {
    return { _tag: "Choice", options: values.map((value) => ({ value, names: [identifierWords(String(value))] })) }
  }
  const reader = own(readers, typeOf(json))
  if (reader !== undefined) return reader(json, root, depth + 1)
  const kinds = list(json["anyOf"]).map((member) => kindOf(recordOf(member), root, depth + 1))
  return kinds.find(({ _tag }) => _tag !== "Text") ?? kinds[0] ?? { _tag: "Other" }
}

const fieldsOf = (json: Json, root: Json, depth: number): ReadonlyArray<Field> =>
  Object.entries(recordOf(json["properties"])).map(([name, property]) => ({
    name,
    description: text(recordOf(property)["description"]) || text(resolve(recordOf(property), root)["description"]),
    kind: kindOf(recordOf(property), root, depth),
    required: list(json["required"]).includes(name),
    known: false,
    asked: false,
    accepts: () => false
  }))

/** The properties of an object's JSON schema. */
export const fieldsOfJson = (json: object): ReadonlyArray<Field> =>
  fieldsOf(resolve(recordOf(json), recordOf(json)), recordOf(json), 0)

const least: Record<string, (json: Json) => unknown> = {
  string: (json) => "-".repeat(Math.min(Number(json["minLength"] ?? 0), 100)),
  number: (json) => Math.max(0, Number(json["minimum"] ?? 0)),
  integer: (json) => Math.max(0, Number(json["minimum"] ?? 0)),
  boolean: () => false,
  array: () => []
}

const withRequired = (value: Json, json: Json, root: Json, depth: number): Json => {
  const required = list(json["required"])
  return Object.fromEntries(
    Object.entries(recordOf(json["properties"]))
      .filter(([name]) => required.includes(name) || Object.hasOwn(value, name))
      .map(([name, property]) => [name, completed(own(value, name), recordOf(property), root, depth + 1)])
  )
}

/**
 * The value with what is required of it and missing filled in by the smallest value allowed: an empty text, the minimum,
 * the first of an enumeration.
 */
export const completed = (value: unknown, schema: object, root: object = schema, depth = 0): unknown => {
  const json = resolve(recordOf(schema), recordOf(root))
  if (typeOf(json) === "object" && depth < 8) return withRequired(recordOf(value), json, recordOf(root), depth)
  if (value !== undefined) return value
  const [first] = valuesOf(json)
  if (first !== undefined) return first
  const smallest = own(least, typeOf(json))
  const [member] = list(json["anyOf"])
  return smallest?.(json) ?? (member === undefined ? null : completed(undefined, recordOf(member), root, depth + 1))
}
