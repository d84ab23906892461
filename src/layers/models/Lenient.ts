/**
 * Schemas that read what they know of an answer and pass over the rest: providers add fields, kinds and values every
 * month, and none of them is a reason to lose an answer that was paid for.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

const nothing = Either.right(undefined)

const orNothing = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.UndefinedOr(schema).annotations({ decodingFallback: () => nothing })

/**
 * A field that may be absent, `null`, or something else altogether: all of it reads as `undefined`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(orNothing(schema))

/**
 * A list whose elements are read one by one: one that cannot be read is `undefined` and does not cost the others.
 *
 * @since 0.1.0
 * @category schemas
 */
export const list = <A, I>(schema: Schema.Schema<A, I>) => maybe(Schema.Array(orNothing(schema)))

/**
 * The elements of such a list that could be read.
 *
 * @since 0.1.0
 * @category combinators
 */
export const known = <A>(elements: ReadonlyArray<A | undefined> | undefined): ReadonlyArray<A> =>
  (elements ?? []).filter((element) => element !== undefined)

/**
 * An object with any fields.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Fields = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/**
 * @since 0.1.0
 * @category schemas
 */
export type Fields = typeof Fields.Type
