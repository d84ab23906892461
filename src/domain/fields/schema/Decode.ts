/** Decoding of untrusted input. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { reasonOf } from "../../base/error/ErrorMessage.js"
import { protoPath, refusedKey } from "../../base/Json.js"

const unreadable = ({ ast }: Schema.Schema.Any, u: unknown, cause: unknown): ParseResult.ParseError =>
  ParseResult.parseError(new ParseResult.Type(ast, u, `a value that cannot be read: ${reasonOf(cause)}`))

/**
 * Refuses a value with a key `__proto__`: a Schema assigns keys to its output, and so changes the prototype. Checks the
 * input, and the output too, because a Schema may parse JSON inside a text.
 */
const withoutProto = ({ ast }: Schema.Schema.Any) => <A>(u: A): Either.Either<A, ParseResult.ParseError> => {
  const path = Predicate.isObject(u) ? protoPath(u) : undefined
  if (path === undefined) return Either.right(u)
  const [first = "", ...rest] = path
  const why = new ParseResult.Pointer([first, ...rest], u, new ParseResult.Type(ast, u, refusedKey))
  return Either.left(ParseResult.parseError(why))
}

/** Turns exceptions of a decoder into errors. */
const total = <A>(
  schema: Schema.Schema.Any,
  read: (u: unknown) => Either.Either<A, ParseResult.ParseError>
) =>
(u: unknown): Either.Either<A, ParseResult.ParseError> => {
  const safe = withoutProto(schema)
  try {
    return Either.flatMap(Either.flatMap(safe(u), read), safe)
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
    const safe = withoutProto(schema)
    try {
      const given = safe(u)
      if (Either.isLeft(given)) return Effect.fail(given.left)
      const decoded = decode(u)
      // Most Schemas decode synchronously, and give an `Either`. Safe: it has the types of the effect.
      return Either.isEither(decoded)
        ? Either.flatMap(decoded as Either.Either<A, ParseResult.ParseError>, safe)
        : Effect.flatMap(Effect.catchAllDefect(decoded, refuse), safe)
    } catch (cause) {
      return refuse(cause)
    }
  }
}
