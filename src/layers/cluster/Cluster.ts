/**
 * An agent on several machines: each session is an entity of `@effect/cluster`, and is on one node at a time.
 *
 * ```ts
 * import { TestRunner } from "@effect/cluster"
 * import { Agent, SessionStore } from "coxswain"
 * import * as Cluster from "coxswain/layers/cluster"
 * import * as Offline from "coxswain/layers/offline"
 * import { Context, Layer, Schema } from "effect"
 *
 * interface Data {
 *   readonly city: string
 * }
 * class Desk extends Context.Tag("Desk")<Desk, Agent.Agent<Data, {}>>() {}
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 * const options = kit.agent({
 *   name: "Desk",
 *   flows: [{ title: "Plan a trip", steps: [{ id: "city", prompt: "Ask where to", collect: ["city"] }] }]
 * })
 *
 * // For one process, with storage in memory. For several, use `NodeClusterSocket.layer` and a database.
 * export const DeskLive = Cluster.layer(Desk, kit, options).pipe(
 *   Layer.provide([TestRunner.layer, Offline.layer, SessionStore.layerMemory])
 * )
 * ```
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as ShardId from "@effect/cluster/ShardId"
import * as Sharding from "@effect/cluster/Sharding"
import { defaults, type ShardingConfig } from "@effect/cluster/ShardingConfig"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentOptions } from "../../domain/authored/AgentOptions.js"
import type { CheckedAgent, Loose } from "../../domain/authored/typing/Checked.js"
import type { FailureOf, RequirementOf } from "../../domain/authored/typing/Requirements.js"
import type { FlowConfigurationError } from "../../domain/base/error/Errors.js"
import * as Erase from "../../domain/definition/Erase.js"
import type * as Job from "../../domain/job/Job.js"
import type { Agent } from "../../pipeline/agent/Contract.js"
import type { Kit } from "../../pipeline/agent/Kit.js"
import * as JobRunner from "../../pipeline/features/jobs/JobRunner.js"
import * as Scheduler from "../../pipeline/features/timers/Scheduler.js"
import { runtimeOf, writtenOf } from "../../pipeline/state/agentInternals.js"
import * as Model from "../../services/model/Model.js"
import { SessionStore } from "../../services/session/SessionStore.js"
import * as ClusterAgent from "./ClusterAgent.js"
import * as LiveSessions from "./LiveSessions.js"
import * as Protocol from "./Protocol.js"
import { refusal, resending } from "./refusal.js"
import * as SessionEntity from "./SessionEntity.js"

export { layerTurns } from "./ClusterTurns.js"
export { forget, layerRetention, type RetentionOptions } from "./Retention.js"
export { settings } from "./settings.js"

/** Options of an agent in a cluster. */
export interface Options<E = never, I = unknown> {
  /**
   * Time without a message after which a session leaves the memory of its node; at least 5 seconds. Default: the
   * `entityMaxIdleTime` of `ShardingConfig`, 1 minute.
   */
  readonly maxIdleTime?: Duration.DurationInput
  /**
   * The Schema of the errors of the agent's own code; it encodes them between processes. Required if the code can fail.
   * All processes of the cluster need the same Schema.
   */
  readonly failures?: Schema.Schema<E, I>
}

/** The layer of an agent; an error type if the agent can fail with errors that its Tag does not declare. */
type Checked<O, E, I, R> = [FailureOf<O>] extends [E] ? Layer.Layer<I, FlowConfigurationError, R>
  : { readonly error: "the agent fails with more than its Tag says"; readonly failures: FailureOf<O> }

/** The last argument of a layer: required if the agent's own code fails. */
type OptionsArgument<E, I> = [E] extends [never] ? [options?: Options]
  : [options: Options<E, I> & Required<Pick<Options<E, I>, "failures">>]

/** The agent and the sessions of this node, for `jobs`. */
interface Owned {
  readonly agent: SessionEntity.AnyAgent
  readonly live: LiveSessions.LiveSessions
}

/** The Schema of errors for code that cannot fail: it accepts no value. */
const none: Schema.Schema<unknown> = Schema.Unknown.pipe(Schema.filter(() => false))

