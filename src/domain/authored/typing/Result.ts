/** Types that check what the code of a definition returns. */
import type * as Effect from "effect/Effect"
import type { Directive, SignalDirective } from "../../directive/Directive.js"
import type { Hook, Returned } from "../Callback.js"
import type { SignalContext } from "../Signal.js"
import type { Tool, ToolOutput } from "../Tool.js"
import type {
  IsAny,
  IsOther,
  Mismatch,
  NoPromise,
  OtherParts,
  Primitive,
  UnknownField,
  UnknownKey,
  Wrong,
  WrongParts
} from "./Wrong.js"

type AnyCode = (...args: ReadonlyArray<never>) => unknown
type AnyEffect = Effect.Effect<unknown, unknown, unknown>

/** The success type of a result that may be an Effect. */
type ResultSuccess<R> = R extends Effect.Effect<infer A, infer _E, infer _R> ? A : R

/** `never` if all written keys are known. */
type WrongWrite<W, D> = W extends Primitive ? never : UnknownField<Exclude<keyof W, keyof D>, keyof D>

/** Directive fields whose types depend on the agent; for these, the compiler's own message is better. */
type OfAgent = "dataUpdate" | "contextUpdate" | "injectTools" | "replyWith"

/** `never` if all fields of a directive are correct. */
export type WrongDirective<A, D, C, Known = SignalDirective<D, C>> = unknown extends A ? never
  : A extends Primitive ? never
  : { [K in keyof A & string]: WrongPart<A[K], K, D, C, Known> }[keyof A & string]

/** The values of a directive's fields, in words. */
interface Values {
  readonly goTo: "a flow, or { flow, step }"
  readonly goToStep: "a step, or { step, flow }"
  readonly complete: "true, or { next }"
  readonly abort: "the reason, or { reason }"
  readonly reset: "true, or { step }"
  readonly handOff: "\"person\""
  readonly reason: "a text"
  readonly reply: "a text"
  readonly clear: "a list of fields"
  readonly schedule: "{ id, event } with in or at"
  readonly cancel: "an id, or a list of ids"
  readonly run: "a call of a job, made by Job.of"
  readonly appendPrompt: "a list of texts"
  readonly halt: "true or false"
  readonly stopOtherSignals: "true or false"
}

type Described<K> = K extends keyof Values ? Values[K] : never

/** `never` if a field of a directive has an allowed value. */
type WrongPart<V, K extends string, D, C, Known> = K extends "dataUpdate" ? WrongWrite<V, D>
  : K extends "contextUpdate" ? WrongWrite<V, C>
  : K extends keyof Known ?
      | (K extends OfAgent ? never : V extends Known[K] | undefined ? never
      : Wrong<`a directive does not take this value of "${K}": it is ${Described<K>}`>)
      | (K extends "clear" ? WrongName<V, D> : never)
  : UnknownKey<K, keyof Known>

/** The fault of a literal list with unknown field names; `never` for a list that is computed at run time. */
type WrongName<V, D> = V extends ReadonlyArray<infer F> | { readonly fields: ReadonlyArray<infer F> }
  ? string extends F ? never : UnknownField<Exclude<F, keyof D>, keyof D>
  : never

/** The fault of a result that is a Promise or an Effect of one, else `Other`. */
export type PromiseOr<A, Other> = [Extract<A, PromiseLike<unknown>>] extends [never] ? Other : Wrong<NoPromise>

/**
 * The check of a callback's result `R`, which must be `Strict`. `Told` is the message for an error that no other check
 * explains.
 */
export type CheckedResult<R, Strict, Told = never> = IsAny<R> extends true ? unknown
  : PromiseOr<ResultSuccess<R>, [Told] extends [never] ? Strict : Told>

/** The check of an option that may be a function which returns `R`; it must return `Strict`. */
export type ReturnedAs<R, Strict, Sentence extends string> = IsAny<R> extends true ? unknown
  : [R] extends [Strict] ? unknown
  : PromiseOr<ResultSuccess<R>, Wrong<Sentence>>

