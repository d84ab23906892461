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
 */
import { defaultIdGenerator, IdGenerator } from "@effect/ai/IdGenerator"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { ToolkitLike } from "../../domain/authored/AgentOptions.js"
import type * as Event from "../../domain/authored/Event.js"
import * as ErrorMessage from "../../domain/base/error/ErrorMessage.js"
import { ConfigurationIssue, FlowConfigurationError } from "../../domain/base/error/Errors.js"
import * as Limits from "../../domain/base/error/Limits.js"
import { recordOf } from "../../domain/base/Json.js"
import type { Migrations } from "../../domain/code/Migrations.js"
import { compile } from "../../domain/definition/compile/Compile.js"
import type { Values } from "../../domain/definition/Definition.js"
import * as Erase from "../../domain/definition/Erase.js"
import * as Check from "../../domain/definition/validation/Check.js"
import type { FlowDocument } from "../../domain/document/FlowDocument.js"
import * as Fields from "../../domain/fields/Fields.js"
import * as Budget from "../../services/model/Budget.js"
import * as Model from "../../services/model/Model.js"
import * as SessionFeed from "../../services/session/SessionFeed.js"
import * as SessionLock from "../../services/session/SessionLock.js"
import * as SessionStore from "../../services/session/SessionStore.js"
import * as BlobStore from "../../services/storage/BlobStore.js"
import * as Sealed from "../../services/storage/Sealed.js"
import * as ToolExecutor from "../../services/tool/ToolExecutor.js"
import * as TurnLog from "../../services/turn/TurnLog.js"
import * as Understanding from "../../services/understanding/Understanding.js"
import { Documents } from "../document/Documents.js"
import { implemented } from "../document/implemented.js"
import { features } from "../features/table.js"
import { preamble } from "../speaking/prompt.js"
import { type KitBinding as Written, registerAgent, registerKit } from "../state/agentInternals.js"
import type { Runtime } from "../state/TurnState.js"
import { epochsOf } from "../stored/loading.js"
import type { Agent } from "./Contract.js"
import { makeHandle } from "./handle.js"
import * as Keeping from "./Keeping.js"
import type { FromDocument, Implement, Kit, Services } from "./Kit.js"
import * as Parts from "./parts.js"
import * as Schemas from "./schemas.js"

export type { Agent, SessionHandle, Turn } from "./Contract.js"
export type { FromDocument, Implement, Kit, Registered, ServiceClass } from "./Kit.js"
export { type Promised, type PromisedSession, type PromisedTurn, toPromise } from "./Promised.js"

/**
 * Makes a kit: a set of functions that declare an agent with this data (the fields that it collects), this context
 * (values that the application gives to a turn) and these events.
 */
export const define = <
  DF extends Schema.Struct.Fields,
  CF extends Schema.Struct.Fields = {},
  const Ev extends Event.Schemas = {},
  const J extends Parts.Causes = [],
  D = unknown,
  C = unknown
>(
  schemas: Parts.Given<DF, CF, Ev, J, D, C>
): Kit<Parts.StructType<DF>, Parts.StructType<CF>, Parts.Happening<Ev, J[number]>> => {
  const bound = Parts.bind(schemas)
  const make = (options: object) => makeAgent(Erase.agent(options), bound)
  const kit = {
    ...Parts.functions,
    agent: Parts.identity,
    make,
    registry: (entries: object) => registerKit({ ...entries }, bound),
    layer: (tag: AgentTag, options: object) => Layer.scoped(tag, make(options)),
    Service: () => (id: string, options: object) => Service<unknown>()(id, make(options))
  }
  // Data, context, events, errors and services are only in the type `Kit`: at run time all kits are the same.
  return registerKit(kit, bound) as never
}

/**
 * Makes an agent from a document: a value that was read from JSON or YAML, see `FlowDocument`. The registry contains
 * the code that the document names; declare it with `kit.registry`. All faults of the document are reported together.
 * The layer of `coxswain/layers/document` provides the service `Documents`.
 */
