/**
 * Agents: defined once, answering many sessions.
 *
 * @example
 * ```ts
 * import { Agent, SessionStore } from "coxswain"
 * import * as Offline from "coxswain/layers/offline"
 * import { Effect, Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 *
 * const program = Effect.gen(function*() {
 *   const agent = yield* kit.make({
 *     name: "Trips",
 *     flows: [{ title: "Plan a trip", steps: [{ id: "city", collect: ["city"] }, { id: "done", prompt: "Wish a good trip" }] }]
 *   })
 *   const { message } = yield* agent.respond({ sessionId: "u1", message: "To Lisbon, please" })
 *   return message
 * })
 *
 * Effect.runPromise(program.pipe(Effect.provide([Offline.layer, SessionStore.layerMemory])))
 * ```
 *
 * @since 0.1.0
 */
import { defaultIdGenerator, IdGenerator } from "@effect/ai/IdGenerator"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { NoExcessProperties } from "effect/Types"
import type {
  AgentOptions,
  FailureOf,
  RequirementOf,
  ReturnedRequirement,
  ToolkitLike
} from "../domain/AgentOptions.js"
import type { Returned } from "../domain/Callback.js"
import * as Check from "../domain/definition/Check.js"
import { compile } from "../domain/definition/Compile.js"
import type { Values } from "../domain/definition/Definition.js"
import type { Directive, SignalDirective } from "../domain/Directive.js"
import { FlowConfigurationError, type TurnError } from "../domain/Errors.js"
import * as Fields from "../domain/Fields.js"
import type { Flow } from "../domain/Flow.js"
import type { Instruction } from "../domain/Instruction.js"
import type { JsonObject } from "../domain/Json.js"
import * as Session from "../domain/Session.js"
import * as Signal from "../domain/Signal.js"
import type { Step } from "../domain/Step.js"
import * as Tool from "../domain/Tool.js"
import * as TurnEvent from "../domain/TurnEvent.js"
import type { TurnRequest } from "../domain/TurnRequest.js"
import * as TurnResponse from "../domain/TurnResponse.js"
import * as Budget from "../services/Budget.js"
import * as Model from "../services/Model.js"
import * as SessionLock from "../services/SessionLock.js"
import * as SessionStore from "../services/SessionStore.js"
import * as ToolExecutor from "../services/ToolExecutor.js"
import * as Understanding from "../services/Understanding.js"
import { makeHandle } from "./handle.js"
import type { Decision } from "./Input.js"
import { preamble } from "./prompt.js"
import type { Runtime } from "./TurnState.js"

/**
 * A running agent. Its services were captured when it was made: its methods need nothing more.
 *
 * @since 0.1.0
 * @category models
 */
export interface Agent<D, C, E = never> {
  readonly name: string
  /** Answers one message: understands it, walks the flows, speaks, and commits once. */
  readonly respond: (request: TurnRequest<C>) => Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /** The same turn, as it happens. Closing the stream interrupts the turn; nothing is stored then. */
  readonly stream: (request: TurnRequest<C>) => Stream.Stream<TurnEvent.TurnEvent<D, C>, TurnError | E>
  /** One conversation, by id. */
  readonly session: (id: string) => SessionHandle<D, C, E>
  /** Stores a directive (or a flow's name) that the session's next turn begins with. */
  readonly dispatch: (
    sessionId: string,
    target: string | Directive<D, C>
  ) => Effect.Effect<Session.Session<D, C>, TurnError | E>
  /** Decides a tool call that waits for a person, and goes on with its turn. */
  readonly approve: (
    sessionId: string,
    callId: string,
    decision: Decision
  ) => Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /** The Schemas of what the agent gives, for storing it or sending it on. */
  readonly schemas: {
    readonly session: Schema.Schema<Session.Session<D, C>, JsonObject>
    readonly response: Schema.Schema<TurnResponse.TurnResponse<D, C>, JsonObject>
    readonly event: Schema.Schema<TurnEvent.TurnEvent<D, C>, JsonObject>
  }
}

/**
 * One conversation.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionHandle<D, C, E = never> {
  readonly id: string
  /** Starts a turn. It runs whether or not anyone reads its events. */
  readonly send: (
    text: string,
    options?: Omit<TurnRequest<C>, "sessionId" | "message">
  ) => Effect.Effect<Turn<D, C, E>>
  /** The session as stored; a fresh one when there is none. */
  readonly snapshot: Effect.Effect<Session.Session<D, C>, TurnError | E>
  /** The whole transcript, oldest first. */
  readonly history: Effect.Effect<ReadonlyArray<Prompt.Message>, TurnError | E>
  /** Removes everything of the session. */
  readonly clear: Effect.Effect<void, TurnError | E>
}

