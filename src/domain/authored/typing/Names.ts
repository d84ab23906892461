/**
 * Types for literals that name their code: `{ hook: "book" }` in place of a function. The names are in the literal's
 * type, from which `Code.ts` has the type of the code.
 */
import type * as Effect from "effect/Effect"
import type { AgentHooks } from "../AgentOptions.js"
import type { FlowHooks } from "../Flow.js"
import type { Signal } from "../Signal.js"
import type { StepHooks } from "../Step.js"
import type { Tool, ToolCall } from "../Tool.js"
import type { RequirementOf } from "./Requirements.js"
import type { Primitive } from "./Wrong.js"

declare const NamedCodeId: unique symbol

/**
 * Code that a definition names: a section of the code, a name in it, and the places where the definition uses it. Tools
 * and signals that are declared without a handler require it like a service.
 */
export interface NamedCode<out Section, out Name, out As> {
  readonly [NamedCodeId]: { readonly section: Section; readonly name: Name; readonly as: As }
}

/** The place of a tool's handler. `A` are its arguments; `S` is the type that its `success` encodes. */
export interface ToolHandler<A, S> {
  readonly arguments: A
  readonly success: S
}

/** The place of a signal's handler, which gets a value of type `X`. */
export interface SignalHandler<X> {
  readonly extracted: X
}

type Ref<K extends string, N extends string = string> = { readonly [P in K]: N }

type Opaque =
  | Primitive
  | ((...args: ReadonlyArray<never>) => unknown)
  | Effect.Effect<unknown, unknown, unknown>
  | Tool<never, never, unknown>
  | Signal<never, never, unknown>
  | ToolCall<never, never, unknown>

/** Keys whose values are parts with names. */
type PartKey =
  | "flows"
  | "steps"
  | "branches"
  | "hooks"
  | "idle"
  | "understanding"
  | "handOff"
  | "guardrails"
  | "files"
  | "consent"
  | "migrations"
  | "earlier"
type HookKey =
  | keyof StepHooks<{}, {}>
  | keyof FlowHooks<{}, {}>
  | keyof AgentHooks<{}, {}>
  | "onInterrupt"
  | "onCorrect"
  | "handler"
type PredicateKey = "if" | "skip" | "until" | "isComplete"
type TextKey = "persona" | "prompt" | "reply" | "confirm"
type ValueKey = "contextProvider" | "shortlist" | "knowledge" | "check" | "rewrite" | "caption" | "recognise"
/** The steps of migrations have versions as keys. */
type VersionKey = number | `${number}`
type Outcome = "ok" | "denied" | "invalid" | "failed"

/** Lists whose elements may be names: the section of each, and its key. */
interface Listed {
  readonly signals: "signal"
  readonly toolkits: "toolkit"
  readonly input: "guardrail"
  readonly output: "guardrail"
  readonly toolResults: "guardrail"
}

// -----------------------------------------------------------------------------
// Options that take names
// -----------------------------------------------------------------------------

/** The same options, which also take names. `Loose` lets the other keys take any value at first. */
export type Nameable<T> = T extends Opaque ? T
  : T extends ReadonlyArray<infer X> ? ReadonlyArray<Nameable<X>>
  : { [K in keyof T]: NameableAt<T[K], K> }

type NameableAt<V, K> = K extends PartKey | "instructions" ? Nameable<V>
  : K extends "tools" ? V extends ReadonlyArray<infer X> ? ReadonlyArray<X | string> : V
  : K extends keyof Listed ? V extends ReadonlyArray<infer X> ? ReadonlyArray<Nameable<X> | Ref<Listed[K]>> : V
  : K extends "when" ?
    V extends { readonly all: ReadonlyArray<infer X> } ? { readonly all: ReadonlyArray<X | Ref<"predicate">> }
    : V
  : K extends "handler" ? V | Ref<"hook">
  : K extends ValueKey | VersionKey ? V | Ref<"value">
  : K extends "policyPredicates" ? { [P in keyof V]: V[P] | Ref<"value"> }
  : K extends "then" ? NameableThen<V>
  : K extends Outcome ? V extends ReadonlyArray<infer X> ? ReadonlyArray<NameableResult<X>> : V
  : V

/** The targets of a step's call, which have conditions; not the target of a branch. */
type NameableThen<V> = V extends { readonly goTo?: unknown } | string ? V : Nameable<V>

type NameableResult<B> = {
  [K in keyof B]: K extends "if" ? B[K] | Ref<"predicate"> | ReadonlyArray<Extract<B[K], Opaque> | Ref<"predicate">>
    : B[K]
}

// -----------------------------------------------------------------------------
// The literal without its names
// -----------------------------------------------------------------------------

/** The literal with `never` in place of names, for the checks of its other parts. */
export type Filled<T> = T extends Opaque ? T
  : unknown extends T ? T
  : T extends ReadonlyArray<unknown> ? { readonly [I in keyof T]: Filled<T[I]> }
  : { readonly [K in keyof T]: FilledAt<T[K], K> }