export const fromDocument: FromDocument = (document: unknown, registry: object = {}) =>
  Effect.flatMap(
    Effect.flatMap(Documents, ({ definition }) => definition(document, registry)),
    ({ bound, options }) => makeAgent(options, bound)
    // The compiler cannot know the types of fields and events, because they are in the document.
  ) as never

/**
 * Makes an agent from a definition of `coxswain/definition` and the code that it names. All names without code, and all
 * code without a name, are reported together.
 */
export const implement: Implement = (definition: object, code: object) =>
  Effect.flatMap(
    implemented(definition, code),
    ({ bound, options }) => makeAgent(options, bound)
    // The type `Implement` has the types of the definition and of the code.
  ) as never

/**
 * Declares an agent as a service: `class Hotel extends Agent.Service<Hotel>()("Hotel", Agent.implement(…)) {}` defines
 * the Tag `Hotel` and the Layer `Hotel.layer`, which makes the agent.
 */
export const Service =
  <Self>() =>
  <const Id extends string, A extends { readonly schemas: object }, E, R>(id: Id, make: Effect.Effect<A, E, R>) => {
    const tag = Context.Tag(id)<Self, A>()
    return Object.assign(tag, { layer: Layer.scoped(tag, make) })
  }

/**
 * Writes an agent as a document. Code and Schemas cannot be in a document, so they must be in the registry under a
 * name; if one is missing, the error says which name to give. An agent that was made from a document is written back as
 * that document.
 */
export const toDocument = (
  agent: object,
  registry: object = {}
): Effect.Effect<FlowDocument, FlowConfigurationError, Documents> =>
  Effect.flatMap(Documents, ({ write }) => write(agent, registry))

type ErasedHandle = Agent<Values, Values, unknown, Erase.ErasedEvents>
type AgentTag = Context.Tag<unknown, ErasedHandle>

const makeAgent = (
  options: Erase.ErasedAgent,
  bound: Written
): Effect.Effect<ErasedHandle, FlowConfigurationError, Services> =>
  Effect.gen(function*() {
    const services = yield* Effect.context<never>()
    const { fields, ...version } = yield* compiled(options, bound, services)
    const { definition } = version
    const earlier = yield* earlierOf(options, bound, services)
    const { context, directive, given: schemas } = Schemas.of(bound)
    const model = yield* Model.current
    for (const version of [options, ...earlierOptions(options)]) yield* checkAliases(version, model.aliases)
    const understanding = Option.getOrElse(
      yield* Effect.serviceOption(Understanding.Understanding),
      () => Understanding.fromModel(model, { limits: definition.timeouts })
    )
    const ids = Option.getOrElse(yield* Effect.serviceOption(IdGenerator), () => defaultIdGenerator)
    const store = yield* SessionStore.SessionStore
    // The warning is only given where an agent is made, because the command line checks the definition without a model
    // before that.
    yield* warnOfUndeclared(options, fields)
    const runtime: Runtime = {
      ...version,
      earlier,
      session: schemas.session,
      response: schemas.response,
      event: schemas.event,
      directive,
      context,
      model,
      budget: yield* Budget.BudgetLimits,
      understanding,
      executor: yield* ToolExecutor.ToolExecutor,
      store,
      blobs: Option.getOrUndefined(
        Option.map(
          yield* Effect.serviceOption(BlobStore.BlobStore),
          (blobs) => Sealed.beside(store, Sealed.blobs, blobs)
        )
      ),
      lock: SessionLock.ofStore(store, Option.getOrUndefined(yield* Effect.serviceOption(SessionLock.SessionLock))),
      feed: Option.getOrElse(yield* Effect.serviceOption(SessionFeed.SessionFeed), () => SessionFeed.ofStore(store)),
      generateId: ids.generateId(),
      newEpoch: epochsOf(store),
      services,
      features,
      summaries: { running: new Map(), catchingUp: new Set(), failed: new Set() },
      runningTurns: new Map(),
      log: Option.getOrUndefined(
        Option.map(yield* Effect.serviceOption(TurnLog.TurnLog), (log) => Sealed.beside(store, Sealed.log, log))
      )
    }
    Keeping.register(runtime)
    return registerAgent({ ...makeHandle(runtime), schemas }, runtime, {
      options,
      happening: bound.happening,
      data: bound.data,
      context: bound.context
    })
  })

