/**
 * Types that check a definition where it is written, with readable compiler messages.
 *
 * A literal is first inferred loosely, with callbacks that may return anything, so that its exact type is known. Then
 * each part is checked separately, and a wrong part gets a type that the compiler prints as a sentence. A check of the
 * whole literal against the option types would make the compiler print those types instead.
 */
import type * as AiTool from "@effect/ai/Tool"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { HandlerKey, HookKey } from "../../code/CodeKey.js"
import type { Directive, PreDirective, SignalDirective } from "../../directive/Directive.js"
import type { Span } from "../../directive/Timer.js"
import type { Condition, Policy, Ref, Rule } from "../../policy/Policy.js"
import type { AgentHooks, AgentOptions, HandOff, Understanding } from "../AgentOptions.js"
import type { Hook, Predicate, Returned, Template, Texts } from "../Callback.js"
import type { Flow, FlowHooks } from "../Flow.js"
import type { Choices } from "../Form.js"
import type { Finding, Guardrail } from "../Guardrail.js"
import type { Instruction } from "../Instruction.js"
import type { Signal, SignalOptions } from "../Signal.js"
import type { Branch, CallContext, OnInterrupt, Step, StepHooks } from "../Step.js"
import type {
  ApprovalNeed,
  Permission,
  Tool,
  ToolCall,
  ToolOptions,
  ToolOutput,
  TypeId as ToolTypeId
} from "../Tool.js"
import type { Filled, FilledAgent, Nameable } from "./Names.js"
import type { Certain } from "./Required.js"
import type {
  CodeFaults,
  GivenBy,
  HookFaults,
  MeantAsOutput,
  PromiseOr,
  ValueFaults,
  WrongAnswer,
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

export type { CheckedHandler, CheckedResult, CheckedSignalHandler, ReturnedAs } from "./Result.js"
export type { Wrong } from "./Wrong.js"

// -----------------------------------------------------------------------------
// Types with loose callback results
// -----------------------------------------------------------------------------

type AnyEffect = Effect.Effect<unknown, unknown, unknown>
type AnyCode = (...args: ReadonlyArray<never>) => unknown

/**
 * Keys that take any value at first: their faults are sentences. The compiler checks the values of other keys when it
 * infers the literal, and also finds there which types a callback's parameters have.
 */
type Rechecked =
  | "persona"
  | "prompt"
  | "reply"
  | "confirm"
  | "if"
  | "skip"
  | "until"
  | "isComplete"
  | "hooks"
  | keyof StepHooks<{}, {}>
  | keyof FlowHooks<{}, {}>
  | keyof AgentHooks<{}, {}>
  | "onInterrupt"
  | "onCorrect"
  | "on"
  | "after"
  | "choices"
  | "call"

/** The same options, with callbacks that may return anything. */
export type Loose<T> = T extends (...args: infer A) => infer R ? (...args: A) => R | {} | null | undefined | void
  : T extends
    AnyEffect | Tool<never, never, unknown> | Signal<never, never, unknown> | ToolCall<never, never, unknown> ? T
  : T extends ReadonlyArray<infer X> ? ReadonlyArray<Loose<X>>
  : T extends object ? {
      [K in keyof T]: K extends Rechecked ? LooseAt<T[K], K> | {} | null
        : K extends "tools" ? LooseTools<T[K]>
        : K extends HookKey | HandlerKey ? Loose<T[K]>
        : T[K]
    }
  : T

type LooseTools<L> = L extends ReadonlyArray<infer X> ? ReadonlyArray<Loose<X> | NoTool> : L

/** Values that are often given in place of a tool. Symbols tell them apart, so that editors suggest no properties of theirs. */
type NoTool =
  | Tool<never, never, unknown>
  | ToolCall<never, never, unknown>
  | Readonly<Record<Effect.EffectTypeId, unknown>>
  | Readonly<Record<Layer.LayerTypeId, unknown>>
  | Readonly<Record<typeof Symbol.toStringTag, unknown>>
  | OfEffectAi
  | AnyCode
  | (abstract new(...args: never) => unknown)

type OfEffectAi = Readonly<Record<AiTool.TypeId, unknown>> | Readonly<Record<AiTool.ProviderDefinedTypeId, unknown>>

type LooseAt<T, K> = K extends "on" | "after" ? LooseEach<T>
  : K extends "choices" ? LooseChoices<T>
  : Loose<T>

/** Choices are a list or a function, or an object with field names as keys. */
type LooseChoices<T> = T extends AnyCode | ReadonlyArray<unknown> ? Loose<T> : LooseEach<T>

/** The keys of handlers are event names or time spans. */
type LooseEach<T> = { [K in keyof T]: Loose<T[K]> }

// -----------------------------------------------------------------------------
// The parts of a definition
// -----------------------------------------------------------------------------

type InstructionFaults<O, D, C> = Faults<
  { readonly [K in keyof O]: K extends "if" ? ConditionFaults<O[K], D, C> : Plain<K, Instruction<{}, {}>> }
>

type Predicates<D, C> = Predicate<D, C> | ReadonlyArray<Predicate<D, C>>

export type ConditionFaults<V, D, C> = [V] extends [Predicates<D, C> | undefined] ? never
  : V extends ReadonlyArray<unknown> ? EachFaults<{ readonly [I in keyof V]: ConditionFault<V[I], D, C> }>
  : ConditionFault<V, D, C>

type ConditionFault<V, D, C> = ValueFaults<
  V,
  Predicate<D, C>,
  "a condition in code is a function of the turn that returns true or false: words stand in \"when\""
>

/** The fault of a condition on the result of a call. */
export type ResultConditionFaults<F, D, C> = ValueFaults<
  F,
  (ctx: CallContext<D, C>) => Returned<boolean, never, never>,
  "a condition on a result is a function of the turn that returns true or false"
>

type BranchFaults<O, D, C> = Faults<
  {
    readonly [K in keyof O]: K extends "if" ? ConditionFaults<O[K], D, C>
      : K extends "then" ? WrongDirective<O[K], D, C>
      : Plain<K, Branch<{}, {}>>
  }
>

/** The fault of a value in place of a tool. */
type NoToolFaults<O, D, C> = O extends Tool<never, never, unknown> ? O extends Tool<D, C, unknown> ? never
  : Wrong<"this tool is of another kit, whose data or context are others: make it with this agent's kit">
  : O extends OfEffectAi ? Wrong<"a tool of @effect/ai stands in a toolkit: write toolkits: [Toolkit.make(tool)]">
  : O extends AnyEffect
    ? O extends { readonly tools: unknown } ?
      Wrong<"a toolkit of @effect/ai stands in toolkits: write toolkits: [toolkit]">
    : Wrong<"this is an Effect that has not run: run it before, with yield*, and give its result">
  : Wrong<"a tool is what kit.tool makes, or an object { id, handler }">

export type ToolFaults<O, D, C> = O extends Tool<never, never, unknown> ? never
  : Faults<
    {
      readonly [K in keyof O]: K extends "handler" ? CodeFaults<
          O[K],
          (...args: never) => Returned<ToolAnswer<O, D, C>>,
          WrongOutput<GivenBy<O[K]>, D, C> | WrongAnswer<GivenBy<O[K]>, SuccessOf<O>>,
          "a handler is a function of the arguments that returns the result"
        >
        : K extends "checkPermissions" ? ValueFaults<
            O[K],
            (...args: never) => Returned<Permission<D, C>>,
            "checkPermissions is a function that returns true, false, or { allowed, reason }"
          >
        : K extends "needsApproval" ? ValueFaults<
            O[K],
            ApprovalNeed | ((...args: never) => Returned<ApprovalNeed>),
            "needsApproval is true, false or { reason, by }, or a function that returns one of these"
          >
        : K extends "validateInput" ? PromiseOr<GivenBy<O[K]>, never>
        : K extends "policies" ? PoliciesFaults<O[K], NamesOfTool<D, ParameterOf<O>>>
        : Plain<K, ToolOptions<{}, {}>>
    }
  >

type SuccessOf<O> = O extends { readonly success: { readonly Type: infer A } } ? A : never

type ParameterOf<O> = O extends { readonly parameters: infer P } ? keyof P : never

type ToolAnswer<O, D, C> =
  | ToolOutput<D, C>
  | (O extends { readonly success: { readonly Type: infer A } } ? A
    : O extends { readonly handler: infer F } ? Exclude<GivenBy<F>, MeantAsOutput>
    : never)

export type SignalFaults<O, D, C> = O extends Signal<never, never, unknown> ? never
  : Faults<
    {
      readonly [K in keyof O]: K extends "handler" ? CodeFaults<
          O[K],
          (...args: never) => Returned<SignalDirective<D, C, Tool<D, C>> | undefined | void>,
          WrongDirective<GivenBy<O[K]>, D, C>,
          "a handler is a function of the turn that returns a directive or nothing"
        >
        : K extends "if" ? ConditionFaults<O[K], D, C>
        : Plain<K, SignalOptions<{}, {}>>
    }
  >

type PartFaults<O, D, C, Ev, Kind, Agent> = IsAny<O> extends true ? never
  : O extends string ? never
  : Kind extends "steps" ? StepFaults<O, D, C, Ev>
  : Kind extends "flows" ? FlowFaults<O, D, C, Ev, Agent>
  : Kind extends "branches" ? BranchFaults<O, D, C>
  : Kind extends "instructions" ? InstructionFaults<O, D, C>
  : Kind extends "tools" ? O extends NoTool ? NoToolFaults<O, D, C> : ToolFaults<O, D, C>
  : SignalFaults<O, D, C>

/** A literal list is checked element by element, so that the error appears at the wrong element. */
type ListFaults<L, D, C, Ev, Kind, Agent> = IsAny<L> extends true ? never
  : L extends ReadonlyArray<unknown> ? number extends L["length"] ? ArrayFaults<L, D, C, Ev, Kind, Agent>
    : Kind extends "flows" | "steps" | "tools" | "signals" ?
      NamedFaults<L, D, C, Ev, Kind, Agent, RepeatFaults<L, Kind>>
    : EachFaults<{ readonly [I in keyof L]: PartFaults<L[I], D, C, Ev, Kind, Agent> }>
  : never

/** The faults of parts that are told apart by their names. `Repeats` are the faults of the names. */
type NamedFaults<L extends ReadonlyArray<unknown>, D, C, Ev, Kind, Agent, Repeats> = EachFaults<
  { readonly [I in keyof L]: PartFaults<L[I], D, C, Ev, Kind, Agent> | Repeats[I & keyof Repeats] }
>

/** The names by which the parts of a list are told apart. */
type NamesOf<X, Kind> = IsAny<X> extends true ? never
  :
    | (X extends { readonly id: infer I } ? Named<"id", I> : never)
    | (X extends { readonly title: infer T } ? Kind extends "flows" ? Named<"title", T> : never : never)

/** The name; `never` if it is not certain, as a template's. */
type Named<Key extends string, N> = {} extends Record<N & string, 1> ? never : `${Key} "${Certain<N> & string}"`

/** For each element of a list: its fault if an element before it has the same name, else `never`. */
type RepeatFaults<L, Kind, Seen = never, Out extends ReadonlyArray<unknown> = []> = L extends
  readonly [infer X, ...infer More] ?
  NamesOf<X, Kind> extends infer N ? RepeatFaults<More, Kind, Seen | N, [...Out, Repeated<N & Seen, Kind>]>
  : never
  : Out

type Repeated<N, Kind> = [N] extends [never] ? never
  : Wrong<`another of these ${Kind & string} has the ${N & string}: leave one out, or rename it`>

/** A list that contains a spread has no fixed positions; `make` checks it at run time. */
type ArrayFaults<L extends ReadonlyArray<unknown>, D, C, Ev, Kind, Agent> = L extends
  readonly [unknown, ...ReadonlyArray<unknown>] | readonly [...ReadonlyArray<unknown>, unknown] ? never
  : unknown extends ElementFaults<L[number], D, C, Ev, Kind, Agent> ? never
  : ReadonlyArray<ElementFaults<L[number], D, C, Ev, Kind, Agent>>

/** Elements of several types are not checked if one of these types is right. */
type ElementFaults<X, D, C, Ev, Kind, Agent> = X extends unknown ? OrUnknown<PartFaults<X, D, C, Ev, Kind, Agent>>
  : never

type HooksFaults<O, D, C, T, Pre, N extends keyof D = never> = IsAny<O> extends true ? never
  : O extends Primitive | AnyCode ? NoRecord<O, "hooks has the hooks by name: write { onEnter: … }">
  : Faults<
    {
      readonly [K in keyof O]: K extends KeyOf<T>
        ? K extends Pre ? HookFaults<O[K], D, C, PreDirective<D, C, Tool<D, C>>, N>
        : HookFaults<O[K], D, C, Directive<D, C>, N>
        : UnknownKey<K, KeyOf<T>>
    }
  >

type NoRecord<O, Sentence extends string> = O extends undefined ? never : Wrong<Sentence>

/** Handlers by event name: each name must be an event of the agent, each value a target, a directive or code. */
type HandlersFaults<O, D, C, Ev> = IsAny<O> extends true ? never
  : O extends Primitive | AnyCode ? NoRecord<O, "on has what follows by event: write { \"order.paid\": … }">
  : Faults<
    {
      readonly [K in keyof O]: K extends keyof Ev ? ThenFaults<O[K], D, C>
        : NoSuch<"the agent has no event", K, keyof Ev>
    }
  >

type AfterFaults<O, D, C> = IsAny<O> extends true ? never
  : O extends Primitive | AnyCode ? NoRecord<O, "after has what follows by span of time: write { \"5 minutes\": … }">
  : Faults<
    {
      readonly [K in keyof O]: K extends Span ? ThenFaults<O[K], D, C>
        : Wrong<`no span of time is "${K & string}": write a number and a unit, as "5 minutes"`>
    }
  >

export type ThenFaults<O, D, C> = O extends AnyCode ? CodeFaults<
    O,
    (...args: never) => Returned<Directive<D, C> | undefined | void>,
    WrongDirective<GivenBy<O>, D, C>,
    ThenSentence
  >
  : O extends string | undefined ? never
  : O extends Primitive ? Wrong<ThenSentence>
  : WrongDirective<O, D, C>

type ThenSentence = "this is a step, a flow, a directive, or a function of the turn that returns a directive or nothing"

type ChoicesFaults<V, D, C> = V extends Primitive | AnyCode | Unready | ReadonlyArray<unknown> ? ListedFaults<V, D, C>
  : Faults<
    { readonly [K in keyof V]: K extends keyof D ? ListedFaults<V[K], D, C> : UnknownField<K, keyof D> }
  >

export type ListedFaults<V, D, C> = ValueFaults<
  V,
  Choices<D, C>,
  "choices are a list of texts, numbers or { value, label }, or a function of the turn that returns one"
>

type TextFaults<V, D, C, N extends keyof D = never> = V extends Primitive | AnyCode | Unready | ReadonlyArray<unknown>
  ? ValueFaults<
    V,
    Template<D, C, N>,
    "this is a text, texts by locale, or a function of the turn that always returns a text"
  >
  : Faults<{ readonly [K in keyof V]: LocaleFaults<V[K], D, C, N> }>

type LocaleFaults<V, D, C, N extends keyof D> = V extends Texts<D, C, N>[string] | undefined ? never
  : Wrong<
    "a text by locale is a text, or a function that returns one at once: for an Effect, write one function for all locales, with Locale.pick"
  >

/** Values whose result is not there yet. */
type Unready = AnyEffect | PromiseLike<unknown>

export type PromptFaults<V, D, C, N extends keyof D = never> = ValueFaults<
  V,
  Template<D, C, N>,
  "this is a text, or a function of the turn that always returns one"
>

/** The fault of a step's `call`: the tool itself in place of its call is the usual one. */
type CallFaults<V, D, C> = V extends ToolCall<D, C, unknown> | undefined ? never
  : V extends { readonly with: unknown } ? Wrong<"call takes the tool with its arguments: write tool.with({ … })">
  : Wrong<"call takes a tool of this kit with its arguments: make it with kit.tool, and write tool.with({ … })">

type SaidFaults<V, D, C, N extends keyof D> = V extends true ? never : TextFaults<V, D, C, N>

/** The names that policies may use. */
interface Names {
  /** The fields of the data. */
  readonly field: PropertyKey
  /** The arguments of the calls that the policies are about. */
  readonly argument: PropertyKey
  /** The arguments of the calls that conditions name, in `with`. */
  readonly with: PropertyKey
  /** The beginning of the sentence about an argument that no tool has. */
  readonly what: string
}

/** The names for the policies of one tool. */
interface NamesOfTool<D, A extends PropertyKey> extends Names {
  readonly field: keyof D
  readonly argument: A
  readonly what: "the tool has no argument"
}

/** The names for the policies of an agent or a flow, from the agent's options. */
interface NamesOfAgent<D, O> extends Names {
  readonly field: keyof D
  readonly argument: ArgumentsIn<O> & string
  readonly with: ArgumentsIn<O> & string
  readonly what: "no tool of the agent has the argument"
}

/** The names of the arguments of an agent's tools; any text if one's are not known. */
type ArgumentsIn<O> = unknown extends O ? string
  : O extends { readonly toolkits: unknown } ? string
  : ArgumentsOf<At<O, "tools">> | ArgumentsOfFlows<At<O, "flows">>

// Each type distributes over `never`, which `At` gives for a missing option: inference from `never` would give any name.
type ArgumentsOfFlows<L> = L extends ReadonlyArray<infer F>
  ? F extends unknown ? ArgumentsOf<At<F, "tools">> | ArgumentsOfSteps<At<F, "steps">> : never
  : never

type ArgumentsOfSteps<L> = L extends ReadonlyArray<infer S>
  ? S extends unknown ? ArgumentsOf<At<S, "tools">> | ArgumentsOfCall<At<S, "call">> : never
  : never

type ArgumentsOfCall<V> = V extends ToolCall<infer _D, infer _C, infer _R, infer A> ? A : never

type At<O, K extends string> = O extends { readonly [P in K]?: infer V } ? V : never

type ArgumentsOf<L> = L extends ReadonlyArray<infer X> ? X extends unknown ? ArgumentsOfTool<X> : never : never

type ArgumentsOfTool<X> = IsAny<X> extends true ? string
  : X extends string ? never
  : X extends Tool<never, never, unknown> ? X[ToolTypeId] extends { readonly _A: () => infer A } ? A : string
  : X extends { readonly parameters: infer P } ? keyof P & string
  : never

/** The faults of policies. Types that are no literals are not searched: `make` checks their names. */
type PoliciesFaults<L, N extends Names> = [ReadonlyArray<Policy>] extends [L] ? never
  : L extends ReadonlyArray<unknown> ? EachFaults<{ readonly [I in keyof L]: RuleFaults<L[I], N> }>
  : never

type RuleFaults<V, N extends Names> = [Policy] extends [V] ? never
  : [Rule] extends [V] ? never
  : Faults<
    {
      readonly [K in keyof V]: K extends "onlyIf" ? PolicyFaults<V[K], N>
        : K extends "per" ? ArgumentFaults<V[K], N>
        : Plain<K, Policy>
    }
  >

type PolicyFaults<V, N extends Names> = [Condition] extends [V] ? never
  : [Ref] extends [V] ? never
  : V extends Primitive ? never
  : V extends ReadonlyArray<unknown> ? EachFaults<{ readonly [I in keyof V]: PolicyFaults<V[I], N> }>
  : Faults<
    {
      readonly [K in keyof V]: K extends "value" ? never
        : K extends "field" ? NameFaults<V[K], N["field"], N["field"], "the schema has no field", N>
        : K extends "argument" ? ArgumentFaults<V[K], N>
        : K extends "with" ? WithFaults<V[K], N>
        : PolicyFaults<V[K], N>
    }
  >

type ArgumentFaults<V, N extends Names> = NameFaults<
  V,
  N["argument"] | `${N["argument"] & string}.${string}`,
  N["argument"],
  N["what"],
  N
>

type WithFaults<V, N extends Names> = Faults<
  { readonly [K in keyof V]: K extends N["with"] ? PolicyFaults<V[K], N> : NoSuch<N["what"], K, N["with"]> }
>

/**
 * The fault of a name that is none of `Right`, or of a list of names. A value of a predicate may be called `field`: it
 * is no name.
 */
type NameFaults<V, Right, Known, What extends string, N extends Names> = V extends string
  ? string extends V ? never : V extends Right ? never : NoSuch<What, V, Known>
  : V extends ReadonlyArray<string> ? EachFaults<{ readonly [I in keyof V]: NameFaults<V[I], Right, Known, What, N> }>
  : PolicyFaults<V, N>

/**
 * The keys whose values are checked: those with code (`CodeKey`), `on`, `after`, `choices` and `call`, which have code
 * inside, and `policies`, which name fields.
 */
type Keyed = HookKey | HandlerKey | "on" | "after" | "choices" | "policies" | "call"

/** The faults at keys that agents, flows and steps share. `Agent` are the agent's options, `unknown` outside of them. */
type CommonFaults<V, D, C, Ev, K, Agent = unknown> = K extends
  "flows" | "steps" | "branches" | "instructions" | "tools" | "signals" ? ListFaults<V, D, C, Ev, K, Agent>
  : K extends "on" ? HandlersFaults<V, D, C, Ev>
  : K extends "after" ? AfterFaults<V, D, C>
  : K extends "persona" ? PromptFaults<V, D, C>
  : K extends "if" | "skip" | "until" | "isComplete" ? ConditionFaults<V, D, C>
  : K extends "choices" ? ChoicesFaults<V, D, C>
  : K extends "onInterrupt" ? ValueFaults<
      V,
      OnInterrupt<D, C>,
      "onInterrupt is \"suspend\", \"drop\" or \"complete\", or a function of the turn that returns one of these"
    >
  : K extends "policies" ? PoliciesFaults<V, NamesOfAgent<D, Agent>>
  : never

export type StepFaults<O, D, C, Ev, N extends keyof D = never> = Faults<
  {
    readonly [K in keyof O]: K extends keyof Step<{}, {}> & Keyed ? K extends "prompt" ? PromptFaults<O[K], D, C, N>
      : K extends "call" ? CallFaults<O[K], D, C>
      : K extends "reply" ? TextFaults<O[K], D, C, N>
      : K extends "confirm" ? SaidFaults<O[K], D, C, N>
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

export type FlowFaults<O, D, C, Ev, Agent = unknown> = Faults<
  {
    readonly [K in keyof O]: K extends keyof Flow<{}, {}> & Keyed ? K extends "onComplete" | "onCorrect" ? CodeFaults<
          O[K],
          string | Hook<D, C>,
          WrongDirective<GivenBy<O[K]>, D, C>,
          "this is a name, or a function of the turn that returns a directive or nothing"
        >
      : K extends "onResume" ? HookFaults<O[K], D, C, PreDirective<D, C, Tool<D, C>>>
      : K extends "hooks" ? HooksFaults<O[K], D, C, FlowHooks<{}, {}>, "onEnter" | "onResume">
      : CommonFaults<O[K], D, C, Ev, K, Agent>
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
      : CommonFaults<O[K], D, C, Ev, K, O>
      : Plain<K, AgentOptions<{}, {}>>
  }
>

type GuardrailFaults<O, D, C> = Faults<
  {
    readonly [K in keyof O]: K extends "reply" ? TextFaults<O[K], D, C>
      : K extends "if" ? ConditionFaults<O[K], D, C>
      : K extends "check" ? ValueFaults<
          O[K],
          (...args: never) => Returned<Finding | undefined | void>,
          "a check is a function of the text that returns { reason }, or nothing to let it pass"
        >
      : K extends "rewrite" ? ValueFaults<
          O[K],
          (...args: never) => Returned<string>,
          "rewrite is a function of the text that returns the changed text"
        >
      : Plain<K, Guardrail>
  }
>

type ChecksFaults<L, D, C> = L extends ReadonlyArray<unknown>
  ? EachFaults<{ readonly [I in keyof L]: GuardrailFaults<L[I], D, C> }>
  : never

type GuardrailsFaults<O, D, C> = IsAny<O> extends true ? never : Faults<
  { readonly [K in keyof O]: K extends "reply" ? TextFaults<O[K], D, C> : ChecksFaults<O[K], D, C> }
>

type IdleFaults<O, D, C> = O extends string ? never : Faults<
  { readonly [K in keyof O]: K extends "prompt" ? PromptFaults<O[K], D, C> : UnknownKey<K, "prompt"> }
>

type UnderstandingFaults<O, D, C> = Faults<
  {
    readonly [K in keyof O]: K extends "instructions" ? PromptFaults<O[K], D, C>
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
  : OrUnknown<PoliciesFaults<L, NamesOfTool<D, keyof P>>>

/** The check of the keys `K` of options that are no literal of their own; `T` are the options. */
export type CheckedKeys<K extends PropertyKey, T> = {
  readonly [P in K]?: P extends keyof T ? unknown : {} extends Record<P, 1> ? unknown : UnknownKey<P, keyof T>
}

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

// The checks of literals that may name code. A name is right at every place that takes it.

export type CheckedNamedInstruction<O, D, C> = [Loose<Nameable<Instruction<D, C>>>] extends [O] ? unknown
  : [O] extends [infer P] ? OrUnknown<InstructionFaults<Filled<P>, D, C>>
  : never

export type CheckedNamedStep<O, D, C, Ev, N extends keyof D> = [Loose<Nameable<Step<D, C, Ev, N>>>] extends [O] ?
  unknown
  : [O] extends [infer P] ? OrUnknown<StepFaults<Filled<P>, D, C, Ev, N>>
  : never

export type CheckedNamedFlow<O, D, C, Ev> = [Loose<Nameable<Flow<D, C, Ev>>>] extends [O] ? unknown
  : [O] extends [infer P] ? OrUnknown<FlowFaults<Filled<P>, D, C, Ev>>
  : never

export type CheckedNamedAgent<O, D, C, Ev> = [Loose<Nameable<AgentOptions<D, C, Ev>>>] extends [O] ? unknown
  : [O] extends [infer P] ? OrUnknown<AgentFaults<FilledAgent<P>, D, C, Ev>>
  : never
