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
  CheckedNamedAgent,
  CheckedNamedFlow,
  CheckedNamedInstruction,
  CheckedNamedStep,
  CheckedResult,
  CheckedRules,
  CheckedSignalHandler,
  CheckedStep,
  Loose,
  ReturnedAs,
  Wrong
} from "../../domain/authored/typing/Checked.js"
import type { CheckedCode, LooseCode, OptionsOf } from "../../domain/authored/typing/Code.js"
import type {
  Nameable,
  NamedCode,
  NamesIn,
  SignalHandler as NamedSignal,
  ToolHandler as NamedTool
} from "../../domain/authored/typing/Names.js"
import type { Named, WidenedStep } from "../../domain/authored/typing/Required.js"
import type { FailureOf, RequirementOf, ReturnedRequirement } from "../../domain/authored/typing/Requirements.js"
import type { IsAny } from "../../domain/authored/typing/Wrong.js"
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

/** The handler of a tool, with the types that the author gave it. */
interface ToolHandler<A, D, C, S, H> {
  handler(args: A, ctx: Tool.ToolContext<D, C>): CheckedHandler<NoInfer<H>, NoInfer<S>, D, C> & H
}

/** The checks of a tool's calls, with the types that the author gave them. */
interface ToolChecks<A, D, C, V, K, N, Q> {
  validateInput?(args: A, ctx: Tool.ToolContext<D, C>): CheckedResult<NoInfer<V>, Returned<A | undefined | void>> & V
  checkPermissions?(
    args: A,
    ctx: Tool.ToolContext<D, C>
  ): CheckedResult<NoInfer<K>, Returned<Tool.Permission<D, C>>> & K
  readonly needsApproval?:
    & (Tool.ApprovalNeed<A, Tool.ToolContext<D, C>> | ((args: A, ctx: Tool.ToolContext<D, C>) => N))
    & ReturnedAs<
      NoInfer<N>,
      Returned<Tool.ApprovalNeed>,
      "needsApproval is true, false or { reason, by }, or a function that returns one of these"
    >
  readonly confirmation?:
    & (string | ((args: A, ctx: Tool.ToolContext<D, C>) => Q))
    & ReturnedAs<
      NoInfer<Q>,
      Returned<string, unknown, never>,
      "confirmation is a text, or a function of the arguments that returns one, or an Effect of one without services"
    >
}

/** The options of a tool, except its handler. */
type ToolFields<D, C, P extends Schema.Struct.Fields, S, SI, V, K, N, Q, L, Id, O extends PropertyKey> =
  & Omit<
    Tool.ToolOptions<D, C, Schema.Struct.Type<P>, P>,
    keyof ToolHandler<0, 0, 0, 0, 0> | keyof ToolChecks<0, 0, 0, 0, 0, 0, 0> | "id" | "policies" | "success"
  >
  & { readonly id: Id }
  & { readonly success?: Schema.Schema<S, SI> }
  & { readonly policies?: CheckedRules<NoInfer<L>, D, NoInfer<P>> & L }
  & ToolChecks<Schema.Struct.Type<P>, D, C, V, K, N, Q>
  & CheckedKeys<O, Tool.ToolOptions<{}, {}>>

/** The handler of a signal, with the type that the author gave it. */
interface SignalHandler<D, C, X, H> {
  handler(ctx: Signal.SignalContext<D, C, X>): CheckedSignalHandler<NoInfer<H>, D, C, NoInfer<X>> & H
}

/** The options of a signal, except its handler. */
type SignalFields<D, C, X, XI, O extends PropertyKey> =
  & Omit<Signal.SignalOptions<D, C, X, Schema.Schema<X, XI>>, "handler">
  & CheckedKeys<O, Signal.SignalOptions<{}, {}>>

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

/** The type of a function that makes an agent from a document, fails with `X`, and needs the services `N`. */
export interface FromDocument<S = unknown, X = FlowConfigurationError, N = Documents> {
  (document: S): Effect.Effect<Agent<Any, Any, never, Event.Schemas>, X, N | Services>
  <const G extends Registry<D, C>, D = Any, C = Any, Ev = Event.Schemas>(
    document: S,
    registry: Registered<G, D, C, Ev>
  ): Effect.Effect<Agent<D & Any, C & Any, FailureOf<OptionsOf<G>>, Ev>, X, N | Services | RequirementOf<OptionsOf<G>>>
}

type Any = Record<string, unknown>

declare const DefinitionTypes: unique symbol

/** The options of an agent, with their types, which may name the code that `Agent.implement` adds. */
export type Definition<D, C, Ev, O> = O & Defined<D, C, Ev, O>

/** The types of a definition: data, context and events of its kit, and its options. */
export interface Defined<D, C, Ev, O> {
  readonly [DefinitionTypes]: { readonly D: D; readonly C: C; readonly Ev: Ev; readonly O: O }
}

/** The options, without the types of another definition that they are made of. */
type Own<O> = IsAny<O> extends true ? O
  : typeof DefinitionTypes extends keyof O ? Omit<O, typeof DefinitionTypes>
  : O

/** The type of the agent of a definition, for the types of a client. `E` are the errors of its code. */
export type AgentOf<T, E = never> = T extends Defined<infer D, infer C, infer Ev, unknown> ? Agent<D, C, E, Ev> : never

