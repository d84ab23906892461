/**
 * Converts the JSON schemas of tools and structured answers to Effect schemas for `Kind.ts`, because a model gets only
 * JSON schemas. Fills missing required values with the smallest allowed ones.
 */
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { arrayOf, recordOf } from "../../domain/base/Json.js"
import type { Field } from "./FieldKind.js"
import { fromSchema } from "./FieldKind.js"

type Json = Record<string, unknown>

const text = (value: unknown): string => typeof value === "string" ? value : ""

const own = <A>(from: Record<string, A>, key: string): A | undefined => Object.hasOwn(from, key) ? from[key] : undefined

const referred = (ref: string, root: Json): Json =>
  ref.slice(2).split("/").reduce<Json>((into, key) => recordOf(own(into, key)), root)

/** Follows references and removes null; the result is one schema, or an `anyOf`. */
const resolve = (json: Json, root: Json, depth = 0): Json => {
  if (depth > 8) return {}
  const ref = text(json["$ref"])
  if (ref.startsWith("#/")) return resolve(referred(ref, root), root, depth + 1)
  const [first] = arrayOf(json["allOf"])
  if (first !== undefined && json["type"] === undefined) return resolve(recordOf(first), root, depth + 1)
  const any = [...arrayOf(json["anyOf"]), ...arrayOf(json["oneOf"])]
    .map((member) => resolve(recordOf(member), root, depth + 1))
    .filter((member) => member["type"] !== "null")
  if (any.length === 1) return { description: json["description"], ...any[0] }
  return any.length > 1 ? { ...json, anyOf: any } : json
}

const typeOf = ({ properties, type }: Json): string =>
  Array.isArray(type)
    ? text(type.find((member) => member !== "null"))
    : text(type) || (properties === undefined ? "" : "object")

const valuesOf = (json: Json): ReadonlyArray<unknown> => {
  if (Object.hasOwn(json, "const")) return [json["const"]]
  const members = arrayOf(json["anyOf"]).map((member) => valuesOf(recordOf(member)))
  if (members.length === 0) return arrayOf(json["enum"])
  return members.every((values) => values.length > 0) ? members.flat() : []
}

/** The maximum length tells a date (ten characters) from a date with a time. */
const formats: Record<string, AST.AST> = {
  "date": Schema.compose(Schema.String.pipe(Schema.length(10)), Schema.Date).ast,
  "date-time": Schema.compose(Schema.String.pipe(Schema.minLength(11)), Schema.Date).ast
}

const readers: Record<string, (json: Json, root: Json, depth: number) => AST.AST> = {
  string: ({ format }) => own(formats, text(format)) ?? AST.stringKeyword,
  number: () => AST.numberKeyword,
  integer: () => AST.numberKeyword,
  boolean: () => AST.booleanKeyword,
  array: ({ items }, root, depth) => new AST.TupleType([], [new AST.Type(astOf(recordOf(items), root, depth))], true),
  object: (json, root, depth) => new AST.TypeLiteral(propertiesOf(json, root, depth), [])
}

const isLiteral = Schema.is(Schema.Union(Schema.String, Schema.Number, Schema.Boolean))

const astOf = (given: Json, root: Json, depth = 0): AST.AST => {
  if (depth > 4) return AST.unknownKeyword
  const json = resolve(given, root)
  const values = valuesOf(json).filter(isLiteral)
  if (values.length > 0) return AST.Union.make(values.map((value) => new AST.Literal(value)))
  const reader = own(readers, typeOf(json))
  return reader === undefined
    ? AST.Union.make(arrayOf(json["anyOf"]).map((member) => astOf(recordOf(member), root, depth + 1)))
    : reader(json, root, depth + 1)
}

const propertiesOf = (json: Json, root: Json, depth: number): ReadonlyArray<AST.PropertySignature> =>
  Object.entries(recordOf(json["properties"])).map(([name, given]) => {
    const property = recordOf(given)
    const description = text(property["description"]) || text(resolve(property, root)["description"])
    const ast = AST.annotations(astOf(property, root, depth), { [AST.DescriptionAnnotationId]: description })
    return new AST.PropertySignature(name, ast, !arrayOf(json["required"]).includes(name), true)
  })

/** Returns the properties of an object's JSON schema as fields. */
export const fieldsOfJson = (json: object): ReadonlyArray<Field> => {
  const schema = Schema.make<unknown>(astOf(recordOf(json), recordOf(json)))
  const { kind } = fromSchema(schema, { name: "", known: false, asked: false, required: true })
  return kind._tag === "Record" ? kind.fields : []
}

const least: Record<string, (json: Json) => unknown> = {
  string: (json) => "-".repeat(Math.min(Number(json["minLength"] ?? 0), 100)),
  number: (json) => Math.max(0, Number(json["minimum"] ?? 0)),
  integer: (json) => Math.max(0, Number(json["minimum"] ?? 0)),
  boolean: () => false,
  array: () => []
}

const withRequired = (value: Json, json: Json, root: Json, depth: number): Json => {
  const required = arrayOf(json["required"])
  return Object.fromEntries(
    Object.entries(recordOf(json["properties"]))
      .filter(([name]) => required.includes(name) || Object.hasOwn(value, name))
      .map(([name, property]) => [name, completed(own(value, name), recordOf(property), root, depth + 1)])
  )
}

/**
 * Fills in the required but missing parts of a value with the smallest allowed value: an empty text, the minimum, the
 * first of an enumeration.
 */
export const completed = (value: unknown, schema: object, root: object = schema, depth = 0): unknown => {
  const json = resolve(recordOf(schema), recordOf(root))
  if (typeOf(json) === "object" && depth < 8) return withRequired(recordOf(value), json, recordOf(root), depth)
  if (value !== undefined) return value
  const [first] = valuesOf(json)
  if (first !== undefined) return first
  const smallest = own(least, typeOf(json))
  const [member] = arrayOf(json["anyOf"])
  return smallest?.(json) ?? (member === undefined ? null : completed(undefined, recordOf(member), root, depth + 1))
}
