/**
 * The type of a kit: a set of functions with which an application declares an agent and its parts, so that TypeScript
 * checks them against the agent's data, context and events.
 */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { AgentOptions } from "../../domain/authored/AgentOptions.js"
import type { Returned } from "../../domain/authored/Callback.js"
import type * as Event from "../../domain/authored/Event.js"
import type { Flow } from "../../domain/authored/Flow.js"
import type { Instruction } from "../../domain/authored/Instruction.js"
import type * as Signal from "../../domain/authored/Signal.js"
import type { Step } from "../../domain/authored/Step.js"
import type * as Tool from "../../domain/authored/Tool.js"
import type {
  CheckedAgent,
  CheckedFlow,
  CheckedHandler,
  CheckedInstruction,
  CheckedKeys,
  CheckedResult,
  CheckedRules,
  CheckedSignalHandler,
  CheckedStep,
  Loose,
  Wrong
} from "../../domain/authored/typing/Checked.js"
import type { Named, WidenedStep } from "../../domain/authored/typing/Required.js"
import type { FailureOf, RequirementOf, ReturnedRequirement } from "../../domain/authored/typing/Requirements.js"
import type { FlowConfigurationError } from "../../domain/base/error/Errors.js"
import type { SignalDirective } from "../../domain/directive/Directive.js"
import type { Registry } from "../../domain/document/Registry.js"
import type { Rule } from "../../domain/policy/Policy.js"
import type * as SessionStore from "../../services/session/SessionStore.js"
import type { Documents } from "../document/Documents.js"
import type { Agent } from "./Contract.js"

/** The services that an agent requires besides those of its own code. */
export type Services = LanguageModel.LanguageModel | SessionStore.SessionStore

/**
 * The loose bound for a callback's return type, used for inference only; the exact return type is checked separately.
 */
type Anything<A> = Returned<A> | {} | null | undefined | void

/** The names of the fields that are certain to be in a step's `requires`. */
type RequiredField<D, R> = NoInfer<Named<R> & keyof D>

/** The callbacks of a tool, with the types that the author gave them. */
interface ToolCode<A, D, C, S, H, V, K, N> {
  handler(args: A, ctx: Tool.ToolContext<D, C>): CheckedHandler<NoInfer<H>, NoInfer<S>, D, C> & H
  validateInput?(args: A, ctx: Tool.ToolContext<D, C>): CheckedResult<NoInfer<V>, Returned<A | undefined | void>> & V
  checkPermissions?(
    args: A,
    ctx: Tool.ToolContext<D, C>
  ): CheckedResult<NoInfer<K>, Returned<Tool.Permission<D, C>>> & K
  readonly needsApproval?:
    | Tool.ApprovalNeed<A, Tool.ToolContext<D, C>>
    | ((args: A, ctx: Tool.ToolContext<D, C>) => CheckedResult<NoInfer<N>, Returned<Tool.ApprovalNeed>> & N)
}

/** The agent as a service: a Tag whose value is the agent, with the Layer that makes it. */
export interface ServiceClass<Self, Id extends string, D, C, O, Ev = {}>
  extends Context.TagClass<Self, Id, Agent<D, C, FailureOf<O>, Ev>>
{
  /** Checks the definition and makes the agent. The Layer still needs the services of the agent's code. */
  readonly layer: Layer.Layer<
    Self,
    FlowConfigurationError,
    Exclude<Services | RequirementOf<O>, Scope.Scope>
  >
}

/** A registry that was made by the `registry` function of a kit. */
export type Registered<G, D, C, Ev> = G & { readonly [KitTypes]?: { readonly D: D; readonly C: C; readonly Ev: Ev } }

declare const KitTypes: unique symbol

/** The Effects that the code of a registry returns. */
type EffectsOf<S> = {
  [K in keyof S]: S[K] extends (...args: ReadonlyArray<never>) => infer A ? EffectIn<A> : never
}[keyof S]
type EffectIn<A> = 0 extends 1 & A ? never : Extract<A, Effect.Effect<unknown, unknown, unknown>>
type CodeOf<G> = {
  [K in keyof G]: K extends "hooks" | "predicates" | "templates" ? EffectsOf<G[K]> : never
}[keyof G]
type PartsOf<G> = G extends { readonly tools?: infer A; readonly signals?: infer B } ? A[keyof A] | B[keyof B] : never

type FailureIn<G> = CodeOf<G> extends infer X ? X extends Effect.Effect<infer _A, infer E, infer _R> ? E : never : never
type RequirementIn<G> =
  | (CodeOf<G> extends infer X ? X extends Effect.Effect<infer _A, infer _E, infer R> ? R : never : never)
  | (PartsOf<G> extends infer X ? X extends Tool.Tool<infer _D, infer _C, infer R> ? R
    : X extends Signal.Signal<infer _D, infer _C, infer R> ? R
    : never
    : never)

/** The type of a function that makes an agent from a document, fails with `X`, and needs the services `N`. */
export interface FromDocument<S = unknown, X = FlowConfigurationError, N = Documents> {
  (document: S): Effect.Effect<Agent<Any, Any, never, Event.Schemas>, X, N | Services>
  <const G extends Registry<D, C>, D = Any, C = Any, Ev = Event.Schemas>(
    document: S,
    registry: Registered<G, D, C, Ev>
  ): Effect.Effect<Agent<D & Any, C & Any, FailureIn<G>, Ev>, X, N | Services | RequirementIn<G>>
}

type Any = Record<string, unknown>

/**
 * A set of functions with which an application declares an agent, or one of its parts outside of the agent's options.
 * TypeScript checks each part against the data, context and events that were given to `Agent.define`. A mistake in a
 * literal is reported at its place, as a `Wrong<"…">` whose text says what to do.
 */