/**
 * A turn under way.
 *
 * @since 0.1.0
 * @category models
 */
export interface Turn<D, C, E = never> {
  /** Every event from the first on, for any number of readers. A slow reader slows the turn down. */
  readonly events: Stream.Stream<TurnEvent.TurnEvent<D, C>, TurnError | E>
  readonly response: Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /** Stops the turn and waits until it has stopped. What was said so far is kept, marked as interrupted. */
  readonly abort: Effect.Effect<void>
}

type Struct<F extends Schema.Struct.Fields> = Schema.Struct<F> & { readonly Context: never }

/** What an agent needs from outside its own code. */
type Services = LanguageModel.LanguageModel | SessionStore.SessionStore

/** The code parts of a tool, as they were written. */
interface ToolCode<A, D, C, H, V, K, N> {
  handler(args: A, ctx: Tool.ToolContext<D, C>): H
  validateInput?(args: A, ctx: Tool.ToolContext<D, C>): V
  checkPermissions?(args: A, ctx: Tool.ToolContext<D, C>): K
  readonly needsApproval?: boolean | ((args: A, ctx: Tool.ToolContext<D, C>) => N)
}

/**
 * The functions that type an agent's parts, bound to its data and context.
 *
 * @since 0.1.0
 * @category models
 */
export interface Kit<D, C> {
  /** Types a step on its own. */
  readonly step: <const S extends Step<D, C>>(step: S) => S
  /** Types a flow on its own. */
  readonly flow: <const F extends Flow<D, C>>(flow: F) => F
  readonly instruction: <const I extends Instruction<D, C>>(instruction: I) => I
  /** Types a tool by its own Schemas. */
  readonly tool: <
    H,
    P extends Schema.Struct.Fields = {},
    V extends Returned<Schema.Struct.Type<P> | undefined | void> = never,
    K extends Returned<Tool.Permission> = never,
    N extends Returned<Tool.ApprovalNeed> = never
  >(
    options:
      & Omit<Tool.ToolOptions<D, C, Schema.Struct.Type<P>, P>, keyof ToolCode<0, 0, 0, 0, 0, 0, 0>>
      & ToolCode<Schema.Struct.Type<P>, D, C, H, V, K, N>
  ) => Tool.Tool<D, C, ReturnedRequirement<H | V | K | N>>
  /** Types a signal by its own Schema. */
  readonly signal: <
    H extends Returned<SignalDirective<D, C, Tool.Tool<D, C>, Signal.SignalContext<D, C, X>> | undefined | void>,
    X = undefined,
    XI = X
  >(
    options:
      & Omit<Signal.SignalOptions<D, C, X, Schema.Schema<X, XI>>, "handler">
      & { handler(ctx: Signal.SignalContext<D, C, X>): H }
  ) => Signal.Signal<D, C, ReturnedRequirement<H>>
  /** Checks the definition, captures its services, and makes the agent. */
  readonly make: <const O extends AgentOptions<D, C>>(
    options: NoExcessProperties<AgentOptions<D, C>, O> & O
  ) => Effect.Effect<Agent<D, C, FailureOf<O>>, FlowConfigurationError, Services | RequirementOf<O>>
  /** The agent as a service. */
  readonly layer: <I, E, const O extends AgentOptions<D, C>>(
    tag: Context.Tag<I, Agent<D, C, E>>,
    options: O
  ) => [FailureOf<O>] extends [E] ? Layer.Layer<I, FlowConfigurationError, Services | RequirementOf<O>>
    : { readonly error: "the agent fails with more than its Tag says"; readonly failures: FailureOf<O> }
}

/**
 * Binds the agent's data (what it collects) and context (per-turn ambient values) once.
 *
 * @since 0.1.0
 * @category constructors
 */
export const define = <DF extends Schema.Struct.Fields, CF extends Schema.Struct.Fields = {}>(schemas: {
  readonly data: Struct<DF>
  readonly context?: Struct<CF>
}): Kit<Schema.Struct.Type<DF>, Schema.Struct.Type<CF>> => {
  type D = Schema.Struct.Type<DF>
  type C = Schema.Struct.Type<CF>
  const make = (options: AgentOptions<D, C>): Effect.Effect<Agent<D, C, never>, FlowConfigurationError, Services> =>
    // Data and context are typed at the edge only; inside, a turn is the same for every agent.
    makeAgent(options as never, schemas as never) as never
  return {
    step: (step) => step,
    flow: (flow) => flow,
    instruction: (instruction) => instruction,
    tool: (options) => Tool.fromOptions(options as never),
    signal: (options) => Signal.fromOptions(options as never),
    // What the callbacks fail with and need is known from the literal's type; at run time `make` is the same for all.
    make: make as never,
    layer:
      ((tag: Context.Tag<unknown, Agent<D, C, never>>, options: AgentOptions<D, C>) =>
        Layer.effect(tag, make(options))) as never
  }
}

