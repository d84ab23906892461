/** The errors and services of a definition's code, read from the type of its literal. */
import type * as AiTool from "@effect/ai/Tool"
import type * as Effect from "effect/Effect"
import type { HandlerKey, HookKey } from "../../code/CodeKey.js"
import type { Signal } from "../Signal.js"
import type { Tool, ToolCall } from "../Tool.js"
import type { Primitive } from "./Wrong.js"

/** Keys of code whose failures fail the turn; the keys in `on`, `after` and `choices` are names. */
type Hooks = HookKey | "when" | "all" | "contextProvider"
type HandlerRecordKey = "on" | "after" | "choices"
type Searched = Hooks | Handlers | HandlerRecordKey

/** Keys of code whose errors do not fail the turn, but whose services the agent needs. */
type Handlers = HandlerKey | "toolkits"

type AnyCode = (...args: ReadonlyArray<never>) => unknown
type AnyEffect = Effect.Effect<unknown, unknown, unknown>

/** Marks code whose errors do not fail the turn: only its required services become those of the agent. */
interface Handling<Code> {
  readonly code: Code
}

/** The Effects that a definition's code is or returns. `any` has every key, so it is not searched. */
type EffectsIn<T> = T extends Primitive ? never
  : T extends (...args: ReadonlyArray<never>) => infer R ? EffectOf<R>
  : unknown extends T ? never
  : T extends ReadonlyArray<infer X> ? EffectsIn<X>
  : T extends AnyEffect ? T
  : { [K in keyof T & Searched]: EffectsAt<T[K], K> }[keyof T & Searched]

type EffectsAt<V, K> = K extends Handlers ? Handling<EffectsIn<V>>
  : K extends HandlerRecordKey ? V extends AnyCode | ReadonlyArray<unknown> ? CodeEffect<V> : CodeEffect<V[keyof V]>
  : EffectsIn<V>

type EffectOf<R> = unknown extends R ? never : Extract<R, AnyEffect>

type CodeEffect<F> = F extends (...args: ReadonlyArray<never>) => infer R ? EffectOf<R> : EffectOf<F>

type OpaqueIn<T> = T extends { readonly tools?: infer A; readonly signals?: infer B; readonly flows?: infer F }
  ? RequirementsOf<A> | RequirementsOf<B> | OpaqueInFlows<F>
  : never
type OpaqueInFlows<F> = F extends ReadonlyArray<infer X>
  ? X extends { readonly tools?: infer A; readonly steps?: infer S } ? RequirementsOf<A> | OpaqueInSteps<S> : never
  : never
type OpaqueInSteps<S> = S extends ReadonlyArray<infer X> ?
    | (X extends { readonly tools?: infer A } ? RequirementsOf<A> : never)
    | (X extends { readonly call: ToolCall<infer _D, infer _C, infer R, infer _A> } ? R : never)
  : never
type RequirementsOf<A> = A extends ReadonlyArray<infer X>
  // Inference from the `never` of an empty list would give `unknown`.
  ? [X] extends [never] ? never
  : X extends Tool<infer _D, infer _C, infer R> ? R
  : X extends Signal<infer _D, infer _C, infer R> ? R
  : never
  : never

type ToolkitRequirements<T> = T extends { readonly toolkits: ReadonlyArray<infer K> }
  ? K extends Effect.Effect<infer H, unknown, unknown>
    ? H extends { readonly tools: infer Tools } ? AiTool.Requirements<Tools[keyof Tools]> : never
  : never
  : never

/** A definition, and its earlier definitions. */
type Versions<O> =
  | O
  | (O extends { readonly migrations: { readonly earlier: ReadonlyArray<infer Earlier> } } ? Earlier : never)

/** The errors of a definition's hooks, templates and providers. */
export type FailureOf<O> = FailureIn<EffectsIn<Versions<O>>>
type FailureIn<X> = X extends Effect.Effect<infer _A, infer E, infer _R> ? E : never

/** The services that the code of a definition needs. */
export type RequirementOf<O> =
  | RequirementIn<EffectsIn<Versions<O>>>
  | OpaqueIn<Versions<O>>
  | ToolkitRequirements<Versions<O>>
type RequirementIn<X> = X extends Handling<infer Y> ? RequirementIn<Y>
  : X extends Effect.Effect<infer _A, infer _E, infer R> ? R
  : never

/** The services that one callback's result needs. */
export type ReturnedRequirement<A> = 0 extends 1 & A ? never
  : A extends Effect.Effect<infer _A, infer _E, infer R> ? R
  : never
