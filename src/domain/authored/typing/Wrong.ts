/** Faults, as types: `never` for a part that is right, a type with a sentence for one that is wrong. */

declare const wrong: unique symbol

/** The type of a wrong part. It has no values; its sentence appears in the compiler's message. */
export interface Wrong<Sentence extends string> {
  readonly [wrong]: Sentence
}

/** As `Wrong`, with the type that the part must have. */
export interface Mismatch<Sentence extends string, Expected> {
  readonly [wrong]: readonly [Sentence, Expected]
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

/**
 * True if at most as many edits as `Left` has elements make one name the other. An edit adds, leaves out or changes a
 * letter.
 */
type IsNear<A extends string, B extends string, Left extends ReadonlyArray<unknown>> = A extends B ? true
  : A extends `${infer X}${infer More}` ? B extends `${X}${infer Rest}` ? IsNear<More, Rest, Left>
    : Left extends readonly [unknown, ...infer Fewer] ? IsNear<More, B, Fewer> extends true ? true
      : B extends `${infer _}${infer Rest}` ? IsNear<A, Rest, Fewer> extends true ? true : IsNear<More, Rest, Fewer>
      : false
    : false
  : Left extends readonly [unknown, ...infer Fewer]
    ? B extends `${infer _}${infer Rest}` ? IsNear<A, Rest, Fewer> : false
  : false

/** The known names that differ by so many letters, whatever their case. */
type Near<K extends string, Known, Left extends ReadonlyArray<unknown>> = Known extends string
  ? IsNear<Lowercase<K>, Lowercase<Known>, Left> extends true ? Known : never
  : never

/** The known names that begin or end with this name, or that it begins with. */
type Containing<K extends string, Known> = [AfterThree<K>] extends [never] ? never
  : Known extends string ? [AfterThree<Known>] extends [never] ? never
    : Lowercase<Known> extends `${Lowercase<K>}${string}` | `${string}${Lowercase<K>}` ? Known
    : Lowercase<K> extends `${Lowercase<Known>}${string}` ? Known
    : never
  : never

/** The letters after the first three; `never` for a shorter name. */
type AfterThree<K extends string> = K extends `${infer _}${infer _}${infer _}${infer More}` ? More : never

/** The known name that was probably meant. The compiler works it out for wrong names only. */
type NearestName<K extends string, Known> = FirstOf<[Near<K, Known, [1]>, Containing<K, Known>, TwiceNear<K, Known>]>
type TwiceNear<K extends string, Known> = Known extends string
  ? [AfterThree<AfterThree<Known>>] extends [never] ? never : Near<K, Known, [1, 2]>
  : never
type FirstOf<L> = L extends readonly [infer X, ...infer More] ? [X] extends [never] ? FirstOf<More> : X : never

/** The sentence about a name that is not known. */
export type NoSuch<What extends string, K, Known> = K extends string
  ? [NearestName<K, Known>] extends [never] ? NotAmong<`${What} "${K}"`, Known>
  : Wrong<`${What} "${K}", did you mean "${NearestName<K, Known>}"?`>
  : Wrong<What>

/** Without a near name, the message has the known names. The many options of a part would make it too long. */
type NotAmong<Sentence extends string, Known> = Sentence extends `there is no key ${string}` ? Wrong<Sentence>
  : Mismatch<`${Sentence}: there are these`, Known>

/** The keys of all members of a union. */
export type KeyOf<T> = T extends unknown ? keyof T : never
export type UnknownKey<K, Known> = NoSuch<"there is no key", K, Known>
export type UnknownField<K, Known> = NoSuch<"the schema has no field", K, Known>

/** The fault of a key whose value is not code. A definition that is made of another one has a symbol. */
export type Plain<K, T> = K extends KeyOf<T> | symbol ? never : UnknownKey<K, KeyOf<T>>

// -----------------------------------------------------------------------------
// Values
// -----------------------------------------------------------------------------

export type NoPromise =
  "a Promise is neither a value nor an Effect: return a value, or wrap it with Effect.promise or Effect.tryPromise"

/** The parts of an object that another one lacks, or has of another type. */
export type OtherParts<A, S> = {
  readonly [
    K in keyof S as K extends keyof A ? IsOther<A[K], S[K]> extends true ? K : never
      : undefined extends S[K] ? never
      : K
  ]: S[K]
}

/** The fault of an object with these parts; `never` if there are none. The mapped type makes the compiler print them. */
export type WrongParts<Sentence extends string, P> = [keyof P] extends [never] ? never
  : Mismatch<Sentence, { readonly [K in keyof P]: P[K] }>

/** True if no narrowing of literals makes a value of type `A` one of type `S`. */
export type IsOther<A, S> = [A] extends [S] ? false
  : undefined extends A ? undefined extends S ? IsOther<Exclude<A, undefined>, S> : true
  : [S] extends [A] ? false
  : [A | S] extends [object] ? false
  : [Extract<A, object>] extends [never] ? [S & A] extends [never] ? true : false
  : [Extract<S, object>] extends [never] ? true
  : false

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
