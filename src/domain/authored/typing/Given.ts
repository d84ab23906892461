/** Types that check the arguments with which a step calls a tool. */
import type * as Effect from "effect/Effect"
import type { IsAny, IsOther, Mismatch, NoPromise, NoSuch, OtherParts, Wrong, WrongParts } from "./Wrong.js"

/**
 * Arguments given by a step. Unknown values may be `undefined`; a call that lacks a required argument ends as
 * `invalid`.
 */
export type Given<A> = { readonly [K in keyof A]: A[K] | undefined }

/** The same arguments with values of any type. They are the type from which the compiler reads literals. */
export type Arguments<A> = { readonly [K in keyof A]?: A[K] | {} | null | undefined } | {}

/** The check of the type `G` of given arguments; `A` is the type of the tool's arguments. */
export type CheckedGiven<G, A> = IsAny<G> extends true ? unknown
  : unknown extends A ? unknown
  : G extends (...args: ReadonlyArray<never>) => unknown ? never
  : [Exclude<keyof G, keyof A>] extends [never] ? G extends Given<A> ? unknown : ArgumentFaults<G, A>
  : ArgumentFaults<G, A>

type ArgumentFaults<G, A> =
  & { readonly [K in keyof G]: K extends keyof A ? ArgumentFault<G[K], A[K]> : NoArgument<K, A> }
  & { readonly [K in Lacking<G, A> & string]: Wrong<`the call lacks "${K}": give it, or undefined`> }

type ArgumentFault<V, X> = V extends X | undefined ? unknown
  : IsOther<V, X | undefined> extends true ? Mismatch<"the tool takes another type: give this", X>
  : X | undefined

type NoArgument<K, A> = NoSuch<"the tool has no argument", K, keyof A>

/** The arguments that the tool needs and that are not given for certain. */
type Lacking<G, A> = {
  [K in keyof A]-?: {} extends Pick<A, K> ? never : K extends keyof G ? {} extends Pick<G, K> ? K : never : K
}[keyof A]

/** The check of what a function returns as arguments; `D` is the data, which it may return as a whole. */
export type CheckedCode<R, A, D> = IsAny<R> extends true ? unknown
  : unknown extends A ? unknown
  : R extends PromiseLike<unknown> ? Wrong<NoPromise>
  : R extends Effect.Effect<infer X, infer E, infer N>
    ? [E | N] extends [never] ? unknown extends Fault<X, A, D> ? unknown : Fault<X, A, D>
    : Wrong<"arguments are an Effect without errors and services: use a tool for what can fail">
  : Fault<R, A, D>

type Fault<X, A, D> = [Exclude<keyof X, keyof A | keyof D>] extends [never] ? X extends Given<A> ? unknown
  : [Lacking<X, A>] extends [never]
    ? OrElse<WrongParts<"the tool takes other types: give these", OtherParts<X, Given<A>>>, Given<A>>
  : Wrong<`the call lacks "${Lacking<X, A> & string}": give it, or undefined`>
  : NoArgument<Exclude<keyof X, keyof A | keyof D>, A>

type OrElse<Fault, Strict> = [Fault] extends [never] ? Strict : Fault
