/** Faults, as types: `never` for a part that is right, a type with a sentence for one that is wrong. */

declare const wrong: unique symbol

/** The type of a wrong part. It has no values; its sentence appears in the compiler's message. */
export interface Wrong<Sentence extends string> {
  readonly [wrong]: Sentence
}

/**
 * True for `any` only. `unknown extends T` comes first, because it excludes nearly all other types, and costs the
 * compiler less.
 */
export type IsAny<T> = unknown extends T ? 0 extends 1 & T ? true : false : false

/**
 * Types without properties to search. A search tests `T extends Primitive` first and continues in the false branch,
 * where `T` is not narrowed: the compiler compares a narrowed `T` with its bound at each use, which is slow.
 */
export type Primitive = string | number | bigint | boolean | symbol | null | undefined | void

// -----------------------------------------------------------------------------
// Keys
// -----------------------------------------------------------------------------

/** The known name that was probably meant: it differs only in case or in a plural `s`. */
type NearestName<K extends string, Known> = Known extends string
  ? Lowercase<Known> extends Lowercase<K> | `${Lowercase<K>}s` ? Known
  : Lowercase<K> extends `${Lowercase<Known>}s` ? Known
  : never
  : never

/** The sentence about a name that is not known. */
export type NoSuch<What extends string, K, Known> = K extends string
  ? [NearestName<K, Known>] extends [never] ? Wrong<`${What} "${K}"`>
  : Wrong<`${What} "${K}", did you mean "${NearestName<K, Known>}"?`>
  : Wrong<What>

/** The keys of all members of a union. */
export type KeyOf<T> = T extends unknown ? keyof T : never
export type UnknownKey<K, Known> = NoSuch<"there is no key", K, Known>
export type UnknownField<K, Known> = NoSuch<"the schema has no field", K, Known>

/** The fault of a key whose value is not code. */
export type Plain<K, T> = K extends KeyOf<T> ? never : UnknownKey<K, KeyOf<T>>

// -----------------------------------------------------------------------------
// Faults
// -----------------------------------------------------------------------------

/**
 * The faults of a literal, from the faults of its parts: `never` if no part has one, else an object with `unknown` for
 * the parts that are right. An optional part may be `undefined` here.
 */
export type Faults<M> = [M[keyof M]] extends [undefined] ? never
  : { [K in keyof M]: [M[K]] extends [undefined] ? unknown : M[K] }

/** The faults of a list of known length, from the faults of its elements; see `Faults`. */
export type EachFaults<M extends ReadonlyArray<unknown>> = [M[number]] extends [undefined] ? never
  : { [I in keyof M]: [M[I]] extends [undefined] ? unknown : M[I] }
