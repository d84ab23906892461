/**
 * The errors and services of a definition's code, read from the type of its literal.
 *
 * @since 0.1.0
 */
import type * as AiTool from "@effect/ai/Tool"
import type * as Effect from "effect/Effect"
import type { HandlerKey, HookKey } from "../../code/CodeKey.js"
import type { Signal } from "../Signal.js"
import type { Tool, ToolCall } from "../Tool.js"

/** Keys of code whose failures fail the turn. */
type Hooks = HookKey | "when" | "all" | "on" | "after" | "choices" | "contextProvider"

/** Keys of code whose failures do not fail the turn, but whose requirements belong to the agent. */
type Handlers = HandlerKey | "toolkits"

type AnyEffect = Effect.Effect<unknown, unknown, unknown>

// `any` has every key, each of type `any` again, so the recursion would not end.
type EffectsIn<T, Keys extends string> = 0 extends 1 & T ? never
  : T extends AnyEffect ? T
  : T extends (...args: ReadonlyArray<never>) => infer R ? 0 extends 1 & R ? never : Extract<R, AnyEffect>
  : T extends ReadonlyArray<infer X> ? EffectsIn<X, Keys>
  : T extends object ?
      | { [K in keyof T & Keys]: EffectsIn<T[K], Keys> }[keyof T & Keys]
      | ("on" extends Keys ? EffectsInEach<T, "on" | "after" | "choices"> : never)
  : never

/** Handlers are keyed by event name or time span, choices by field. */
type EffectsInEach<T, Keys extends "on" | "after" | "choices"> = Keys extends unknown
  ? T extends { readonly [K in Keys]: infer H } ? { [K in keyof H]: EffectsIn<H[K], never> }[keyof H] : never
  : never

type OpaqueIn<T> = T extends { readonly tools?: infer A; readonly signals?: infer B; readonly flows?: infer F }
  ? RequirementsOf<A> | RequirementsOf<B> | OpaqueInFlows<F>
  : never
type OpaqueInFlows<F> = F extends ReadonlyArray<infer X>
  ? X extends { readonly tools?: infer A; readonly steps?: infer S } ? RequirementsOf<A> | OpaqueInSteps<S> : never
  : never
type OpaqueInSteps<S> = S extends ReadonlyArray<infer X> ?
    | (X extends { readonly tools?: infer A } ? RequirementsOf<A> : never)
    | (X extends { readonly call: ToolCall<infer _D, infer _C, infer R> } ? R : never)
  : never
type RequirementsOf<A> = A extends ReadonlyArray<infer X>
  // Inferring from the `never` of an empty list would give `unknown`.
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

/**
 * The errors of a definition's hooks, templates and providers.
 *
 * @since 0.1.0
 * @category type extractors
 */
export type FailureOf<O> = EffectsIn<O, Hooks> extends infer X
  ? X extends Effect.Effect<infer _A, infer E, infer _R> ? E : never
  : never

/**
 * The services that the code of a definition needs.
 *
 * @since 0.1.0
 * @category type extractors
 */
export type RequirementOf<O> =
  | (EffectsIn<O, Hooks | Handlers> extends infer X ? X extends Effect.Effect<infer _A, infer _E, infer R> ? R : never
    : never)
  | OpaqueIn<O>
  | ToolkitRequirements<O>

/**
 * The requirements of one callback's result.
 *
 * @since 0.1.0
 * @category type extractors
 */
export type ReturnedRequirement<A> = 0 extends 1 & A ? never
  : A extends Effect.Effect<infer _A, infer _E, infer R> ? R
  : never