/** The arguments of an agent's named tools are not known. */
export type FilledAgent<T> = {
  readonly [K in keyof T]: K extends "tools" ? { readonly [I in keyof T[K]]: Tooled<T[K][I]> } : FilledAt<T[K], K>
}

type Tooled<X> = X extends string ? Tool<unknown, unknown> : X

type FilledAt<V, K> = K extends PartKey ? Filled<V>
  : K extends HookKey ? Without<V, "hook">
  : K extends PredicateKey ? Predicates<V>
  : K extends TextKey ? Each<V, "template">
  : K extends "instructions" ? V extends ReadonlyArray<unknown> ? Filled<V> : Without<V, "template">
  : K extends "on" | "after" | "choices" ? Each<V, "hook">
  : K extends "signals" ? { readonly [I in keyof V]: Filled<Without<V[I], "signal">> }
  : K extends "input" | "output" | "toolResults" ? { readonly [I in keyof V]: Filled<Without<V[I], "guardrail">> }
  : V

type Without<V, K extends string> = V extends Ref<K> ? never : V

type Predicates<V> = V extends ReadonlyArray<unknown> ? { readonly [I in keyof V]: Without<V[I], "predicate"> }
  : Without<V, "predicate">

/** Texts by locale, handlers by event and choices by field have their names one level deeper. */
type Each<V, K extends string> = V extends Opaque | ReadonlyArray<unknown> ? V
  : V extends Ref<K> ? never
  : { readonly [P in keyof V]: Without<V[P], K> }

// -----------------------------------------------------------------------------
// The names of a literal
// -----------------------------------------------------------------------------

/** The sections and names that an agent's options use, each name with its places. One pass, whatever their number. */
export type NamesIn<O> = BySection<
  | Names<O>
  | (O extends { readonly tools: ReadonlyArray<infer X> } ? ToolName<X, "whole"> : never)
  | Extract<RequirementOf<O>, NamedCode<unknown, unknown, unknown>>
>

type BySection<U> = {
  readonly [X in U as X extends NamedCode<infer S extends string, unknown, unknown> ? S : never]: X
} extends infer Sections ? { readonly [S in keyof Sections]: ByName<Sections[S]> } : never

type ByName<U> = {
  readonly [X in U as X extends NamedCode<unknown, infer N extends string, unknown> ? N : never]: X extends
    NamedCode<unknown, unknown, infer As> ? As : never
}

type Names<T, Turn = "turn"> = T extends Opaque ? never
  : unknown extends T ? never
  : T extends ReadonlyArray<infer X> ? Names<X, Turn>
  : { [K in keyof T]-?: NamesAt<T[K], K, Turn> }[keyof T]

type NamesAt<V, K, Turn> = K extends PartKey ? Names<V, Turn>
  : K extends HookKey ? HookName<V, K>
  : K extends PredicateKey ? V extends ReadonlyArray<infer X> ? PredicateName<X, Turn> : PredicateName<V, Turn>
  : K extends TextKey ? TextName<V>
  : K extends "instructions" ? V extends ReadonlyArray<infer X> ? Names<X> : TemplateName<V>
  : K extends "on" ? { [E in keyof V]-?: HookName<V[E], { readonly on: E }> }[keyof V]
  : K extends "after" ? HookName<V[keyof V], K>
  : K extends "choices" ? V extends Opaque | ReadonlyArray<unknown> ? never : HookName<V | V[keyof V], K>
  : K extends "when" ? V extends { readonly all: ReadonlyArray<infer X> } ? PredicateName<X, Turn> : never
  : K extends "then" ?
    V extends string ? never : { [O in keyof V & Outcome]-?: Names<V[O], "result"> }[keyof V & Outcome]
  : K extends "tools" ? V extends ReadonlyArray<infer X> ? ToolName<X, "maybe"> : never
  : K extends keyof Listed ? V extends ReadonlyArray<infer X> ? ListedName<X, Listed[K]> | Names<X> : never
  : K extends ValueKey ? ValueName<V, K>
  : K extends VersionKey ? ValueName<V, "migration">
  : K extends "policyPredicates" ? ValueName<V[keyof V], K>
  : never

type HookName<V, As> = V extends Ref<"hook", infer N> ? NamedCode<"hooks", N, As> : never
type PredicateName<V, Turn> = V extends Ref<"predicate", infer N> ? NamedCode<"predicates", N, Turn> : never
/** Knowledge is JSON, which is only a name if it has no other key. */
type ValueName<V, As> = V extends Ref<"value", infer N>
  ? [keyof V] extends ["value"] ? NamedCode<"values", N, As> : never
  : never
type TemplateName<V> = V extends Ref<"template", infer N> ? NamedCode<"templates", N, "text"> : never
type TextName<V> = V extends Opaque ? never : TemplateName<V | V[keyof V]>
/** `"maybe"` marks a name that may also be the id of a tool. */
type ToolName<X, As> = X extends string ? NamedCode<"tools", X, As> : never
type ListedName<X, K extends string> = X extends Ref<K, infer N> ? NamedCode<`${K}s`, N, "whole"> : never