const owned = new WeakMap<object, Owned>()

/** A kit and a definition without their types. */
interface Definition {
  readonly make: Effect.Effect<
    SessionEntity.AnyAgent,
    FlowConfigurationError,
    SessionStore | LanguageModel.LanguageModel
  >
  readonly options: Erase.ErasedAgent
  readonly cluster: Options<unknown>
}

/** At run time all kits are the same. `layer` and `layerClient` have checked the types. */
const erased = (kit: { readonly make: unknown }, options: object, cluster: object): Definition => {
  const { make } = kit as { readonly make: (options: object) => Definition["make"] }
  return { make: make(options), options: Erase.agent(options), cluster }
}

/** Makes the agent with the given session store, and the protocol of its cluster messages from the agent's Schemas. */
const made = <F, R>(
  make: Effect.Effect<SessionEntity.AnyAgent, F, R>,
  store: SessionStore["Type"],
  { failures }: Options<unknown>
) =>
  Effect.gen(function*() {
    const agent = yield* Effect.provideService(make, SessionStore, store)
    const [runtime, written] = yield* Effect.orDie(
      Effect.all([Effect.fromNullable(runtimeOf(agent)), Effect.fromNullable(writtenOf(agent))])
    )
    const protocol = Protocol.make(agent.name, {
      agent: agent.schemas,
      directive: runtime.directive,
      failures: failures ?? none
    })
    return { agent, protocol, runtime, written }
  })

const owner = <F, R>(
  make: Effect.Effect<SessionEntity.AnyAgent, F, R>,
  cluster: Options<unknown>
) =>
  Effect.gen(function*() {
    const store = yield* SessionStore
    // Assigned later because of a cycle: the messages need the agent's Schemas, and the agent needs the store that
    // sends the messages.
    let arm: LiveSessions.Arm = () => Effect.void
    const live = yield* LiveSessions.make(store, (sessionId, at) => arm(sessionId, at))
    const { agent, protocol, runtime, written } = yield* made(make, live.store, cluster)
    const client = yield* protocol.entity.client
    arm = (sessionId, at) =>
      resending(client(Protocol.entityIdOf(sessionId)).Due(new Protocol.Due({ sessionId, at }), { discard: true }))
        .pipe(
          Effect.catchAll((error) => Effect.fail(refusal(sessionId)(error))),
          Effect.catchTags({ SessionBusy: Effect.die, SessionUnavailable: Effect.die })
        )
    yield* Layer.build(SessionEntity.layer(protocol, { agent, runtime, live, maxIdleTime: cluster.maxIdleTime }))
    yield* Layer.build(Layer.provide(Scheduler.layer([agent]), Layer.succeed(SessionStore, live.store)))
    const remote = yield* ClusterAgent.make(protocol, { ...runtime, store }, written, agent.schemas)
    owned.set(remote, { agent, live })
    return remote
  })

const owning = ({ cluster, make }: Definition) => owner(make, cluster)

/**
 * Makes this process a node of an agent that another function makes, such as `Agent.fromDocument(document)`: `make`
 * gets a store that keeps the sessions of this node in memory.
 */
export const own = <D, C, E, Ev, F, R, X = unknown>(
  make: Effect.Effect<Agent<D, C, E, Ev>, F, R>,
  ...[cluster = {}]: OptionsArgument<E, X>
): Effect.Effect<Agent<D, C, E, Ev>, F, Sharding.Sharding | SessionStore | Scope.Scope | R> =>
  owner(make as never, cluster as never) as never

/**
 * True while this process owns shards of the cluster. Use it for the readiness check of a load balancer. It is false
 * before the node gets its first shards, and from the moment when it begins to leave the cluster.
 */
export const isReady = (
  { shardsPerGroup }: Pick<ShardingConfig["Type"], "shardsPerGroup"> = defaults
): Effect.Effect<boolean, never, Sharding.Sharding> =>
  Effect.map(
    Sharding.Sharding,
    ({ hasShardId }) =>
      Array.from({ length: shardsPerGroup }, (_, i) => ShardId.make("default", i + 1)).some(hasShardId)
  )

