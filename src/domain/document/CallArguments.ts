/** The arguments of a call in a document, compared with the parameters of its tool. */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as ErrorMessage from "../base/error/ErrorMessage.js"
import { isJsonObject, type Json } from "../base/Json.js"
import { ownValue } from "../base/ownValue.js"
import * as Erase from "../definition/Erase.js"
import type { Compiled } from "./Expression.js"
import type { ReadOperations } from "./Kind.js"

type Type = NonNullable<Compiled["type"]>

/** Compiles the arguments. Reports names that the tool does not have, missing arguments, and those of another type. */
export const read = (
  id: string,
  tool: unknown,
  given: Json,
  path: string,
  { args, fault }: Pick<ReadOperations, "args" | "fault">
): unknown => {
  const types = new Map<string, Type>()
  const compiled = args(given, path, (at, type) => types.set(at, type))
  const known = Predicate.isObject(tool) ? parametersOf(tool) : undefined
  if (known === undefined || !isJsonObject(given)) return compiled
  const names = known.map(({ name }) => String(name))
  for (const name of Object.keys(given).filter((name) => !names.includes(name))) {
    const others = names.length === 0 ? "none" : ErrorMessage.names(names)
    const why = `there is no parameter of this name: the tool "${id}" has ${others}`
    fault(`${path}.${name}`, `argument "${name}"`, why, "Correct its name, or remove it")
  }
  for (const parameter of known) {
    const name = String(parameter.name)
    const at = ownValue(given, name) === undefined ? path : `${path}.${name}`
    const why = reasonAgainst(parameter, ownValue(given, name), types.get(at))
    if (why !== undefined) fault(at, `argument "${name}"`, `${why} of "${id}"`, "Correct it")
  }
  return compiled
}

/** Returns why a value does not fit; `type` is that of an expression, as far as the language knows it. */
const reasonAgainst = (
  parameter: Property,
  value: Json | undefined,
  type: Type | undefined
): string | undefined =>
  value === undefined
    ? missing(parameter)
    // A text is an expression.
    : mismatch(parameter.type, type ?? (typeof value === "string" ? undefined : typeOf(value)))

const missing = ({ isOptional }: Property): string | undefined =>
  isOptional ? undefined : "it is missing, and it is a parameter"

/** Returns why a value of the type does not fit; undefined if it fits, or if one of the types is not known. */
const mismatch = (ast: AST.AST, type: Type | undefined): string | undefined => {
  const wanted = kindOf(ast)
  return wanted === undefined || type === undefined || wanted === type
    ? undefined
    : `it is a ${type}, and the parameter is a ${wanted}`
}

/** Returns the parameters of a tool; undefined if the tool may take any, because it was described elsewhere. */
const parametersOf = (tool: object): ReadonlyArray<Property> | undefined => {
  const { parameters = {} } = Erase.tool(tool)
  if (!Schema.isSchema(parameters)) return propertiesOf(AST.typeAST(Schema.Struct(parameters).ast))
  const known = propertiesOf(AST.typeAST(parameters.ast))
  return known.length === 0 ? undefined : known
}

type Property = Pick<AST.PropertySignature, "isOptional" | "name" | "type">

/** Returns the properties of a type; of a union those that all of its types have. */
const propertiesOf = (ast: AST.AST): ReadonlyArray<Property> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures
    case "Refinement":
      return propertiesOf(ast.from)
    case "Suspend":
      return propertiesOf(ast.f())
    case "Declaration":
      return Option.match(AST.getSurrogateAnnotation(ast), { onNone: () => [], onSome: propertiesOf })
    case "Union":
      return ast.types.map(propertiesOf).reduce((all, more) =>
        all.flatMap(({ isOptional, name, type }) => {
          const other = more.find((one) => one.name === name)
          return other === undefined
            ? []
            : [{ name, type: AST.Union.make([type, other.type]), isOptional: isOptional || other.isOptional }]
        })
      )
    default:
      return []
  }
}

const isType = Schema.is(Schema.Literal("string", "number", "boolean"))

const typeOf = (value: unknown): Type | undefined => {
  const type = typeof value
  return isType(type) ? type : undefined
}

const keywords: { readonly [T in AST.AST["_tag"]]?: Type } = {
  StringKeyword: "string",
  NumberKeyword: "number",
  BooleanKeyword: "boolean"
}

/** Returns the only type of the values, if it is one of these. */
const kindOf = (ast: AST.AST): Type | undefined => {
  if (AST.isRefinement(ast)) return kindOf(ast.from)
  if (AST.isLiteral(ast)) return typeOf(ast.literal)
  if (!AST.isUnion(ast)) return keywords[ast._tag]
  const kinds = new Set(ast.types.filter((one) => !AST.isUndefinedKeyword(one)).map(kindOf))
  return kinds.size === 1 ? [...kinds][0] : undefined
}
