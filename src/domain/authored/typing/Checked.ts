/**
 * Types that check a definition where it is written, with readable compiler messages.
 *
 * A literal is first inferred loosely, with callbacks that may return anything, so that its exact type is known. Then
 * each part is checked separately, and a wrong part gets a type that the compiler prints as a sentence. A check of the
 * whole literal against the option types would make the compiler print those types instead.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type { HandlerKey, HookKey } from "../../code/CodeKey.js"
import type { Directive, PreDirective, SignalDirective } from "../../directive/Directive.js"
import type { Span } from "../../directive/Timer.js"
import type { AgentHooks, AgentOptions } from "../AgentOptions.js"
import type { Hook, Predicate, Returned, Template, Texts } from "../Callback.js"
import type { Flow, FlowHooks } from "../Flow.js"
import type { Choices } from "../Form.js"
import type { Instruction } from "../Instruction.js"
import type { Signal, SignalContext, SignalOptions } from "../Signal.js"
import type { Branch, OnInterrupt, Step, StepHooks } from "../Step.js"
import type { ApprovalNeed, Permission, Tool, ToolCall, ToolOptions, ToolOutput } from "../Tool.js"

declare const wrong: unique symbol

/**
 * The type of a wrong part. It has no values; its sentence appears in the compiler's message.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wrong<Sentence extends string> {
  readonly [wrong]: Sentence
}

// -----------------------------------------------------------------------------
// Types with loose callback results
// -----------------------------------------------------------------------------

type AnyEffect = Effect.Effect<unknown, unknown, unknown>
type AnyCode = (...args: ReadonlyArray<never>) => unknown

/**
 * The same options with callbacks that may return anything.
 *
 * @since 0.1.0
 * @category models
 */
export type Loose<T> = T extends (...args: infer A) => infer R ? (...args: A) => R | {} | null
  : T extends
    AnyEffect | Tool<never, never, unknown> | Signal<never, never, unknown> | ToolCall<never, never, unknown> ? T
  : T extends ReadonlyArray<infer X> ? ReadonlyArray<Loose<X>>
  : T extends object ? {
      [K in keyof T]: K extends HookKey | HandlerKey ? Loose<T[K]>
        : K extends "on" | "after" ? LooseEach<T[K]> :
        K extends "choices" ? LooseChoices<T[K]>
        : T[K]
    }
  : T

/** Choices are a list or code, or an object with field names as keys. */
type LooseChoices<T> = T extends AnyCode | ReadonlyArray<unknown> ? Loose<T> : LooseEach<T>

/** The keys of handlers are event names or time spans. */
type LooseEach<T> = { [K in keyof T]: Loose<T[K]> }

// -----------------------------------------------------------------------------
// Keys
// -----------------------------------------------------------------------------

/** The known name that was probably meant: it differs only in case or in a plural `s`. */
type Meant<K extends string, Known> = Known extends string
  ? Lowercase<Known> extends Lowercase<K> | `${Lowercase<K>}s` ? Known
  : Lowercase<K> extends `${Lowercase<Known>}s` ? Known
  : never
  : never

type NoSuch<What extends string, K, Known> = K extends string
  ? [Meant<K, Known>] extends [never] ? Wrong<`${What} "${K}"`>
  : Wrong<`${What} "${K}", did you mean "${Meant<K, Known>}"?`>
  : never

type KeyOf<T> = T extends unknown ? keyof T : never
type UnknownKey<K, Known> = NoSuch<"there is no key", K, Known>
type UnknownField<K, Known> = NoSuch<"the schema has no field", K, Known>

type NoOthers<O, T> = { readonly [K in Exclude<keyof O, KeyOf<T>>]: UnknownKey<K, KeyOf<T>> }

// -----------------------------------------------------------------------------
// Checks of callback results
// -----------------------------------------------------------------------------

type IsAny<T> = 0 extends 1 & T ? true : false

/** The success type of a result that may be an Effect. */
type Given<R> = R extends Effect.Effect<infer A, infer _E, infer _R> ? A : R

type NoPromise =
  "a Promise is neither a value nor an Effect: return a value, or wrap it with Effect.promise or Effect.tryPromise"

/** `never` if all written keys are known, otherwise the error for the unknown keys. */
type WrongWrite<W, D> = W extends object ? UnknownField<Exclude<keyof W, keyof D>, keyof D> : never

/** Directive fields whose types depend on the agent; for these, the compiler's own message is better. */
type OfAgent = "dataUpdate" | "contextUpdate" | "injectTools" | "replyWith"

/** `never` if each field of a directive has an allowed value, otherwise the errors for the wrong values. */
type WrongValue<A, Known> = {
  [K in Exclude<keyof A & keyof Known & string, OfAgent>]: A[K] extends Known[K] | undefined ? never
    : Wrong<`a directive does not take this value of "${K}"`>
}[Exclude<keyof A & keyof Known & string, OfAgent>]