const makeAgent = (
  options: AgentOptions<Values, Values>,
  schemas: {
    readonly data: Schema.Struct<Schema.Struct.Fields>
    readonly context?: Schema.Struct<Schema.Struct.Fields>
  }
): Effect.Effect<Agent<Values, Values, unknown>, FlowConfigurationError, Services> =>
  Effect.gen(function*() {
    const services = yield* Effect.context<never>()
    const contextStruct = schemas.context ?? Schema.Struct({})
    const fields = Fields.fromStruct(schemas.data)
    const contextFields = Fields.fromStruct(contextStruct)
    // A toolkit is an Effect of its handlers; what it needs is among `make`'s requirements.
    const given: unknown = Predicate.isRecord(options) ? options.toolkits : undefined
    const toolkits = yield* Effect.forEach(Array.isArray(given) ? given : [], resolveToolkit)
    const [first, ...rest] = Check.definition(options, fields, toolkits)
    if (first !== undefined) return yield* new FlowConfigurationError({ issues: [first, ...rest] })
    const definition = compile(options, fields, contextFields, toolkits, services)
    const data = Fields.partial(schemas.data)
    const context = Fields.partial(contextStruct)
    const schema = {
      session: Session.schema<Values, Values, Values, Values>(data, context),
      response: TurnResponse.schema<Values, Values, Values, Values>(data, context),
      event: TurnEvent.schema<Values, Values, Values, Values>(data, context)
    }
    const model = yield* Model.current
    yield* checkAliases(options, model.aliases)
    const understanding = Option.getOrElse(
      yield* Effect.serviceOption(Understanding.Understanding),
      () => Understanding.fromModel(model, { limits: definition.timeouts })
    )
    const ids = Option.getOrElse(yield* Effect.serviceOption(IdGenerator), () => defaultIdGenerator)
    const store = yield* SessionStore.SessionStore
    const runtime: Runtime = {
      definition,
      session: schema.session,
      response: schema.response,
      context: Schema.typeSchema(contextStruct) as never as Schema.Schema<Values, Values>,
      model,
      budget: yield* Budget.BudgetLimits,
      understanding,
      executor: Option.getOrElse(yield* Effect.serviceOption(ToolExecutor.ToolExecutor), () =>
        ToolExecutor.make(ToolExecutor.runHandler)),
      store,
      lock: Option.getOrElse(yield* Effect.serviceOption(SessionLock.SessionLock), () =>
        SessionLock.ofStore(store)),
      generateId: ids.generateId(),
      services,
      preamble: preamble(definition)
    }
    return { ...makeHandle(runtime), schemas: schema }
  })

/** What is no Effect is no toolkit: the check says so. */
const resolveToolkit = (given: unknown): Effect.Effect<ToolkitLike> =>
  (Effect.isEffect(given) ? given : Effect.succeed(given)) as Effect.Effect<ToolkitLike>

const checkAliases = (
  options: AgentOptions<Values, Values>,
  aliases: ReadonlySet<string>
): Effect.Effect<void, FlowConfigurationError> => {
  const used = [
    ["model", options.model] as const,
    ...Object.entries(options.models ?? {}).map(([purpose, alias]) => [`models.${purpose}`, alias] as const),
    ...(options.flows ?? []).flatMap((flow, f) => [
      [`flows[${f}].model`, flow.model] as const,
      ...flow.steps.map((step, s) => [`flows[${f}].steps[${s}].model`, step.model] as const)
    ])
  ]
  const issues = used.flatMap(([path, alias]) =>
    alias === undefined || aliases.has(alias) ? [] : [{
      path,
      what: `unknown model alias "${alias}"`,
      why: `the aliases are ${Array.from(aliases, (name) => `"${name}"`).join(", ") || "none"}`,
      fix: "Add it to Models.layer or correct the name"
    }]
  )
  const [first, ...rest] = issues
  return first === undefined
    ? Effect.void
    : Effect.fail(FlowConfigurationError.of([first, ...rest]))
}
