/** Schemas described in words for models: type, bounds, pattern, allowed values and examples. */
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { quote, recordOf } from "../../base/Json.js"
import * as Memo from "../../base/Memo.js"

type Rec = Record<string, unknown>

const decoded = /decoded into (?:an? )?([\w.]+)/

/** The text formats of types that Effect decodes from strings. */
const written: Readonly<Record<string, string>> = {
  Date: "date, written as 2027-03-15, or with a time and its offset as 2027-03-15T14:30:00+02:00",
  "DateTime.Utc": "date with time and offset, written as 2027-03-15T14:30:00+02:00",
  "DateTime.Zoned": "date with time and zone, written as 2027-03-15T14:30:00+01:00[Europe/Berlin]",
  bigint: "whole number, written as text",
  number: "number, written as text"
}

const formats: Readonly<Record<string, string>> = {
  date: "date, written as 2027-03-15",
  "date-time": "date with time and offset, written as 2027-03-15T14:30:00+02:00",
  time: "time, written as 14:30:00"
}

const range = (low: unknown, high: unknown, unit: string): ReadonlyArray<string> =>
  low === undefined && high === undefined
    ? []
    : [
      low === high
        ? `exactly ${String(low)}${unit}`
        : high === undefined
        ? `at least ${String(low)}${unit}`
        : low === undefined
        ? `at most ${String(high)}${unit}`
        : `${String(low)} to ${String(high)}${unit}`
    ]

const list = (values: ReadonlyArray<unknown>): string => values.map(quote).join(", ")

const text = ({ description, format, maxLength, minLength, pattern }: Rec): string => {
  const [, into = ""] = decoded.exec(String(description ?? "")) ?? []
  const known = written[into] ?? formats[String(format)]
  return [
    known ??
      (into !== ""
        ? `text that is read as ${into}`
        : format === undefined
        ? "text"
        : `text, a valid ${String(format)}`),
    ...range(minLength, maxLength, " characters"),
    ...(pattern === undefined || pattern === trimmed ? [] : [`of the form ${String(pattern)}`])
  ].join(", ")
}

const number = (schema: Rec): string =>
  [
    schema.type === "integer" ? "whole number" : "number",
    ...range(schema.minimum, schema.maximum, ""),
    ...(schema.exclusiveMinimum === undefined ? [] : [`more than ${String(schema.exclusiveMinimum)}`]),
    ...(schema.exclusiveMaximum === undefined ? [] : [`less than ${String(schema.exclusiveMaximum)}`]),
    ...(schema.multipleOf === undefined || schema.multipleOf === 1
      ? []
      : [`a multiple of ${String(schema.multipleOf)}`])
  ].join(", ")

/** Largest nesting depth described; deeper values are "any JSON value". */
const depth = 4

/** Effect's descriptions of its own Schemas; they are replaced by type and bounds. */
const builtIn = new RegExp(
  "^an? (?:[\\w-]+ ){0,3}(?:string|number|integer|bigint|boolean|date|array|object)(?: (?:" +
    "between \\S+ and \\S+|(?:greater|less) than .*|matching the pattern .*|(?:at least|at most|exactly) \\d+ .* long|" +
    "(?:starting|ending) with .*|including .*|divisible by .*|(?:that will|to) be .*|of (?:at least|at most|exactly) .*))?$",
  "i"
)

/** Effect's pattern of a trimmed string. */
const trimmed = "^\\S[\\s\\S]*\\S$|^\\S$|^$"

const ownDescription = ({ annotations }: AST.Annotated): string | undefined => {
  const told = annotations[AST.DescriptionAnnotationId]
  return typeof told === "string" && !builtIn.test(told) ? told : undefined
}

const examplesOf = ({ annotations }: AST.Annotated): ReadonlyArray<string> => {
  const examples = annotations[AST.ExamplesAnnotationId]
  return Array.isArray(examples) ? [`for example ${list(examples)}`] : []
}

