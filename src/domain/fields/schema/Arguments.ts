/**
 * Tolerant decoding of what a model gave: JSON text for an object, `"1"` for a number, `null` for an omitted optional argument.
 * Values are decoded unchanged first, and reinterpreted only if there is exactly one way to do so.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ParseError } from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { protoPath } from "../../base/Json.js"
import { withoutNulls } from "./Absent.js"
import * as Decode from "./Decode.js"
import * as LocalTimes from "./LocalTimes.js"

const number = /^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?$/

/** Returns the value of a JSON text; returns any other text unchanged. */
export const parsed = (text: string): unknown =>
  Either.getOrElse(Either.try((): unknown => JSON.parse(text)), () => text)

/** Returns the only member of a union other than `null` and `undefined`. */
const soleMember = ({ types }: AST.Union): AST.AST | undefined => {
  const members = types.filter((one) => !AST.isUndefinedKeyword(one) && !(AST.isLiteral(one) && one.literal === null))
  return members.length === 1 ? members[0] : undefined
}

const ofText = (ast: AST.AST, text: string): unknown => {
  if (AST.isNumberKeyword(ast)) return number.test(text) ? Number(text) : text
  if (AST.isBooleanKeyword(ast)) return text === "true" ? true : text === "false" ? false : text
  return AST.isTypeLiteral(ast) || AST.isTupleType(ast) ? parsed(text) : text
}

const ofRecord = (ast: AST.TypeLiteral, given: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      const type = ast.propertySignatures.find(({ name }) => name === key)?.type ?? ast.indexSignatures[0]?.type
      return [key, type === undefined ? value : loosely(type, value)]
    })
  )

const ofList = (ast: AST.TupleType, given: ReadonlyArray<unknown>): unknown =>
  given.map((one, i) => {
    const type = (ast.elements[i] ?? ast.rest[0])?.type
    return type === undefined ? one : loosely(type, one)
  })

/** The type inside a union with one member, a refinement or a suspension. */
const within = (ast: AST.AST): AST.AST | undefined => {
  if (AST.isUnion(ast)) return soleMember(ast)
  if (AST.isRefinement(ast)) return ast.from
  return AST.isSuspend(ast) ? ast.f() : undefined
}

/** Converts the value to the type if only one interpretation is possible. */
const loosely = (ast: AST.AST, given: unknown): unknown => {
  const inner = within(ast)
  if (inner !== undefined) return loosely(inner, given)
  const value = typeof given === "string" ? ofText(ast, given) : given
  if (AST.isTupleType(ast) && Array.isArray(value)) return ofList(ast, value)
  return AST.isTypeLiteral(ast) && Predicate.isRecord(value) ? ofRecord(ast, value) : value
}

/**
 * Returns an encoded value in the form that the Schema decodes: unchanged if it decodes, else as the type that it was
 * meant to be (`2` for `"2"`) if that decodes. Otherwise returns it unchanged.
 */
export const meant = (schema: Schema.Schema<unknown, unknown>): (given: unknown) => unknown => {
  const decode = Decode.either(schema)
  return (given) => {
    if (Either.isRight(decode(given))) return given
    const other = loosely(AST.encodedAST(schema.ast), given)
    return Either.isRight(decode(other)) ? other : given
  }
}

/** The decoded arguments, and the input as it was interpreted. */
interface Read {
  readonly args: unknown
  readonly params: unknown
}

/**
 * Decodes the arguments. If this fails, converts them to the types of the Schema and decodes them again; if both
 * attempts fail, returns the error of the first, or of the second for a key `__proto__` in a JSON text.
 *
 * @param jsonSchema - what the model is told of them: it says which of them are optional
 *
 * The returned function reads date-times without an offset in the given time zone.
 */
export const decode = (
  schema: Schema.Schema<unknown, unknown>,
  jsonSchema: object
): (params: unknown, timeZone: string) => Effect.Effect<Read, ParseError> => {
  const strictly = Decode.effect(schema, { errors: "all" })
  const encoded = AST.encodedAST(schema.ast)
  return (given, timeZone) => {
    const params = LocalTimes.inZone(schema, given, timeZone)
    return Effect.catchAll(Effect.map(strictly(params), (args) => ({ args, params })), (error) => {
      const meant = LocalTimes.inZone(schema, withoutNulls(jsonSchema, loosely(encoded, params)), timeZone)
      return Effect.mapBoth(strictly(meant), {
        onFailure: (second) => protoPath(meant) === undefined ? error : second,
        onSuccess: (args) => ({ args, params: meant })
      })
    })
  }
}