/** The type of a function that makes an agent from a definition and the code that it names. */
export type Implement = <D, C, Ev, O, const G extends LooseCode<NamesIn<O>, D, C, Ev>>(
  definition: Defined<D, C, Ev, O>,
  code: CheckedCode<G, NamesIn<O>, D, C, Ev> & G
) => Effect.Effect<
  Agent<D, C, FailureOf<O> | FailureOf<OptionsOf<G>>, Ev>,
  FlowConfigurationError,
  Services | Exclude<RequirementOf<O>, NamedCode<unknown, unknown, unknown>> | RequirementOf<OptionsOf<G>>
>

/** The result of a handler that a tool or a signal is declared without. */
interface NoHandler {
  readonly [DefinitionTypes]: "the code has the handler"
}

/** The code that a tool or a signal requires if it is declared without a handler. A handler may return `never`. */
type Handled<H, Code> = [H, NoHandler] extends [NoHandler, H] ? Code : never

/**
 * A set of functions that declare an agent, or one of its parts, apart from its code: where the options of an agent
 * take a function, these also take a name, as `onEnter: { hook: "book" }`.
 */
export interface DefinitionKit<D, C, Ev = {}> {
  /** Declares an agent, for `Agent.implement`. The options may be a copy of another definition, with changes. */
  readonly agent: <const O extends Loose<Nameable<AgentOptions<D, C, Ev>>>>(
    options: CheckedNamedAgent<O, D, C, Ev> & O
  ) => Definition<D, C, Ev, Own<O>>
  /** Declares a step outside of its flow, and returns it unchanged; see `Kit.step`. */
  readonly step: <
    const R extends ReadonlyArray<keyof D & string> = readonly [],
    const S extends Loose<Nameable<Step<D, C, Ev, RequiredField<D, R>>>> = Loose<
      Nameable<Step<D, C, Ev, RequiredField<D, R>>>
    >
  >(
    step: CheckedNamedStep<S, D, C, Ev, RequiredField<D, R>> & S & { readonly requires?: R }
  ) => WidenedStep<S, D, C, Named<R>>
  /** Declares a flow outside of the agent's options, and returns it unchanged. */
  readonly flow: <const F extends Loose<Nameable<Flow<D, C, Ev>>>>(flow: CheckedNamedFlow<F, D, C, Ev> & F) => F
  /** Declares an instruction outside of the agent's options, and returns it unchanged. */
  readonly instruction: <const I extends Loose<Nameable<Instruction<D, C>>>>(
    instruction: CheckedNamedInstruction<I, D, C> & I
  ) => I
  /** Declares a tool. Without `handler`, the code has its handler, under its id in `tools`. */
  readonly tool: <
    H extends Anything<Tool.ToolOutput<D, C>> = NoHandler,
    P extends Schema.Struct.Fields = {},
    S = never,
    SI = unknown,
    V extends Anything<Schema.Struct.Type<P>> = never,
    K extends Anything<Tool.Permission<D, C>> = never,
    N extends Anything<Tool.ApprovalNeed> = never,
    Q extends Anything<string> = never,
    const L extends ReadonlyArray<Rule> = ReadonlyArray<Rule>,
    const Id extends string = string,
    O extends PropertyKey = never
  >(
    options:
      & ToolFields<D, C, P, S, SI, V, K, N, Q, L, Id, O>
      & Partial<ToolHandler<Schema.Struct.Type<P>, D, C, S, H>>
  ) => Tool.CallableTool<
    D,
    C,
    Schema.Struct.Type<P>,
    | ReturnedRequirement<Exclude<H, NoHandler> | V | K | N>
    | Handled<H, NamedCode<"tools", Id, NamedTool<Schema.Struct.Type<P>, S>>>,
    Id
  >
  /** Declares a signal. Without `handler`, the code has its handler, under its id in `signals`. */
  readonly signal: <
    H extends Anything<SignalDirective<D, C, Tool.Tool<D, C>, Signal.SignalContext<D, C, X>>> = NoHandler,
    X = undefined,
    XI = X,
    const Id extends string = string,
    O extends PropertyKey = never
  >(
    options:
      & SignalFields<D, C, X, XI, O>
      & { readonly id: Id }
      & Partial<SignalHandler<D, C, X, H>>
  ) => Signal.Signal<
    D,
    C,
    | ReturnedRequirement<Exclude<H, NoHandler>>
    | Handled<H, NamedCode<"signals", Id, NamedSignal<X>>>
  >
}

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
    Q extends Anything<string> = never,
    const L extends ReadonlyArray<Rule> = ReadonlyArray<Rule>,
    const Id extends string = string,
    O extends PropertyKey = never
  >(
    options: ToolFields<D, C, P, S, SI, V, K, N, Q, L, Id, O> & ToolHandler<Schema.Struct.Type<P>, D, C, S, H>
  ) => Tool.CallableTool<D, C, Schema.Struct.Type<P>, ReturnedRequirement<H | V | K | N>, Id>
  /** Declares a signal. The Schema in `extract` gives the type of the value that its handler gets. */
  readonly signal: <
    H extends Anything<SignalDirective<D, C, Tool.Tool<D, C>, Signal.SignalContext<D, C, X>>>,
    X = undefined,
    XI = X,
    O extends PropertyKey = never
  >(
    options: SignalFields<D, C, X, XI, O> & SignalHandler<D, C, X, H>
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
