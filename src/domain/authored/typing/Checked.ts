/**
 * Types that check a definition where it is written, with readable compiler messages.
 *
 * A literal is first inferred loosely, with callbacks that may return anything, so that its exact type is known. Then
 * each part is checked separately, and a wrong part gets a type that the compiler prints as a sentence. A check of the
 * whole literal against the option types would make the compiler print those types instead.
 */
import type * as Effect from "effect/Effect"
import type { HandlerKey, HookKey } from "../../code/CodeKey.js"
import type { Directive, PreDirective, SignalDirective } from "../../directive/Directive.js"
import type { Span } from "../../directive/Timer.js"
import type { Condition, Ref, Rule } from "../../policy/Policy.js"
import type { AgentHooks, AgentOptions, HandOff, Understanding } from "../AgentOptions.js"
import type { Hook, Predicate, Returned, Template, Texts } from "../Callback.js"
import type { Flow, FlowHooks } from "../Flow.js"
import type { Choices } from "../Form.js"
import type { Instruction } from "../Instruction.js"
import type { Signal, SignalOptions } from "../Signal.js"
import type { Branch, OnInterrupt, Step, StepHooks } from "../Step.js"
import type { ApprovalNeed, Permission, Tool, ToolCall, ToolOptions, ToolOutput } from "../Tool.js"
import type {
  CodeFaults,
  GivenBy,
  HookFaults,
  MeantAsOutput,
  PromiseOr,
  ValueFaults,
  WrongDirective,
  WrongOutput
} from "./Result.js"
import type {
  EachFaults,
  Faults,
  IsAny,
  KeyOf,
  NoSuch,
  Plain,
  Primitive,
  UnknownField,
  UnknownKey,
  Wrong
} from "./Wrong.js"

export type { CheckedHandler, CheckedResult, CheckedSignalHandler } from "./Result.js"
export type { Wrong } from "./Wrong.js"

// -----------------------------------------------------------------------------
// Types with loose callback results
// -----------------------------------------------------------------------------

type AnyEffect = Effect.Effect<unknown, unknown, unknown>
type AnyCode = (...args: ReadonlyArray<never>) => unknown

/** The same options, with callbacks that may return anything. */
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

/** Choices are a list or a function, or an object with field names as keys. */
type LooseChoices<T> = T extends AnyCode | ReadonlyArray<unknown> ? Loose<T> : LooseEach<T>

/** The keys of handlers are event names or time spans. */
type LooseEach<T> = { [K in keyof T]: Loose<T[K]> }

// -----------------------------------------------------------------------------
// The parts of a definition
// -----------------------------------------------------------------------------

type InstructionFaults<O, D, C> = Faults<
  { readonly [K in keyof O]: K extends "if" ? ValueFaults<O[K], Predicates<D, C>> : Plain<K, Instruction<{}, {}>> }
>

type Predicates<D, C> = Predicate<D, C> | ReadonlyArray<Predicate<D, C>>

type BranchFaults<O, D, C> = Faults<
  {
    readonly [K in keyof O]: K extends "if" ? ValueFaults<O[K], Predicates<D, C>>
      : K extends "then" ? WrongDirective<O[K], D, C>
      : Plain<K, Branch<{}, {}>>
  }
>

type ToolFaults<O, D, C> = O extends Tool<never, never, unknown> ? never
  : Faults<
    {
      readonly [K in keyof O]: K extends "handler"
        ? CodeFaults<O[K], (...args: never) => Returned<ToolAnswer<O, D, C>>, WrongOutput<GivenBy<O[K]>, D, C>>
        : K extends "checkPermissions" ? ValueFaults<O[K], (...args: never) => Returned<Permission<D, C>>>
        : K extends "needsApproval" ? ValueFaults<O[K], ApprovalNeed | ((...args: never) => Returned<ApprovalNeed>)>
        : K extends "validateInput" ? PromiseOr<GivenBy<O[K]>, never>
        : K extends "policies" ? PolicyFaults<O[K], keyof D, ParameterOf<O>>
        : Plain<K, ToolOptions<{}, {}>>
    }
  >

type ParameterOf<O> = O extends { readonly parameters: infer P } ? keyof P : never