/**
 * The fault of a callback, or of a value in place of one. `Told` is the message for an error in the
 * result, `Sentence` the one for any other error.
 */
export type CodeFaults<F, Strict, Told, Sentence extends string> = [Told] extends [never]
  ? ValueFaults<F, Strict, Sentence>
  : PromiseOr<GivenBy<F>, Told>

/**
 * The fault of a callback, or of a value in place of one, such as the Effect that it should return. Optional code may be
 * `undefined`.
 */
export type ValueFaults<F, Strict, Sentence extends string> = F extends Strict | undefined ? never
  : F extends AnyEffect ? Wrong<`${Sentence}; an Effect is what such a function may return`>
  : PromiseOr<GivenBy<F> | F, Wrong<Sentence>>

/** The results of all code in `F`. */
type ResultOf<F> = F extends (...args: ReadonlyArray<never>) => infer R ? R : never
/** The success types of all code in `F`. */
export type GivenBy<F> = ResultSuccess<ResultOf<F>>

/** The faults of a hook; `N` are the fields that are known in it. */
export type HookFaults<F, D, C, A = Directive<D, C>, N extends keyof D = never> = CodeFaults<
  F,
  Hook<D, C, A, N>,
  WrongDirective<GivenBy<F>, D, C>,
  "a hook is a function of the turn that returns a directive or nothing"
>

/** A result with a part of a `ToolOutput`. It is treated as an intended `ToolOutput`. */
export type MeantAsOutput = { readonly ok: unknown } | { readonly outputMessage: unknown }

/** `never` if all fields of a tool's output are correct. */
export type WrongOutput<A, D, C> = unknown extends A ? never
  : A extends MeantAsOutput ?
      | UnknownKey<Exclude<keyof A, keyof ToolOutput>, keyof ToolOutput>
      | (A extends { readonly dataUpdate?: infer W } ? WrongWrite<W, D> : never)
      | (A extends { readonly contextUpdate?: infer W } ? WrongWrite<W, C> : never)
      | (A extends { readonly directive?: infer W } ? WrongDirective<W, D, C> : never)
  : A extends AnyCode ? Wrong<"a function is no result: call it">
  : A extends PromiseLike<unknown> ? Wrong<NoPromise>
  : never

/**
 * The fault of a result `A` that `success` does not encode; `never` if it encodes it, or may do so once the compiler
 * narrows a literal. `S` is the type that `success` encodes.
 */
export type WrongAnswer<A, S> = unknown extends A ? never
  : [S] extends [never] ? never
  : A extends S | MeantAsOutput ? never
  : A extends Primitive | ReadonlyArray<unknown> | AnyCode
    ? IsOther<A, S> extends true ? Mismatch<"success encodes another result: return this", S> : never
  : S extends Primitive | ReadonlyArray<unknown> ? Mismatch<"success encodes another result: return this", S>
  : WrongParts<"success encodes other parts of the result: return these", OtherParts<A, S>>

/**
 * A tool handler's result: a `ToolOutput`, or a value that the tool's `success` Schema encodes; any JSON without a
 * Schema.
 */
export type CheckedHandler<H, S, D, C> = CheckedResult<
  H,
  Returned<ToolOutput<D, C> | ([S] extends [never] ? Exclude<ResultSuccess<H>, MeantAsOutput> : S)>,
  WrongOutput<ResultSuccess<H>, D, C> | WrongAnswer<ResultSuccess<H>, S>
>

/** A signal handler's result. */
export type CheckedSignalHandler<H, D, C, X> = CheckedResult<
  H,
  Returned<SignalDirective<D, C, Tool<D, C>, SignalContext<D, C, X>> | undefined | void>,
  WrongDirective<ResultSuccess<H>, D, C>
>
