/** Types of the code that a definition names, and their checks. */
import type * as Effect from "effect/Effect"
import type { Migrations } from "../../code/Migrations.js"
import type { PreDirective, SignalDirective } from "../../directive/Directive.js"
import type * as Policy from "../../policy/Policy.js"
import type { AgentHooks, AgentOptions, ToolkitLike } from "../AgentOptions.js"
import type { HookContext, Returned, TurnContext } from "../Callback.js"
import type { EventContext, Payload } from "../Event.js"
import type { Flow, FlowHooks } from "../Flow.js"
import type { Choice } from "../Form.js"
import type { Guardrail } from "../Guardrail.js"
import type { Signal, SignalContext, SignalOptions } from "../Signal.js"
import type { CallContext, Interruption, Step } from "../Step.js"
import type { Tool, ToolContext, ToolOptions, ToolOutput } from "../Tool.js"
import type {
  ConditionFaults,
  FlowFaults,
  ListedFaults,
  PromptFaults,
  ResultConditionFaults,
  SignalFaults,
  StepFaults,
  ThenFaults,
  ToolFaults
} from "./Checked.js"
import type { SignalHandler, ToolHandler } from "./Names.js"
import type { HookFaults } from "./Result.js"
import type { NoSuch, Wrong } from "./Wrong.js"

/** The view of the turn that a hook gets where it is used. */
type ContextAt<As, D, C, Ev> = As extends { readonly on: infer E extends keyof Ev } ? EventContext<D, C, Payload<Ev[E]>>
  : As extends "choices" | "onInterrupt" ? TurnContext<D, C>
  : As extends "handler" ? SignalContext<D, C>
  : HookContext<D, C>

/** The second argument of a hook: the interrupting flow. */
type MoreAt<As> = [As] extends ["onInterrupt"] ? [next: { readonly id: string; readonly title: string }] : []

/** The result of a hook where it is used, from which the compiler reads literals. */
type ResultAt<As, D, C> = As extends "choices" ? ReadonlyArray<Choice>
  : As extends "onInterrupt" ? Interruption
  : As extends "handler" ? SignalDirective<D, C, Tool<D, C>, SignalContext<D, C>>
  : PreDirective<D, C, Tool<D, C>>

/** A function whose result is not checked yet. */
type Loosely<A extends ReadonlyArray<unknown>, R> = (...args: A) => Returned<R> | {} | null | undefined | void

/** The type of an entry, whose results are not checked yet. */
type Entry<S, As, D, C, Ev> = S extends "hooks"
  ? Loosely<[ctx: ContextAt<As, D, C, Ev>, ...MoreAt<As>], ResultAt<As, D, C>>
  : S extends "predicates" ? Loosely<[ctx: As extends "result" ? CallContext<D, C> : TurnContext<D, C>], boolean>
  : S extends "templates" ? Loosely<[ctx: TurnContext<D, C>], string>
  : S extends "tools" ?
    As extends ToolHandler<infer A, infer R> ? Loosely<[args: A, ctx: ToolContext<D, C>], ToolOutput<D, C> | R>
    : ToolOptions<D, C> | Tool<D, C, unknown>
  : S extends "signals" ?
    As extends SignalHandler<infer X>
      ? Loosely<[ctx: SignalContext<D, C, X>], SignalDirective<D, C, Tool<D, C>, SignalContext<D, C, X>>>
    : SignalOptions<D, C> | Signal<D, C, unknown>
  : S extends "guardrails" ? Guardrail<D, C>
  : S extends "toolkits" ? Effect.Effect<ToolkitLike, unknown, unknown>
  : ValueAt<As, D, C>

/** The type of a value where it is used. */
type ValueAt<As, D, C> = As extends "migration" ? Migrations["steps"][number]
  : As extends "policyPredicates" ? Policy.Predicate
  : As extends keyof Guardrail<D, C> ? Exclude<Guardrail<D, C>[As], undefined>
  : As extends keyof AgentOptions<D, C> ? Exclude<AgentOptions<D, C>[As], undefined>
  : unknown

declare const LooseId: unique symbol

/** The type from which the compiler infers code. `T` are the names of the definition, see `NamesIn`. */
export type LooseCode<T, D, C, Ev> =
  & { readonly [S in keyof T]?: { readonly [N in keyof T[S]]?: Entry<S, T[S][N], D, C, Ev> } }
  & { readonly [LooseId]?: never }