const leaf = (schema: Rec): string => {
  if (Array.isArray(schema.enum)) return schema.enum.length === 1 ? list(schema.enum) : `one of ${list(schema.enum)}`
  const members = schema.anyOf
  if (Array.isArray(members)) return either(members.map((one) => leaf(recordOf(one))))
  switch (schema.type) {
    case "string":
      return text(schema)
    case "number":
    case "integer":
      return number(schema)
    case "boolean":
      return "true or false"
    case "null":
      return "null"
    default:
      return "any JSON value"
  }
}

/** Joins union members; constant values are combined into one list. */
const either = (members: ReadonlyArray<string>): string => {
  const values = members.filter((one) => one.startsWith("\""))
  const others = Array.from(new Set(members.filter((one) => !one.startsWith("\""))))
  const listed = values.length > 1 ? [`one of ${values.join(", ")}`] : values
  return [...listed, ...others].join(", or ")
}

const leafOf = (ast: AST.AST): Rec =>
  Either.getOrElse(Either.try(() => recordOf(JSONSchema.fromAST(ast, { definitions: {} }))), () => ({}))

const objectOf = ({ indexSignatures, propertySignatures }: AST.TypeLiteral, level: number): string => {
  const parts = propertySignatures.map((part) => {
    const description = ownDescription(part) ?? ownDescription(part.type)
    return `${String(part.name)}${part.isOptional ? " (may be left out)" : ""}: ${
      description === undefined ? "" : `${description}, `
    }${tell(part.type, level + 1)}`
  })
  const rest = indexSignatures.map(({ type }) => `any names, each value: ${tell(type, level + 1)}`)
  return parts.length + rest.length === 0 ? "object" : `object with ${[...parts, ...rest].join("; ")}`
}

const listOf = ({ elements, rest }: AST.TupleType, bounds: Rec, level: number): string => {
  const items = rest.map(({ type }) => `each item: ${tell(type, level + 1)}`)
  const fixed = elements.map(({ type }) => tell(type, level + 1))
  return [
    fixed.length === 0 ? "list" : `list of ${fixed.join("; ")}`,
    ...items,
    ...range(bounds.minItems, bounds.maxItems, " items")
  ].join(", ")
}

/**
 * The type inside refinements and transformations, with their combined constraints, and the descriptions of filters in
 * code.
 */
const unwrapped = (ast: AST.AST) => {
  let bounds: Rec = {}
  let told: ReadonlyArray<string> = []
  let inner = ast
  while (AST.isRefinement(inner) || AST.isTransformation(inner)) {
    told = [...examplesOf(inner), ...told]
    if (AST.isRefinement(inner)) {
      const json = inner.annotations[AST.JSONSchemaAnnotationId]
      const description = json === undefined ? ownDescription(inner) : undefined
      bounds = { ...recordOf(json), ...bounds }
      if (description !== undefined && !isDate(inner)) told = [description, ...told]
    }
    inner = inner.from
  }
  return { bounds, told: [...examplesOf(inner), ...told], inner }
}

/** Effect's check for a valid date. */
const isDate = (ast: AST.Refinement): boolean => ast.annotations[AST.SchemaIdAnnotationId] === Schema.ValidDateSchemaId

const base = (ast: AST.AST, bounds: Rec, level: number): string => {
  switch (ast._tag) {
    case "TypeLiteral":
      return objectOf(ast, level)
    case "TupleType":
      return listOf(ast, bounds, level)
    case "Union":
      return either(ast.types.filter((one) => !AST.isUndefinedKeyword(one)).map((one) => tell(one, level + 1)))
    case "Suspend":
      return tell(ast.f(), level + 1)
    default:
      return leaf({ ...leafOf(ast), ...bounds })
  }
}

const tell = (ast: AST.AST, level: number): string => {
  if (level > depth) return "any JSON value"
  const { bounds, inner, told } = unwrapped(ast)
  return [base(inner, bounds, level), ...told].join(", ")
}

/** Describes a Schema in words. Filters in code are described by their description, if they have one. */
export const of: (schema: Schema.Schema.All) => string = Memo.weak(({ ast }: Schema.Schema.All) => tell(ast, 0))

/** Combines a description with the description of the Schema. */
export const described = (description: string | undefined, schema: Schema.Schema.All): string => {
  const words = of(schema)
  return description === undefined || builtIn.test(description) || words.includes(description)
    ? words
    : `${description}; ${words}`
}
