/**
 * The types by which a step knows the fields that it requires.
 *
 * @since 0.2.0
 */
import type { HookContext, TurnContext } from "../Callback.js"
import type { StepHooks } from "../Step.js"

type IsUnion<T, U = T> = T extends unknown ? [U] extends [T] ? false : true : never

/** Drops a name that may be one of several: it is not certain. */
type Certain<T> = IsUnion<T> extends true ? never : T

/**
 * The fields that a list names whatever happens: of one that is made when it runs, or chosen among several, none.
 *
 * @since 0.2.0
 * @category models
 */
export type Named<R> = IsUnion<R> extends true ? never
  : R extends ReadonlyArray<unknown> ? number extends R["length"] ? never : { [I in keyof R]: Certain<R[I]> }[number]
  : never

/** Code as anybody may call it, who does not know of the fields that it relies on. */
type Widened<F, Ctx> = F extends (ctx: never) => infer R ? (ctx: Ctx) => R
  : F extends string | true ? F
  : { readonly [K in keyof F]: Widened<F[K], Ctx> }

/**
 * A step as flows take it: that some of its code relies on fields which are known there is its own affair.
 *
 * @since 0.2.0
 * @category models
 */
export type WidenedStep<S, D, C, N> = [N] extends [never] ? S : {
  readonly [K in keyof S]: K extends "prompt" | "reply" | "confirm" ? Widened<S[K], TurnContext<D, C>>
    : K extends keyof StepHooks<D, C> | "hooks" ? Widened<S[K], HookContext<D, C>>
    : S[K]
}
