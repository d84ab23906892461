/**
 * Decoding of what anybody may have sent.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { reasonOf } from "../../base/error/ErrorMessage.js"

const unreadable = ({ ast }: Schema.Schema.Any, u: unknown, cause: unknown): ParseResult.ParseError =>
  ParseResult.parseError(new ParseResult.Type(ast, u, `a value that cannot be read: ${reasonOf(cause)}`))

/** Turns a reader that throws into one that refuses. */
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
 * Decodes a value, whatever it is. A value that makes the Schema throw is refused: Effect turns the tag of a union's member
 * into text, and that throws for an object whose `toString` is not a function and for a list that is nested too deep. JSON
 * can hold both.
 *
 * @since 0.1.0
 * @category decoding
 */
export const either = <A, I>(schema: Schema.Schema<A, I>, options?: AST.ParseOptions) =>
  total(schema, Schema.decodeUnknownEither(schema, options))

/**
 * `either` for a value in memory: checked, not decoded.
 *
 * @since 0.1.0
 * @category decoding
 */
export const valid = <A, I>(schema: Schema.Schema<A, I>, options?: AST.ParseOptions) =>
  total(schema, Schema.validateEither(schema, options))

/**
 * `either` for a Schema that may be asynchronous.
 *
 * @since 0.1.0
 * @category decoding
 */
export const effect = <A, I>(schema: Schema.Schema<A, I>, options?: AST.ParseOptions) => {
  const decode = Schema.decodeUnknown(schema, options)
  return (u: unknown): Effect.Effect<A, ParseResult.ParseError> => {
    const refuse = (cause: unknown) => Effect.fail(unreadable(schema, u, cause))
    try {
      const decoded = decode(u)
      // Most Schemas decode without waiting, so the result is there already.
      return Either.isEither(decoded) ? decoded : Effect.catchAllDefect(decoded, refuse)
    } catch (cause) {
      return refuse(cause)
    }
  }
}