/** `never` if all fields of a directive are correct, otherwise the errors for the wrong fields. */
type WrongDirective<A, D, C, Known = SignalDirective<D, C>> = A extends object ?
    | WrongValue<A, Known>
    | UnknownKey<Exclude<keyof A, keyof Known>, keyof Known>
    | (A extends { readonly dataUpdate?: infer W } ? WrongWrite<W, D> : never)
    | (A extends { readonly contextUpdate?: infer W } ? WrongWrite<W, C> : never)
    | (A extends { readonly clear?: ReadonlyArray<infer F> | { readonly fields: ReadonlyArray<infer F> } } ?
      WrongName<F, D>
      : never)
  : never

/** Checks names that are literals; names computed at run time are checked at run time. */
type WrongName<F, D> = string extends F ? never : UnknownField<Exclude<F, keyof D>, keyof D>

/**
 * The type against which a callback's result `R` is checked: `Strict`, or `Told` if that is an error message of an
 * earlier check. A Promise gets its own error.
 *
 * @since 0.1.0
 * @category models
 */
export type CheckedResult<R, Strict, Told = never> = IsAny<R> extends true ? unknown
  : [Extract<R | Given<R>, PromiseLike<unknown>>] extends [never] ? [Told] extends [never] ? Strict : Told
  : Wrong<NoPromise>

/** The check of a callback, a list of callbacks, or a value in place of one. */
type CheckedCode<F, Strict, Told = never> = IsAny<F> extends true ? unknown
  : [Extract<F, AnyCode>] extends [never]
    ? F extends ReadonlyArray<unknown> ? { readonly [I in keyof F]: CheckedCode<F[I], Strict, Told> } : Strict
  : CheckedResult<ReturnType<Extract<F, AnyCode>>, Strict, Told>

type GivenBy<F> = F extends (...args: ReadonlyArray<never>) => infer R ? Given<R> : never

type CheckedHook<F, D, C, A = Directive<D, C>, N extends keyof D = never> = CheckedCode<
  F,
  Hook<D, C, A, N>,
  WrongDirective<GivenBy<F>, D, C>
>

/** An object with a part of a `ToolOutput` is treated as an intended `ToolOutput`. */
type MeantAsOutput = { readonly ok: unknown } | { readonly outputMessage: unknown }

type WrongOutput<A, D, C> = A extends MeantAsOutput ?
    | UnknownKey<Exclude<keyof A, keyof ToolOutput>, keyof ToolOutput>
    | (A extends { readonly dataUpdate?: infer W } ? WrongWrite<W, D> : never)
    | (A extends { readonly contextUpdate?: infer W } ? WrongWrite<W, C> : never)
    | (A extends { readonly directive?: infer W } ? WrongDirective<W, D, C> : never)
  : A extends AnyCode ? Wrong<"a function is no result: call it">
  : never

/**
 * The check of a tool handler's result `H`: a `ToolOutput`, or a value that the tool's `success` Schema encodes;
 * without that Schema, any JSON.
 *
 * @since 0.1.0
 * @category models
 */
export type CheckedHandler<H, S, D, C> = CheckedResult<
  H,
  Returned<ToolOutput<D, C> | ([S] extends [never] ? Exclude<Given<H>, MeantAsOutput> : S)>,
  WrongOutput<Given<H>, D, C>
>

/**
 * The check of a signal handler's result `H`: a directive or undefined.
 *
 * @since 0.1.0
 * @category models
 */
export type CheckedSignalHandler<H, D, C, X> = CheckedResult<
  H,
  Returned<SignalDirective<D, C, Tool<D, C>, SignalContext<D, C, X>> | undefined | void>,
  WrongDirective<Given<H>, D, C>
>

// -----------------------------------------------------------------------------
// The parts of a definition
// -----------------------------------------------------------------------------

/**
 * @since 0.1.0
 * @category models
 */
export type CheckedInstruction<O, D, C> =
  & { readonly [K in keyof O]: K extends "if" ? CheckedCode<O[K], Predicates<D, C>> : unknown }
  & NoOthers<O, Instruction<D, C>>

type Predicates<D, C> = Predicate<D, C> | ReadonlyArray<Predicate<D, C>>

type CheckedBranch<O, D, C> =
  & {
    readonly [K in keyof O]: K extends "if" ? CheckedCode<O[K], Predicates<D, C>>
      : K extends "then" ? [WrongDirective<O[K], D, C>] extends [never] ? unknown : WrongDirective<O[K], D, C>
      : unknown
  }
  & NoOthers<O, Branch<D, C>>