export interface Kit<D, C, Ev = {}> {
  /**
   * Declares the options of an agent without making it, and returns them unchanged: for `make`, and for code that reads
   * a definition, such as tests.
   */
  readonly agent: <const O extends Loose<AgentOptions<D, C, Ev>>>(options: CheckedAgent<O, D, C, Ev> & O) => O
  /**
   * Declares a step outside of its flow, and returns it unchanged. The fields that its `requires` names are known in
   * `prompt`, `reply`, `confirm`, `onEnter`, `prepare` and `finalize`: `data.day` has no `undefined` there.
   */
  readonly step: <
    const R extends ReadonlyArray<keyof D & string> = readonly [],
    const S extends Loose<Step<D, C, Ev, RequiredField<D, R>>> = Loose<Step<D, C, Ev, RequiredField<D, R>>>
  >(
    step: CheckedStep<S, D, C, Ev, RequiredField<D, R>> & S & { readonly requires?: R }
  ) => WidenedStep<S, D, C, Named<R>>
  /** Declares a flow outside of the agent's options, and returns it unchanged. */
  readonly flow: <const F extends Loose<Flow<D, C, Ev>>>(flow: CheckedFlow<F, D, C, Ev> & F) => F
  /** Declares an instruction outside of the agent's options, and returns it unchanged. */
  readonly instruction: <const I extends Loose<Instruction<D, C>>>(instruction: CheckedInstruction<I, D, C> & I) => I
  /**
   * Declares a tool. Its own Schemas give the types of its arguments and its result. Its handler returns a `ToolOutput`
   * or a value that `success` encodes, directly or as an Effect; without `success`, any JSON.
   */
  readonly tool: <
    H extends Anything<Tool.ToolOutput<D, C>>,
    P extends Schema.Struct.Fields = {},
    S = never,
    SI = unknown,
    V extends Anything<Schema.Struct.Type<P>> = never,
    K extends Anything<Tool.Permission<D, C>> = never,
    N extends Anything<Tool.ApprovalNeed> = never,
    const L extends ReadonlyArray<Rule> = ReadonlyArray<Rule>,
    const Id extends string = string,
    O extends PropertyKey = never
  >(
    options:
      & Omit<
        Tool.ToolOptions<D, C, Schema.Struct.Type<P>, P>,
        keyof ToolCode<0, 0, 0, 0, 0, 0, 0, 0> | "id" | "policies" | "success"
      >
      & { readonly id: Id }
      & { readonly success?: Schema.Schema<S, SI> }
      & { readonly policies?: CheckedRules<NoInfer<L>, D, NoInfer<P>> & L }
      & ToolCode<Schema.Struct.Type<P>, D, C, S, H, V, K, N>
      & CheckedKeys<O, Tool.ToolOptions<{}, {}>>
  ) => Tool.CallableTool<D, C, Schema.Struct.Type<P>, ReturnedRequirement<H | V | K | N>, Id>
  /** Declares a signal. The Schema in `extract` gives the type of the value that its handler gets. */
  readonly signal: <
    H extends Anything<SignalDirective<D, C, Tool.Tool<D, C>, Signal.SignalContext<D, C, X>>>,
    X = undefined,
    XI = X,
    O extends PropertyKey = never
  >(
    options:
      & Omit<Signal.SignalOptions<D, C, X, Schema.Schema<X, XI>>, "handler">
      & { handler(ctx: Signal.SignalContext<D, C, X>): CheckedSignalHandler<NoInfer<H>, D, C, NoInfer<X>> & H }
      & CheckedKeys<O, Signal.SignalOptions<{}, {}>>
  ) => Signal.Signal<D, C, ReturnedRequirement<H>>
  /** Checks the definition, captures its services, and makes the agent. */
  readonly make: <const O extends Loose<AgentOptions<D, C, Ev>>>(
    options: CheckedAgent<O, D, C, Ev> & O
  ) => Effect.Effect<
    Agent<D, C, FailureOf<O>, Ev>,
    FlowConfigurationError,
    // Not `Services`, so that the compiler's message about a missing layer names both.
    LanguageModel.LanguageModel | SessionStore.SessionStore | RequirementOf<O>
  >
  /**
   * Declares the code that a document names, for `Agent.fromDocument`. An agent made from the document and this
   * registry also has the kit's fields and events.
   */
  readonly registry: <const G extends Registry<D, C>>(
    registry:
      & G
      & Registry<D, C>
      & { readonly [K in Exclude<keyof G, keyof Registry>]: Wrong<"a registry has no section of this name"> }
  ) => Registered<G, D, C, Ev>
  /** The agent as a Layer of a Tag that was declared separately; `Service` makes both. */
  readonly layer: <I, E, const O extends Loose<AgentOptions<D, C, Ev>>>(
    tag: Context.Tag<I, Agent<D, C, E, Ev>>,
    options: CheckedAgent<O, D, C, Ev> & O
  ) => [FailureOf<O>] extends [E] ? Layer.Layer<
      I,
      FlowConfigurationError,
      Exclude<Services | RequirementOf<O>, Scope.Scope>
    >
    : { readonly error: "the agent fails with more than its Tag says"; readonly failures: FailureOf<O> }
  /**
   * The agent as a service, in one line: `class Hotel extends kit.Service<Hotel>()("Hotel", { … }) {}` defines the Tag
   * `Hotel` and the Layer `Hotel.layer`.
   */
  readonly Service: <Self>() => <const Id extends string, const O extends Loose<AgentOptions<D, C, Ev>>>(
    id: Id,
    options: CheckedAgent<O, D, C, Ev> & O
  ) => ServiceClass<Self, Id, D, C, O, Ev>
}
