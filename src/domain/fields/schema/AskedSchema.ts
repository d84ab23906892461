/**
 * The JSON Schema of a value for a model: its encoded side. Constraints on the decoded side are kept if they hold for
 * the encoded side too, and are otherwise put into the description.
 */
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { recordOf } from "../../base/Json.js"
import * as Memo from "../../base/Memo.js"
import { inlined, type JsonSchema, mapped, worded } from "./JsonSchema.js"

/** The decoded side of transformations and refinements. */
const decoded = (ast: AST.AST): AST.AST =>
  AST.isRefinement(ast) ? decoded(ast.from) : AST.isTransformation(ast) ? decoded(ast.to) : ast

const moments = /^(Valid)?(DateFromSelf|DateTimeUtcFromSelf)$/

/** True for the type of a `Date` or a `DateTime.Utc` that is written as text. */
export const isMoment = (ast: AST.AST): boolean =>
  AST.isStringKeyword(AST.encodedAST(ast)) &&
  Option.exists(AST.getIdentifierAnnotation(decoded(ast)), (identifier) => moments.test(identifier))

const described = (ast: AST.AST): string | undefined => {
  const text = Option.getOrUndefined(AST.getDescriptionAnnotation(ast))
  return text === undefined || /^a valid Date$| to be decoded into /.test(text) ? undefined : text
}

const text = (format: string): AST.AST =>
  AST.annotations(AST.stringKeyword, { [AST.JSONSchemaAnnotationId]: { type: "string", format } })

const days = "a day (2027-03-15), or a moment with its offset (2027-03-15T14:30:00+02:00)"

/** The encoded text of a `Date`: a day or an instant. */
const moment = (ast: AST.AST): AST.AST => {
  const own = Option.getOrUndefined(AST.getJSONSchemaAnnotation(ast))
  const description = described(ast) ?? (AST.isRefinement(ast) ? described(ast.from) : undefined)
  const annotations = { [AST.DescriptionAnnotationId]: description === undefined ? days : `${description}; ${days}` }
  return own !== undefined && "type" in own
    ? AST.annotations(AST.stringKeyword, { ...annotations, [AST.JSONSchemaAnnotationId]: own })
    : AST.Union.make([text("date"), text("date-time")], annotations)
}

/** Returns the examples of a type for the model. The examples are given as decoded values and are encoded here. */
const examplesOf = (ast: AST.AST): AST.Annotations => {
  const encode = Schema.encodeUnknownEither(Schema.make(ast))
  const examples = Option.getOrElse(AST.getExamplesAnnotation(ast), () => [] as ReadonlyArray<unknown>)
  const encoded = examples.flatMap((one) =>
    Either.match(encode(one), { onLeft: () => [], onRight: (value) => [value] })
  )
  return encoded.length === 0 ? {} : { [AST.ExamplesAnnotationId]: encoded }
}

/** Adds the description and the examples of the decoded type to the encoded type. */
const told = (from: AST.AST, ast: AST.AST, more = ""): AST.AST => {
  const words = [described(ast) ?? described(from), more].filter(Boolean).join("; ")
  const annotations = { ...examplesOf(ast), ...words !== "" && { [AST.DescriptionAnnotationId]: words } }
  return Object.getOwnPropertySymbols(annotations).length === 0 ? from : AST.annotations(from, annotations)
}

const isDecoding = (ast: AST.AST): boolean => AST.isRefinement(ast) ? isDecoding(ast.from) : AST.isTransformation(ast)

/**
 * Adds a constraint on the decoded value: as a constraint if the encoded type is of the same kind, otherwise as text in
 * the description.
 */
const bounded = (from: AST.AST, ast: AST.Refinement): AST.AST => {
  if (!isDecoding(ast.from) || AST.encodedAST(from)._tag === decoded(ast.from)._tag) {
    return new AST.Refinement(from, ast.filter, { ...ast.annotations, ...examplesOf(ast) })
  }
  return told(from, ast, worded(recordOf(Option.getOrUndefined(AST.getJSONSchemaAnnotation(ast)))))
}

/** The encoded side of a struct, with the annotations of the decoded properties. */
const fromOf = ({ from, to, transformation }: AST.Transformation): AST.AST => {
  if (transformation._tag !== "TypeLiteralTransformation" || !AST.isTypeLiteral(from) || !AST.isTypeLiteral(to)) {
    return from
  }
  const properties = from.propertySignatures.map((property) => {
    const { annotations, isOptional, isReadonly, name, type } = property
    const pair = transformation.propertySignatureTransformations.find((one) => one.from === name)
    const target = to.propertySignatures.find((one) => one.name === (pair?.to ?? name))
    return target === undefined
      ? property
      : new AST.PropertySignature(name, type, isOptional, isReadonly, { ...target.annotations, ...annotations })
  })
  return new AST.TypeLiteral(properties, from.indexSignatures, from.annotations)
}

const wire = (ast: AST.AST): AST.AST => {
  if (isMoment(ast)) return moment(ast)
  switch (ast._tag) {
    case "Refinement":
      return bounded(wire(ast.from), ast)
    case "Transformation":
      return Option.isSome(AST.getJSONSchemaAnnotation(ast)) ? ast : told(wire(fromOf(ast)), ast)
    case "TypeLiteral":
      return new AST.TypeLiteral(
        ast.propertySignatures.map(({ annotations, isOptional, isReadonly, name, type }) =>
          new AST.PropertySignature(name, wire(type), isOptional, isReadonly, annotations)
        ),
        ast.indexSignatures.map(({ isReadonly, parameter, type }) =>
          new AST.IndexSignature(parameter, wire(type), isReadonly)
        ),
        ast.annotations
      )
    case "TupleType":
      return new AST.TupleType(
        ast.elements.map(({ annotations, isOptional, type }) =>
          new AST.OptionalType(wire(type), isOptional, annotations)
        ),
        ast.rest.map(({ annotations, type }) => new AST.Type(wire(type), annotations)),
        ast.isReadonly,
        ast.annotations
      )
    case "Union":
      return AST.Union.make(ast.types.map(wire), ast.annotations)
    case "Suspend":
      return new AST.Suspend(() => wire(ast.f()), ast.annotations)
    default:
      return ast
  }
}

/** Removes titles that Effect gives its own Schemas, such as `int` and `between(1, 10)`. */
const untitled = ({ title, ...schema }: JsonSchema): JsonSchema =>
  typeof title === "string" && !/^[a-z]\w*(\(.*\))?$/.test(title) ? { title, ...schema } : schema

/** Merges `allOf` into one schema, unless two members use the same keyword. */
const joined = (schema: JsonSchema): JsonSchema => {
  const { allOf, ...rest } = schema
  const members = Array.isArray(allOf) ? allOf.map(recordOf) : []
  const keywords = [rest, ...members].flatMap((one) => Object.keys(one).filter((keyword) => keyword !== "description"))
  return members.length === 0 || new Set(keywords).size < keywords.length
    ? schema
    : Object.assign({}, ...members, rest)
}

/** Returns the JSON Schema for a model, without references; recursive parts become any object. Memoized per Schema. */
export const askedSchemaOf: (schema: Schema.Schema.All) => JsonSchema = Memo.weak((schema: Schema.Schema.All) => {
  const { $schema: _, ...made } = recordOf(JSONSchema.make(Schema.make(wire(schema.ast))))
  return mapped(inlined(made).schema, (one) => joined(untitled(one)))
})