type CheckedToolLiteral<O, D, C> = O extends Tool<never, never, unknown> ? unknown
  :
    & {
      readonly [K in keyof O]: K extends "handler"
        ? CheckedCode<O[K], (...args: never) => Returned<ToolAnswer<O, D, C>>, WrongOutput<GivenBy<O[K]>, D, C>>
        : K extends "checkPermissions" ? CheckedCode<O[K], (...args: never) => Returned<Permission<D, C>>>
        : K extends "needsApproval" ? CheckedCode<O[K], ApprovalNeed | ((...args: never) => Returned<ApprovalNeed>)>
        : K extends "validateInput" ? CheckedCode<O[K], unknown>
        : unknown
    }
    & NoOthers<O, ToolOptions<D, C>>

type ToolAnswer<O, D, C> =
  | ToolOutput<D, C>
  | (O extends { readonly success: { readonly Type: infer A } } ? A
    : O extends { readonly handler: infer F } ? Exclude<GivenBy<F>, MeantAsOutput>
    : never)

type CheckedSignalLiteral<O, D, C> = O extends Signal<never, never, unknown> ? unknown
  :
    & {
      readonly [K in keyof O]: K extends "handler" ? CheckedCode<
          O[K],
          (...args: never) => Returned<SignalDirective<D, C, Tool<D, C>> | undefined | void>,
          WrongDirective<GivenBy<O[K]>, D, C>
        >
        : K extends "if" ? CheckedCode<O[K], Predicates<D, C>>
        : unknown
    }
    & NoOthers<O, SignalOptions<D, C>>

type CheckedPart<O, D, C, Ev, Kind> = IsAny<O> extends true ? unknown
  : O extends string ? unknown
  : Kind extends "flows" ? CheckedFlow<O, D, C, Ev>
  : Kind extends "steps" ? CheckedStep<O, D, C, Ev>
  : Kind extends "branches" ? CheckedBranch<O, D, C>
  : Kind extends "instructions" ? CheckedInstruction<O, D, C>
  : Kind extends "tools" ? CheckedToolLiteral<O, D, C>
  : CheckedSignalLiteral<O, D, C>

/** A literal list is checked element by element, so that the error appears at the wrong element. */
type CheckedList<L, D, C, Ev, Kind> = IsAny<L> extends true ? unknown
  : L extends ReadonlyArray<unknown>
  // A list that contains a spread has no fixed positions; `make` checks it at run time.
    ? L extends readonly [unknown, ...ReadonlyArray<unknown>] | readonly [...ReadonlyArray<unknown>, unknown]
      ? number extends L["length"] ? unknown : { readonly [I in keyof L]: CheckedPart<L[I], D, C, Ev, Kind> }
    : ReadonlyArray<CheckedPart<L[number], D, C, Ev, Kind>>
  : unknown

type CheckedHooks<O, D, C, T, Pre, N extends keyof D = never> = IsAny<O> extends true ? unknown
  :
    & {
      readonly [K in keyof O]: K extends Pre ? CheckedHook<O[K], D, C, PreDirective<D, C, Tool<D, C>>, N>
        : CheckedHook<O[K], D, C, Directive<D, C>, N>
    }
    & NoOthers<O, T>

/** Handlers by event name: each name must be an event of the agent, each value a target, a directive or code. */
type CheckedHandlers<O, D, C, Ev> = IsAny<O> extends true ? unknown : {
  readonly [K in keyof O]: K extends keyof Ev ? CheckedThen<O[K], D, C>
    : NoSuch<"the agent has no event", K, keyof Ev>
}

type CheckedAfter<O, D, C> = IsAny<O> extends true ? unknown
  : { readonly [K in keyof O]: K extends Span ? CheckedThen<O[K], D, C> : NoSuch<"no span of time is", K, never> }

type CheckedThen<O, D, C> = O extends AnyCode
  ? CheckedCode<O, (...args: never) => Returned<Directive<D, C> | undefined | void>, WrongDirective<GivenBy<O>, D, C>>
  : [WrongDirective<O, D, C>] extends [never] ? unknown
  : WrongDirective<O, D, C>

type CheckedChoices<V, D, C> = V extends ReadonlyArray<unknown> ? unknown
  : V extends AnyCode ? CheckedCode<V, Choices<D, C>>
  : {
    readonly [K in keyof V]: K extends keyof D ? V[K] extends AnyCode ? CheckedCode<V[K], Choices<D, C>> : unknown
      : UnknownField<K, keyof D>
  }

type CheckedText<V, D, C, N extends keyof D = never> = V extends AnyCode | string ? CheckedCode<V, Template<D, C, N>>
  : Texts<D, C, N>

type CheckedSaid<V, D, C, N extends keyof D> = V extends true ? unknown : CheckedText<V, D, C, N>