/** Checks a definition and compiles it. */
const compiled = (
  options: Erase.ErasedAgent,
  { context, data, happening }: Written,
  services: Context.Context<never>
) =>
  Effect.gen(function*() {
    const excerpts = { show: !Predicate.isRecord(options) || options.excerpts !== false }
    const fields = Fields.fromStruct(data, { excerpts, size: limitsOf(options).dataValue })
    // A toolkit is an Effect that returns its handlers. The services that it needs are among those of `make`.
    const given: unknown = Predicate.isRecord(options) ? options.toolkits : undefined
    const toolkits = yield* Effect.forEach(Array.isArray(given) ? given : [], resolveToolkit)
    const [first, ...rest] = Check.definition(options, fields, toolkits, happening)
    if (first !== undefined) {
      const { name } = recordOf(options)
      return yield* new FlowConfigurationError({
        issues: [first, ...rest],
        ...(Predicate.isString(name) && name !== "" && { agent: name })
      })
    }
    const definition = compile(options, fields, Fields.fromStruct(context, { excerpts }), toolkits, services, happening)
    return { fields, definition, preamble: preamble(definition) }
  })

const earlierOptions = ({ migrations }: Erase.ErasedAgent): ReadonlyArray<Erase.ErasedAgent> => {
  const { earlier = [], pin } = migrations ?? noMigrations
  return pin === "none" ? [] : earlier.map(Erase.agent)
}

const noMigrations: Pick<Migrations, "earlier" | "pin"> = {}

/** Compiles the earlier definitions. Their issues have the path of their definition. */
const earlierOf = (options: Erase.ErasedAgent, bound: Written, services: Context.Context<never>) =>
  Effect.forEach(earlierOptions(options), (earlier, i) =>
    compiled(earlier, bound, services).pipe(
      Effect.map(({ definition, preamble }) => ({ definition, preamble })),
      Effect.mapError(({ agent, issues: [first, ...rest] }) => {
        const at = (issue: ConfigurationIssue) =>
          new ConfigurationIssue({ ...issue, path: `migrations.earlier[${i}].${issue.path}` })
        return new FlowConfigurationError({
          issues: [at(first), ...rest.map(at)],
          ...(agent !== undefined && { agent })
        })
      })
    ))

/**
 * Reads the limits before the definition is checked. For invalid `limits` it returns the defaults; the check then
 * reports them.
 */
const limitsOf = (options: unknown): Limits.Limits =>
  Predicate.isRecord(options) && Schema.is(Limits.Options)(options.limits)
    ? Limits.resolve(options.limits)
    : Limits.defaults

/**
 * Resolves a toolkit that is an Effect. A value that is not an Effect is returned as it is; the check of the definition
 * reports it.
 */
const resolveToolkit = (given: unknown): Effect.Effect<ToolkitLike> =>
  (Effect.isEffect(given) ? given : Effect.succeed(given)) as Effect.Effect<ToolkitLike>

const warnOfUndeclared = (options: Erase.ErasedAgent, fields: Fields.Fields): Effect.Effect<void> => {
  const names = ErrorMessage.quoted(Check.undeclared(options, fields))
  return names === "" ? Effect.void : Effect.logWarning(
    `Agent "${options.name}": no flow declares the data ${names}, so no message is read for it and no flow that is ` +
      "entered again clears it. If only code writes it, annotate it with extract: \"never\"; else name it in a flow's collect, " +
      "requiredFields or optionalFields, or drop it from the data."
  )
}

const checkAliases = (
  options: Erase.ErasedAgent,
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
    alias === undefined || aliases.has(alias) ? [] : new ConfigurationIssue({
      path,
      what: `unknown model alias "${alias}"`,
      why: `the aliases are ${ErrorMessage.names(aliases)}`,
      fix: "Add it to Models.layer or correct the name"
    })
  )
  return FlowConfigurationError.refuse(issues)
}
