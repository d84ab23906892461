/** Schemas of fields from the JSON Schema in a document, and back. */
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Struct from "effect/Struct"
import { canonical, isJson, Json, type JsonObject, recordOf } from "../base/Json.js"
import { annotations } from "../fields/Annotations.js"
import type { Field } from "../fields/Field.js"
import { optional } from "../fields/Fields.js"
import { inlined, type JsonSchema, mapped } from "../fields/schema/JsonSchema.js"
import type { FieldShape } from "./FieldShape.js"

/** A Schema without requirements, whatever its types. */
type AnySchema = Schema.Schema.AnyNoContext

/** Reports a fault of a field, and finds the Schemas that the field names. */
export interface SchemaLookup {
  readonly fault: (path: string, what: string, why: string, fix: string) => void
  readonly schema: (name: string, path: string) => AnySchema | undefined
}

const formats = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  time: /^\d{2}:\d{2}(:\d{2})?/,
  "date-time": /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/,
  uuid: /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/
}

/** True if a text in a date format is a date that exists: for example, there is no 30 February. */
const isInstant = (format: keyof typeof formats, text: string): boolean =>
  !format.startsWith("date") || (!Number.isNaN(Date.parse(text)) &&
    (Number(text.slice(8, 10)) <= 28 ||
      new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(text.slice(8, 10))))

const isOf = (format: keyof typeof formats) => (text: string): boolean =>
  formats[format].test(text) && isInstant(format, text)

type Text = Schema.Schema<string>
type Num = Schema.Schema<number>
type List = Schema.Schema<ReadonlyArray<unknown>>

/** Applies a keyword if it is given. */
const given = <V, S>(schema: S, value: V | undefined, apply: (schema: S, value: V) => S): S =>
  value === undefined ? schema : apply(schema, value)

const textOf = (shape: FieldShape, path: string, { fault }: SchemaLookup): Text => {
  let schema: Text = Schema.String
  schema = given(schema, shape.minLength, (s, n) => s.pipe(Schema.minLength(n)))
  schema = given(schema, shape.maxLength, (s, n) => s.pipe(Schema.maxLength(n)))
  schema = given(schema, shape.pattern, (s, source) => {
    const pattern = patternOf(source)
    if (Either.isRight(pattern)) return s.pipe(Schema.pattern(pattern.right))
    fault(`${path}.pattern`, "not a regular expression", pattern.left, "Correct the pattern")
    return s
  })
  return given(
    schema,
    shape.format,
    (s, format) => s.pipe(Schema.filter(isOf(format), { jsonSchema: { format }, message: () => `must be a ${format}` }))
  )
}

const patternOf = (source: string): Either.Either<RegExp, string> =>
  Either.try({
    try: () => new RegExp(source, "u"),
    catch: (cause) => cause instanceof Error ? cause.message : String(cause)
  })

const numberOf = (shape: FieldShape, isWhole: boolean): Num => {
  let schema: Num = isWhole ? Schema.Int : Schema.Number
  schema = given(schema, shape.minimum, (s, n) => s.pipe(Schema.greaterThanOrEqualTo(n)))
  schema = given(schema, shape.maximum, (s, n) => s.pipe(Schema.lessThanOrEqualTo(n)))
  schema = given(schema, shape.exclusiveMinimum, (s, n) => s.pipe(Schema.greaterThan(n)))
  schema = given(schema, shape.exclusiveMaximum, (s, n) => s.pipe(Schema.lessThan(n)))
  return given(schema, shape.multipleOf, (s, n) => s.pipe(Schema.multipleOf(n)))
}

const listOf = (shape: FieldShape, path: string, reading: SchemaLookup): AnySchema => {
  const item: AnySchema = shape.items === undefined ? Json : read(shape.items, `${path}.items`, reading)
  let schema: List = Schema.make(Schema.Array(item).ast)
  schema = given(schema, shape.minItems, (s, n) => s.pipe(Schema.minItems(n)))
  return given(schema, shape.maxItems, (s, n) => s.pipe(Schema.maxItems(n)))
}

const objectOf = (shape: FieldShape, path: string, reading: SchemaLookup): AnySchema => {
  const { additionalProperties: others, properties, required = [] } = shape
  required.forEach((name, i) => {
    if (!Object.hasOwn(properties ?? {}, name)) {
      reading.fault(
        `${path}.required[${i}]`,
        `unknown part "${name}"`,
        "it is not among the properties",
        "Correct the name"
      )
    }
  })
  const other: AnySchema = Predicate.isRecord(others) ? read(others, `${path}.additionalProperties`, reading) : Json
  const rest = { key: Schema.String, value: other }
  if (properties === undefined) return Schema.Record(rest)
  const fields: Schema.Struct.Fields = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => {
      const schema = read(one, `${path}.properties.${name}`, reading)
      return [name, required.includes(name) ? schema : optional(schema)]
    })
  )
  const isOpen = others === true || Predicate.isRecord(others)
  return Schema.make((isOpen ? Schema.Struct(fields, rest) : Schema.Struct(fields)).ast)
}

