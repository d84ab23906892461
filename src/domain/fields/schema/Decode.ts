/** Decoding of untrusted input. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { reasonOf } from "../../base/error/ErrorMessage.js"

const unreadable = ({ ast }: Schema.Schema.Any, u: unknown, cause: unknown): ParseResult.ParseError =>
  ParseResult.parseError(new ParseResult.Type(ast, u, `a value that cannot be read: ${reasonOf(cause)}`))

/** Turns exceptions of a decoder into errors. */
const total = <A>(
  schema: Schema.Schema.Any,
  read: (u: unknown) => Either.Either<A, ParseResult.ParseError>
) =>
(u: unknown): Either.Either<A, ParseResult.ParseError> => {
  try {
    return read(u)
  } catch (cause) {
    return Either.left(unreadable(schema, u, cause))
  }
}

/**
 * Decodes an untrusted value. Refuses a value for which the Schema throws: Effect converts the tag of a union member to
 * text, and this throws for an object whose `toString` is not a function and for a deeply nested list. JSON can contain
 * both.
 */
export const either = <A, I>(schema: Schema.Schema<A, I>, options?: AST.ParseOptions) =>
  total(schema, Schema.decodeUnknownEither(schema, options))

/** Like `either`, for a decoded value: validates it. */
export const valid = <A, I>(schema: Schema.Schema<A, I>, options?: AST.ParseOptions) =>
  total(schema, Schema.validateEither(schema, options))

/** Like `either`, for a Schema that may be asynchronous. */
export const effect = <A, I>(schema: Schema.Schema<A, I>, options?: AST.ParseOptions) => {
  const decode = Schema.decodeUnknown(schema, options)
  return (u: unknown): Effect.Effect<A, ParseResult.ParseError> => {
    const refuse = (cause: unknown) => Effect.fail(unreadable(schema, u, cause))
    try {
      const decoded = decode(u)
      // Most Schemas decode synchronously, and give an `Either`.
      return Either.isEither(decoded) ? decoded : Effect.catchAllDefect(decoded, refuse)
    } catch (cause) {
      return refuse(cause)
    }
  }
}