/**
 * The agent of `kit.layer`, on a node of the cluster: each session is an entity on the node that its id maps to. Timers
 * run on the node that owns the session; so do jobs, if `jobs` is provided.
 */
export const layer = <I, D, C, E, Ev, const O extends Loose<AgentOptions<D, C, Ev>>, X = unknown>(
  tag: Context.Tag<I, Agent<D, C, E, Ev>>,
  kit: Kit<D, C, Ev>,
  options: CheckedAgent<O, D, C, Ev> & O,
  ...[cluster = {}]: OptionsArgument<E, X>
): Checked<
  O,
  E,
  I,
  Sharding.Sharding | SessionStore | LanguageModel.LanguageModel | Exclude<RequirementOf<O>, Scope.Scope>
> => Layer.scoped(tag, owning(erased(kit, options, cluster)) as never) as never

/** The model of a process that runs no turns: a call is a defect. */
const silent = Effect.map(
  LanguageModel.make({
    generateText: () => Effect.dieMessage("a client of the cluster asks no model"),
    streamText: () => Stream.dieMessage("a client of the cluster asks no model")
  }),
  (model) => model
)

/** The model aliases that a definition uses. Only the nodes have the models. */
const aliasesOf = ({ flows = [], model, models = {} }: Erase.ErasedAgent): ReadonlySet<string> =>
  new Set(
    [model, ...Object.values(models), ...flows.flatMap((flow) => [flow.model, ...flow.steps.map(({ model }) => model)])]
      .filter((alias) => alias !== undefined)
  )

const front = ({ cluster, make, options }: Definition) =>
  Effect.gen(function*() {
    const store = yield* SessionStore
    const model = Model.fromLanguageModel(yield* silent)
    const { agent, protocol, runtime, written } = yield* made(
      make.pipe(
        Effect.provideServiceEffect(LanguageModel.LanguageModel, silent),
        Effect.provideService(Model.Model, { ...model, aliases: aliasesOf(options) })
      ),
      store,
      cluster
    )
    return yield* ClusterAgent.make(protocol, runtime, written, agent.schemas)
  })

/** The services that the toolkits of a definition need when the agent is made. */
type ToolkitsOf<O> = O extends { readonly toolkits: infer T } ? RequirementOf<{ readonly toolkits: T }> : never

/**
 * An agent of the cluster, for a process that owns no sessions, such as an HTTP front. It sends each request to the
 * node that owns the session. It needs the store, to list sessions. It needs no model and no services of the agent's
 * code.
 */
export const layerClient = <I, D, C, E, Ev, const O extends Loose<AgentOptions<D, C, Ev>>, X = unknown>(
  tag: Context.Tag<I, Agent<D, C, E, Ev>>,
  kit: Kit<D, C, Ev>,
  options: CheckedAgent<O, D, C, Ev> & O,
  ...[cluster = {}]: OptionsArgument<E, X>
): Checked<O, E, I, Sharding.Sharding | SessionStore | Exclude<ToolkitsOf<O>, Scope.Scope>> =>
  Layer.scoped(tag, front(erased(kit, options, cluster)) as never) as never

/**
 * Runs the jobs of the sessions that this node owns, as `JobRunner.layer` does for a single process. Each node needs
 * it: a job runs on the node that owns its session.
 */
export const jobs = <J = never, E = never, R = never>(
  agent: JobRunner.Asking<J> | Effect.Effect<JobRunner.Asking<J>, E, R>,
  options: JobRunner.Options = {}
): Layer.Layer<never, E, R | Job.HandlersOf<J>> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const found = owned.get(Effect.isEffect(agent) ? yield* agent : agent)
    if (found === undefined) {
      return yield* Effect.dieMessage("Cluster.jobs takes the agent of a Cluster.layer in the same process")
    }
    const handlers = yield* Effect.context<Job.HandlersOf<J>>()
    yield* Effect.forkScoped(JobRunner.run([found.agent], handlers, found.live.store, options))
  }))