type TypeName = Extract<NonNullable<FieldShape["type"]>, string>

/** The keywords that are allowed for a type, in addition to those that every type allows. */
const allowed: { readonly [T in TypeName]: ReadonlyArray<keyof FieldShape> } = {
  string: ["minLength", "maxLength", "pattern", "format"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  boolean: [],
  null: [],
  array: ["items", "minItems", "maxItems"],
  object: ["properties", "required", "additionalProperties"]
}

const typed = new Set(Object.values(allowed).flat())

const byType: { readonly [T in TypeName]: (shape: FieldShape, path: string, reading: SchemaLookup) => AnySchema } = {
  string: textOf,
  number: (shape) => numberOf(shape, false),
  integer: (shape) => numberOf(shape, true),
  boolean: () => Schema.Boolean,
  null: () => Schema.Null,
  array: listOf,
  object: objectOf
}

/** Reports keywords that have no meaning for the type, because they would be ignored silently. */
const checkKeywords = (
  shape: FieldShape,
  types: ReadonlyArray<TypeName>,
  path: string,
  { fault }: SchemaLookup
): void => {
  const known = new Set(types.flatMap((type) => allowed[type]))
  for (const keyword of Object.keys(shape)) {
    if (typed.has(keyword as keyof FieldShape) && !known.has(keyword as keyof FieldShape)) {
      fault(
        `${path}.${keyword}`,
        `${keyword} of a field`,
        `it means nothing for ${types.length === 0 ? "this field" : `the type ${types.join(" or ")}`}`,
        "Remove it, or give the field the type it belongs to"
      )
    }
  }
}

const literal = Schema.is(Schema.Union(Schema.String, Schema.Number, Schema.Boolean, Schema.Null))

const literals = (values: ReadonlyArray<Json>, path: string, { fault }: SchemaLookup): AnySchema => {
  const plain = values.filter(literal)
  if (plain.length < values.length) {
    fault(
      path,
      "a list or an object as an allowed value",
      "only texts, numbers, booleans and null can be compared",
      "List plain values, or name a Schema of the registry"
    )
  }
  return Schema.Literal(...plain)
}

/**
 * The keywords that define the values of a field. The first keyword is used, and a second one is reported, except a
 * `type` next to `enum` or `const`.
 */
const sources = ["schema", "const", "enum", "anyOf", "type"] as const

const bare = (shape: FieldShape, path: string, reading: SchemaLookup): AnySchema => {
  const [source, other] = sources.filter((name) => shape[name] !== undefined)
  // A `type` next to the allowed values is common in JSON Schema.
  if (other !== undefined && !(other === "type" && (source === "enum" || source === "const"))) {
    reading.fault(
      `${path}.${other}`,
      `${source} and ${other} of a field`,
      "each says what the field holds",
      "Keep one of them"
    )
  }
  checkKeywords(shape, source === "type" ? typesOf(shape) : [], path, reading)
  return source === undefined ? ofNothing(shape, path, reading) : bySource[source](shape, path, reading)
}

const typesOf = ({ type }: FieldShape): ReadonlyArray<TypeName> =>
  type === undefined ? [] : typeof type === "string" ? [type] : type

type Make = (shape: FieldShape, path: string, reading: SchemaLookup) => AnySchema

const ofNothing: Make = (_, path, { fault }) => {
  fault(path, "a field without a type", "nothing says what it holds", "Give it a type, such as { type: string }")
  return Json
}

const bySource: { readonly [S in typeof sources[number]]: Make } = {
  schema: ({ schema = "" }, path, reading) => reading.schema(schema, `${path}.schema`) ?? Json,
  const: ({ const: value = null }, path, reading) => literals([value], `${path}.const`, reading),
  enum: ({ enum: values = [] }, path, reading) => literals(values, `${path}.enum`, reading),
  anyOf: ({ anyOf = [] }, path, reading) =>
    Schema.Union(...anyOf.map((one, i) => read(one, `${path}.anyOf[${i}]`, reading))),
  type: (shape, path, reading) => Schema.Union(...typesOf(shape).map((type) => byType[type](shape, path, reading)))
}

/** Makes the Schema of a field. Reports a fault; the field then accepts any value. */
export const read = (shape: FieldShape, path: string, reading: SchemaLookup): AnySchema => {
  const { description, examples, title } = shape
  const own = Object.fromEntries(
    Struct.keys(annotations).flatMap((name) => shape[name] === undefined ? [] : [[name, shape[name]]])
  )
  const said: AST.Annotations = {
    ...(title !== undefined && { [AST.TitleAnnotationId]: title }),
    ...(description !== undefined && { [AST.DescriptionAnnotationId]: description }),
    ...(examples !== undefined && { [AST.ExamplesAnnotationId]: examples }),
    ...own
  }
  const schema = bare(shape, path, reading)
  return Reflect.ownKeys(said).length === 0 ? schema : Schema.make(AST.annotations(schema.ast, said))
}

/** Types whose values JSON Schema describes directly. */
const plain = new Set<AST.AST["_tag"]>([
  "Literal",
  "StringKeyword",
  "NumberKeyword",
  "BooleanKeyword",
  "UnknownKeyword",
  "AnyKeyword",
  "ObjectKeyword"
])

/** True if values are the same encoded and decoded, and JSON Schema has a keyword for every check of them. */
const isPlain = (ast: AST.AST): boolean => {
  switch (ast._tag) {
    case "Refinement":
      return Option.isSome(AST.getJSONSchemaAnnotation(ast)) && isPlain(ast.from)
    case "Union":
      return ast.types.every(isPlain)
    case "TupleType":
      return ast.elements.length === 0 && ast.rest.every(({ type }) => isPlain(type))
    case "TypeLiteral":
      return [...ast.propertySignatures, ...ast.indexSignatures].every(({ type }) => isPlain(type))
    default:
      return plain.has(ast._tag)
  }
}

const lenient: SchemaLookup = { fault: () => {}, schema: () => undefined }

const jsonSchemaOf = (schema: Schema.Schema.All): JsonObject | undefined =>
  Either.getOrUndefined(Either.try(() => {
    const { $schema: _, ...made } = inlined(JSONSchema.make(Schema.make(schema.ast))).schema
    return isJson(made) ? made : undefined
  }))

/** Removes titles and descriptions that Effect gives to a Schema, such as `between(1, 8)`. */
const tidy = ({ description, title, ...rest }: JsonSchema): JsonSchema => {
  const itself = jsonSchemaOf(read(rest, "", lenient))
  const isOwnTitle = title !== undefined && title !== itself?.title && !ofEffect.title.test(String(title))
  const isOwnText = description !== undefined && description !== itself?.description &&
    (isOwnTitle || !ofEffect.description.test(String(description)))
  return { ...rest, ...(isOwnTitle && { title }), ...(isOwnText && { description }) }
}

/** The forms of the titles and descriptions that Effect gives its own checks. */
const ofEffect = {
  title: /^[a-z]\w*(\(.*\))?$/,
  description: /^(an?|a non-?\w+|a positive|a negative) (number|string|integer|array|valid)\b/
}

/**
 * Writes a Schema as JSON Schema. Returns `undefined` if the JSON Schema would accept other values than the Schema does,
 * or decode them differently.
 */
export const write = (schema: Schema.Schema.All): JsonObject | undefined => {
  if (!isPlain(schema.ast)) return undefined
  const made = jsonSchemaOf(schema)
  if (made === undefined) return undefined
  const shape = mapped(made, tidy)
  let isUnknown = false
  const again = read(shape, "", { fault: () => void (isUnknown = true), schema: () => undefined })
  const { description: _, title: __, ...wanted } = made
  const { description: ___, title: ____, ...got } = jsonSchemaOf(again) ?? {}
  return !isUnknown && isJson(shape) && canonical(strip(wanted)) === canonical(strip(got))
    ? { ...recordOf(shape) as JsonObject }
    : undefined
}

/** The JSON Schema without texts, which do not change what it accepts. */
const strip = (u: Json): Json => {
  if (Array.isArray(u)) return u.map(strip)
  if (!Predicate.isRecord(u)) return u
  return Object.fromEntries(
    Object.entries(u as JsonObject).flatMap(([key, value]) =>
      (key === "title" || key === "description" || key === "examples") && typeof value !== "object"
        ? []
        : [[key, strip(value)]]
    )
  )
}

/** The annotations of a field for which JSON Schema has no keyword, as a document writes them. */
export const annotated = ({ annotated: { choices, ...all } }: Field): Readonly<Record<string, unknown>> => ({
  ...Record.filter(all, Predicate.isNotUndefined),
  ...(Array.isArray(choices) && { choices })
})