type ToolAnswer<O, D, C> =
  | ToolOutput<D, C>
  | (O extends { readonly success: { readonly Type: infer A } } ? A
    : O extends { readonly handler: infer F } ? Exclude<GivenBy<F>, MeantAsOutput>
    : never)

type SignalFaults<O, D, C> = O extends Signal<never, never, unknown> ? never
  : Faults<
    {
      readonly [K in keyof O]: K extends "handler" ? CodeFaults<
          O[K],
          (...args: never) => Returned<SignalDirective<D, C, Tool<D, C>> | undefined | void>,
          WrongDirective<GivenBy<O[K]>, D, C>
        >
        : K extends "if" ? ValueFaults<O[K], Predicates<D, C>>
        : Plain<K, SignalOptions<{}, {}>>
    }
  >

type PartFaults<O, D, C, Ev, Kind> = IsAny<O> extends true ? never
  : O extends string ? never
  : Kind extends "steps" ? StepFaults<O, D, C, Ev>
  : Kind extends "flows" ? FlowFaults<O, D, C, Ev>
  : Kind extends "branches" ? BranchFaults<O, D, C>
  : Kind extends "instructions" ? InstructionFaults<O, D, C>
  : Kind extends "tools" ? ToolFaults<O, D, C>
  : SignalFaults<O, D, C>

/** A literal list is checked element by element, so that the error appears at the wrong element. */
type ListFaults<L, D, C, Ev, Kind> = IsAny<L> extends true ? never
  : L extends ReadonlyArray<unknown> ? number extends L["length"] ? ArrayFaults<L, D, C, Ev, Kind>
    : EachFaults<{ readonly [I in keyof L]: PartFaults<L[I], D, C, Ev, Kind> }>
  : never

/** A list that contains a spread has no fixed positions; `make` checks it at run time. */
type ArrayFaults<L extends ReadonlyArray<unknown>, D, C, Ev, Kind> = L extends
  readonly [unknown, ...ReadonlyArray<unknown>] | readonly [...ReadonlyArray<unknown>, unknown] ? never
  : unknown extends ElementFaults<L[number], D, C, Ev, Kind> ? never
  : ReadonlyArray<ElementFaults<L[number], D, C, Ev, Kind>>

/** Elements of several types are not checked if one of these types is right. */
type ElementFaults<X, D, C, Ev, Kind> = X extends unknown ? OrUnknown<PartFaults<X, D, C, Ev, Kind>> : never

type HooksFaults<O, D, C, T, Pre, N extends keyof D = never> = IsAny<O> extends true ? never : Faults<
  {
    readonly [K in keyof O]: K extends KeyOf<T>
      ? K extends Pre ? HookFaults<O[K], D, C, PreDirective<D, C, Tool<D, C>>, N>
      : HookFaults<O[K], D, C, Directive<D, C>, N>
      : UnknownKey<K, KeyOf<T>>
  }
>

/** Handlers by event name: each name must be an event of the agent, each value a target, a directive or code. */
type HandlersFaults<O, D, C, Ev> = IsAny<O> extends true ? never : Faults<
  {
    readonly [K in keyof O]: K extends keyof Ev ? ThenFaults<O[K], D, C>
      : NoSuch<"the agent has no event", K, keyof Ev>
  }
>

type AfterFaults<O, D, C> = IsAny<O> extends true ? never : Faults<
  { readonly [K in keyof O]: K extends Span ? ThenFaults<O[K], D, C> : NoSuch<"no span of time is", K, never> }
>

type ThenFaults<O, D, C> = O extends AnyCode
  ? CodeFaults<O, (...args: never) => Returned<Directive<D, C> | undefined | void>, WrongDirective<GivenBy<O>, D, C>>
  : WrongDirective<O, D, C>

type ChoicesFaults<V, D, C> = V extends ReadonlyArray<unknown> ? never
  : V extends AnyCode ? ValueFaults<V, Choices<D, C>>
  : Faults<
    {
      readonly [K in keyof V]: K extends keyof D ? V[K] extends AnyCode ? ValueFaults<V[K], Choices<D, C>> : never
        : UnknownField<K, keyof D>
    }
  >