/** The check of keys that agents, flows and steps share. */
type CheckedCommon<V, D, C, Ev, K> = K extends "flows" | "steps" | "branches" | "instructions" | "tools" | "signals"
  ? CheckedList<V, D, C, Ev, K>
  : K extends "on" ? CheckedHandlers<V, D, C, Ev>
  : K extends "after" ? CheckedAfter<V, D, C>
  : K extends "persona" ? CheckedCode<V, Template<D, C>>
  : K extends "if" | "skip" | "until" | "isComplete" ? CheckedCode<V, Predicates<D, C>>
  : K extends "choices" ? CheckedChoices<V, D, C>
  : K extends "onInterrupt" ? CheckedCode<V, OnInterrupt<D, C>>
  : unknown

/**
 * The check of the type `O` of a step's options. `N` is the union of the fields that are certainly known in the step.
 *
 * @since 0.1.0
 * @category models
 */
export type CheckedStep<O, D, C, Ev = {}, N extends keyof D = never> =
  & {
    readonly [K in keyof O]: K extends "onEnter" | "onResume" | "prepare"
      ? CheckedHook<O[K], D, C, PreDirective<D, C, Tool<D, C>>, N>
      : K extends "finalize" ? CheckedHook<O[K], D, C, Directive<D, C>, N>
      : K extends "hooks" ? CheckedHooks<O[K], D, C, StepHooks<D, C, N>, "onEnter" | "onResume" | "prepare", N>
      : K extends "prompt" ? CheckedCode<O[K], Template<D, C, N>>
      : K extends "reply" | "confirm" ? CheckedSaid<O[K], D, C, N>
      : K extends "until" ?
        O extends { readonly reply: unknown }
          ? Wrong<"a step with reply says its text and goes on: until is for a step in which the model speaks">
        : CheckedCommon<O[K], D, C, Ev, K>
      : CheckedCommon<O[K], D, C, Ev, K>
  }
  & NoOthers<O, Step<D, C>>

/**
 * @since 0.1.0
 * @category models
 */
export type CheckedFlow<O, D, C, Ev = {}> =
  & {
    readonly [K in keyof O]: K extends "onComplete" | "onCorrect"
      ? CheckedCode<O[K], string | Hook<D, C>, WrongDirective<GivenBy<O[K]>, D, C>>
      : K extends "onResume" ? CheckedHook<O[K], D, C, PreDirective<D, C, Tool<D, C>>>
      : K extends "hooks" ? CheckedHooks<O[K], D, C, FlowHooks<D, C>, "onEnter" | "onResume">
      : CheckedCommon<O[K], D, C, Ev, K>
  }
  & NoOthers<O, Flow<D, C>>

/**
 * @since 0.1.0
 * @category models
 */
export type CheckedAgent<O, D, C, Ev = {}> = IsAny<O> extends true ? unknown
  :
    & {
      readonly [K in keyof O]: K extends "hooks" ? CheckedHooks<O[K], D, C, AgentHooks<D, C>, never>
        : K extends "guardrails" ? CheckedGuardrails<O[K], D, C>
        : K extends "idle" ? CheckedIdle<O[K], D, C>
        : K extends "understanding" ? CheckedUnderstanding<O[K], D, C>
        : K extends "handOff" ? CheckedHandOff<O[K], D, C>
        : CheckedCommon<O[K], D, C, Ev, K>
    }
    & NoOthers<O, AgentOptions<D, C>>

type CheckedReply<O, D, C> = {
  readonly [K in keyof O]: K extends "reply" ? CheckedText<O[K], D, C> : unknown
}

type CheckedGuardrails<O, D, C> = IsAny<O> extends true ? unknown : {
  readonly [K in keyof O]: K extends "reply" ? CheckedText<O[K], D, C>
    : O[K] extends ReadonlyArray<unknown> ? { readonly [I in keyof O[K]]: CheckedReply<O[K][I], D, C> }
    : unknown
}

type CheckedIdle<O, D, C> = O extends string ? unknown
  : { readonly [K in keyof O]: K extends "prompt" ? CheckedCode<O[K], Template<D, C>> : UnknownKey<K, "prompt"> }

type CheckedUnderstanding<O, D, C> = {
  readonly [K in keyof O]: K extends "instructions" ? CheckedCode<O[K], Template<D, C>>
    : K extends "reasoning" | "flows" ? unknown
    : UnknownKey<K, "instructions" | "reasoning" | "flows">
}

type CheckedHandOff<O, D, C> = {
  readonly [K in keyof O]: K extends "after" ? CheckedAfter<O[K], D, C>
    : K extends "listen" ? unknown
    : UnknownKey<K, "after" | "listen">
}