/** The check of the type `G` of code, which has no `LooseId` if the compiler has inferred it. */
export type CheckedCode<G, T, D, C, Ev> = typeof LooseId extends keyof G ? unknown : [G] extends [infer P] ? {
    readonly [S in keyof P | NeededSection<T>]: S extends keyof T
      ? Entries<S extends keyof P ? P[S] : {}, S, T[S], D, C, Ev>
      : NoSuch<"the definition names no code of the section", S, keyof T>
  }
: never

/** The sections with names that need code for certain. */
type NeededSection<T> = { [S in keyof T]: [NeededName<T[S]>] extends [never] ? never : S }[keyof T]

/** The names that need code. A tool's name in a flow or a step may be its id; a name that is no literal is one of any. */
type NeededName<Uses> = {
  [N in keyof Uses]: [Uses[N]] extends ["maybe"] ? never : {} extends Record<N, 1> ? never : N
}[keyof Uses]

type Entries<E, S, Uses, D, C, Ev> = {
  readonly [N in (keyof E & string) | NeededName<Uses>]: N extends keyof Uses
    ? N extends keyof E ? OrUnknown<EntryFaults<E[N], S, Uses[N], D, C, Ev>>
    : Wrong<`the definition names this ${Noun<S>}: give its code`>
    : NoSuch<`the definition names no ${Noun<S>}`, N, keyof Uses>
}

type Noun<S> = S extends `${infer One}s` ? One : never

type OrUnknown<Faults> = [Faults] extends [never] ? unknown : Faults

type EntryFaults<F, S, As, D, C, Ev> = S extends "hooks" ? HookFaultsAt<F, As, D, C, Ev>
  : S extends "predicates" ? As extends "result" ? ResultConditionFaults<F, D, C> : ConditionFaults<F, D, C>
  : S extends "templates" ? PromptFaults<F, D, C>
  : S extends "tools" ?
    As extends ToolHandler<unknown, infer R> ? At<ToolFaults<{ readonly handler: F } & Success<R>, D, C>, "handler">
    : ToolFaults<F, D, C>
  : S extends "signals" ? As extends SignalHandler<unknown> ? At<SignalFaults<{ readonly handler: F }, D, C>, "handler">
    : SignalFaults<F, D, C>
  : never

type Success<R> = [R] extends [never] ? {} : { readonly success: { readonly Type: R } }

type HookFaultsAt<F, As, D, C, Ev> = As extends { readonly on: unknown } | "after" ? ThenFaults<F, D, C>
  : As extends "choices" ? ListedFaults<F, D, C>
  : As extends "handler" ? At<SignalFaults<{ readonly handler: F }, D, C>, "handler">
  : As extends keyof Step<{}, {}> ? At<StepFaults<{ readonly [K in As]: F }, D, C, Ev>, As>
  : As extends keyof Flow<{}, {}> ? At<FlowFaults<{ readonly [K in As]: F }, D, C, Ev>, As>
  : As extends keyof FlowHooks<{}, {}> | keyof AgentHooks<{}, {}> | "onExit" ? HookFaults<F, D, C>
  : never

/** The fault at a key. `Faults` has `unknown` for a key that is right. */
type At<Faults, K> = Faults extends { readonly [P in K & string]: infer Fault } ? unknown extends Fault ? never : Fault
  : never

/** The code as options of an agent, from which `FailureOf` and `RequirementOf` read its errors and services. */
export interface OptionsOf<G> {
  readonly tools: ReadonlyArray<EntryOf<G, "tools">>
  readonly signals: ReadonlyArray<EntryOf<G, "signals">>
  readonly toolkits: ReadonlyArray<EntryOf<G, "toolkits">>
  readonly guardrails: {
    readonly input: ReadonlyArray<
      EntryOf<G, "guardrails"> | { readonly check: Exclude<EntryOf<G, "values">, AnyEffect> }
    >
  }
  readonly if: EntryOf<G, "predicates">
  readonly persona: EntryOf<G, "templates">
  readonly onEnter: EntryOf<G, "hooks">
  readonly contextProvider: Extract<EntryOf<G, "values">, AnyEffect>
}

type AnyEffect = Effect.Effect<unknown, unknown, unknown>

type EntryOf<G, S> = S extends keyof G ? G[S][keyof G[S]] : never
