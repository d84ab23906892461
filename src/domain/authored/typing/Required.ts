/** Types for steps that require fields: the names of the fields, and the step's type as part of a flow. */
import type { HookContext, TurnContext } from "../Callback.js"
import type { StepHooks } from "../Step.js"

type IsUnion<T, U = T> = T extends unknown ? [U] extends [T] ? false : true : never

/** The name; `never` for a union of names, because it is not certain which of them is in the list. */
export type Certain<T> = IsUnion<T> extends true ? never : T

/**
 * The field names that the list `R` contains with certainty. A list of unknown length, or a union of several lists,
 * contains no name with certainty.
 */
export type Named<R> = IsUnion<R> extends true ? never
  : R extends ReadonlyArray<unknown> ? number extends R["length"] ? never : { [I in keyof R]: Certain<R[I]> }[number]
  : never

/** The callback's type with the context `Ctx`, which does not guarantee that the required fields are known. */
type Widened<F, Ctx> = F extends (ctx: never) => infer R ? (ctx: Ctx) => R
  : F extends string | true ? F
  : { readonly [K in keyof F]: Widened<F[K], Ctx> }

/**
 * The type of a step as part of a flow: its callbacks take a context that does not guarantee the required fields. `infer O`
 * keeps the compiler from inferring the step from the place where it is used.
 */
export type WidenedStep<S, D, C, N> = [S] extends [infer O] ? [N] extends [never] ? O : {
    readonly [K in keyof O]: K extends "prompt" | "reply" | "confirm" ? Widened<O[K], TurnContext<D, C>>
      : K extends keyof StepHooks<D, C> | "hooks" ? Widened<O[K], HookContext<D, C>>
      : O[K]
  }
  : never