type TextFaults<V, D, C, N extends keyof D = never> = V extends AnyCode | string ? ValueFaults<V, Template<D, C, N>>
  : V extends Texts<D, C, N> | undefined ? never
  : Texts<D, C, N>

type SaidFaults<V, D, C, N extends keyof D> = V extends true ? never : TextFaults<V, D, C, N>

/**
 * The fields `F` and the arguments `A` that policies name. Types that are no literals are not searched: `make` checks
 * their names.
 */
type PolicyFaults<V, F, A = string> = [Condition] extends [V] ? never
  : [Ref] extends [V] ? never
  : PolicyPartFaults<V, F, A>

type PolicyPartFaults<V, F, A> = V extends Primitive ? never
  : V extends ReadonlyArray<unknown> ? EachFaults<{ readonly [I in keyof V]: PolicyFaults<V[I], F, A> }>
  : Faults<
    {
      readonly [K in keyof V]: K extends "value" | "within" ? never
        : K extends "field" ? NameFaults<V[K], F, F, F, A, "the schema has no field">
        : K extends "argument" | "per" ?
          NameFaults<V[K], A | `${A & string}.${string}`, A, F, A, "the tool has no argument">
        : PolicyFaults<V[K], F, A>
    }
  >

/**
 * The fault of a name that is none of `Right`, or of a list of names. An argument of a call may be called `field`: its
 * value is no name.
 */
type NameFaults<N, Right, Known, F, A, What extends string> = N extends string
  ? string extends N ? never : N extends Right ? never : NoSuch<What, N, Known>
  : N extends ReadonlyArray<string>
    ? EachFaults<{ readonly [I in keyof N]: NameFaults<N[I], Right, Known, F, A, What> }>
  : PolicyFaults<N, F, A>

/**
 * The keys whose values are checked: those with code (`CodeKey`), `on`, `after` and `choices`, which have code inside,
 * and `policies`, which name fields.
 */
type Keyed = HookKey | HandlerKey | "on" | "after" | "choices" | "policies"

/** The faults at keys that agents, flows and steps share. */
type CommonFaults<V, D, C, Ev, K> = K extends "flows" | "steps" | "branches" | "instructions" | "tools" | "signals"
  ? ListFaults<V, D, C, Ev, K>
  : K extends "on" ? HandlersFaults<V, D, C, Ev>
  : K extends "after" ? AfterFaults<V, D, C>
  : K extends "persona" ? ValueFaults<V, Template<D, C>>
  : K extends "if" | "skip" | "until" | "isComplete" ? ValueFaults<V, Predicates<D, C>>
  : K extends "choices" ? ChoicesFaults<V, D, C>
  : K extends "onInterrupt" ? ValueFaults<V, OnInterrupt<D, C>>
  : K extends "policies" ? PolicyFaults<V, keyof D>
  : never

type StepFaults<O, D, C, Ev, N extends keyof D = never> = Faults<
  {
    readonly [K in keyof O]: K extends keyof Step<{}, {}> & Keyed
      ? K extends "prompt" ? ValueFaults<O[K], Template<D, C, N>>
      : K extends "reply" | "confirm" ? SaidFaults<O[K], D, C, N>
      : K extends "onEnter" | "onResume" | "prepare" ? HookFaults<O[K], D, C, PreDirective<D, C, Tool<D, C>>, N>
      : K extends "finalize" ? HookFaults<O[K], D, C, Directive<D, C>, N>
      : K extends "hooks" ? HooksFaults<O[K], D, C, StepHooks<{}, {}>, "onEnter" | "onResume" | "prepare", N>
      : K extends "until" ?
        O extends { readonly reply: unknown }
          ? Wrong<"a step with reply says its text and goes on: until is for a step in which the model speaks">
        : CommonFaults<O[K], D, C, Ev, K>
      : CommonFaults<O[K], D, C, Ev, K>
      : Plain<K, Step<{}, {}>>
  }
>

type FlowFaults<O, D, C, Ev> = Faults<
  {
    readonly [K in keyof O]: K extends keyof Flow<{}, {}> & Keyed
      ? K extends "onComplete" | "onCorrect"
        ? CodeFaults<O[K], string | Hook<D, C>, WrongDirective<GivenBy<O[K]>, D, C>>
      : K extends "onResume" ? HookFaults<O[K], D, C, PreDirective<D, C, Tool<D, C>>>
      : K extends "hooks" ? HooksFaults<O[K], D, C, FlowHooks<{}, {}>, "onEnter" | "onResume">
      : CommonFaults<O[K], D, C, Ev, K>
      : Plain<K, Flow<{}, {}>>
  }
>

type AgentFaults<O, D, C, Ev> = Faults<
  {
    readonly [K in keyof O]: K extends keyof AgentOptions<{}, {}> & Keyed
      ? K extends "hooks" ? HooksFaults<O[K], D, C, AgentHooks<{}, {}>, never>
      : K extends "guardrails" ? GuardrailsFaults<O[K], D, C>
      : K extends "idle" ? IdleFaults<O[K], D, C>
      : K extends "understanding" ? UnderstandingFaults<O[K], D, C>
      : K extends "handOff" ? HandOffFaults<O[K], D, C>
      : CommonFaults<O[K], D, C, Ev, K>
      : Plain<K, AgentOptions<{}, {}>>
  }
>

type ReplyFaults<O, D, C> = Faults<
  { readonly [K in keyof O]: K extends "reply" ? TextFaults<O[K], D, C> : never }
>

type RepliesFaults<L, D, C> = L extends ReadonlyArray<unknown>
  ? EachFaults<{ readonly [I in keyof L]: ReplyFaults<L[I], D, C> }>
  : never

type GuardrailsFaults<O, D, C> = IsAny<O> extends true ? never : Faults<
  { readonly [K in keyof O]: K extends "reply" ? TextFaults<O[K], D, C> : RepliesFaults<O[K], D, C> }
>

type IdleFaults<O, D, C> = O extends string ? never : Faults<
  { readonly [K in keyof O]: K extends "prompt" ? ValueFaults<O[K], Template<D, C>> : UnknownKey<K, "prompt"> }
>

type UnderstandingFaults<O, D, C> = Faults<
  {
    readonly [K in keyof O]: K extends "instructions" ? ValueFaults<O[K], Template<D, C>>
      : Plain<K, Understanding<{}, {}>>
  }
>

type HandOffFaults<O, D, C> = Faults<
  { readonly [K in keyof O]: K extends "after" ? AfterFaults<O[K], D, C> : Plain<K, HandOff<{}, {}>> }
>

// -----------------------------------------------------------------------------
// Literals
// -----------------------------------------------------------------------------

// A literal is an argument of type `Checked…<O> & O`. For a literal without faults, `Checked…<O>` is `unknown`, so that only
// `O` remains: the compiler compares an argument with each member of an intersection and then with the whole, methods of
// lists included. The loosest literal and `any` need no check, and are tested first. `infer P` keeps the compiler from
// inferring the literal's type from its check.

type OrUnknown<Faults> = [Faults] extends [never] ? unknown : Faults

export type CheckedRules<L, D, P> = [ReadonlyArray<Rule>] extends [L] ? unknown
  : OrUnknown<PolicyFaults<L, keyof D, keyof P>>

export type CheckedInstruction<O, D, C> = [Loose<Instruction<D, C>>] extends [O] ? unknown
  : [O] extends [infer P] ? OrUnknown<InstructionFaults<P, D, C>>
  : never

/**
 * The check of the type `O` of a step's options. `N` is the union of the fields that are certainly known in the step.
 */
export type CheckedStep<O, D, C, Ev = {}, N extends keyof D = never> = [Loose<Step<D, C, Ev, N>>] extends [O] ? unknown
  : [O] extends [infer P] ? OrUnknown<StepFaults<P, D, C, Ev, N>>
  : never

export type CheckedFlow<O, D, C, Ev = {}> = [Loose<Flow<D, C, Ev>>] extends [O] ? unknown
  : [O] extends [infer P] ? OrUnknown<FlowFaults<P, D, C, Ev>>
  : never

export type CheckedAgent<O, D, C, Ev = {}> = [Loose<AgentOptions<D, C, Ev>>] extends [O] ? unknown
  : [O] extends [infer P] ? OrUnknown<AgentFaults<P, D, C, Ev>>
  : never
