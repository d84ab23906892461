/** Makes `coxswain serve` a node of a cluster, with settings from the environment. */
import type { FileSystem } from "@effect/platform/FileSystem"
import type { Path } from "@effect/platform/Path"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as os from "node:os"
import { reasonOf } from "../domain/base/error/ErrorMessage.js"
import { optional } from "../domain/fields/Fields.js"
import type { isReady } from "../layers/cluster/Cluster.js"
import { SessionStore } from "../services/session/SessionStore.js"
import type { TurnFeed } from "../services/turn/TurnFeed.js"
import type * as AgentFile from "./AgentFile.js"
import { Unusable, unusable } from "./CommandFailure.js"
import * as Setting from "./Setting.js"

type Sharding = Effect.Effect.Context<ReturnType<typeof isReady>>
type Needs = SessionStore | Scope.Scope | FileSystem | Path

/** This process as a node of the cluster. */
export class Node extends Context.Tag("coxswain/cli/ClusterNode")<Node, {
  /** Makes an agent that `load` loads a part of the cluster. */
  readonly own: <E>(
    load: Effect.Effect<AgentFile.LoadedAgent, E, Needs>
  ) => Effect.Effect<AgentFile.LoadedAgent, E | Unusable, Needs>
  /** Fails while this node owns no sessions: before it has taken its shards, and when it leaves. */
  readonly ready: Effect.Effect<void, Unusable>
}>() {}

const variables = Config.all({
  url: Config.redacted("COXSWAIN_CLUSTER_URL").pipe(Config.orElse(() => Config.redacted("DATABASE_URL"))),
  host: Config.string("COXSWAIN_CLUSTER_HOST").pipe(Config.withDefault(os.hostname())),
  port: Config.integer("COXSWAIN_CLUSTER_PORT").pipe(Config.withDefault(34_431)),
  listenHost: Config.string("COXSWAIN_CLUSTER_LISTEN").pipe(Config.withDefault("0.0.0.0"))
})

const modules = Setting.load(
  "a node of a cluster does not load",
  "@effect/cluster @effect/rpc @effect/workflow @effect/sql @effect/sql-pg @effect/platform-node",
  () =>
    Promise.all([
      import("../layers/cluster/Cluster.js"),
      import("../layers/node/NodeCluster.js"),
      import("../layers/stores/Postgres.js")
    ])
)

const noShards = new Unusable({
  what: "the node owns no sessions",
  why: "it has not taken its shards yet, or it leaves the cluster",
  fix: "Wait until it has taken its shards"
})

const ownStore = (file: string) =>
  new Unusable({
    what: `the agent of ${file} cannot be part of a cluster`,
    why: "it brings a session store of its own, and the sessions of a cluster are in the database of the cluster",
    fix: "Leave the session store out of the file"
  })

/**
 * The failures of the agent's own code, as sent between nodes: their tag and message. Their Schemas are not known here.
 */
const Failure: Schema.Schema<unknown, { readonly tag?: string; readonly error: unknown }> = Schema.transform(
  Schema.Struct({ tag: optional(Schema.String), error: Schema.Defect }),
  Schema.Unknown,
  {
    strict: true,
    decode: ({ error, tag }) => tag === undefined ? error : Object.assign(new Error(reasonOf(error)), { _tag: tag }),
    encode: (error) => ({
      error,
      ...(Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && { tag: error._tag })
    })
  }
)

/** The node, the session store of the cluster, and the records of its turns. */
export const layer: Layer.Layer<Node | SessionStore | TurnFeed, Unusable> = Layer.unwrapEffect(Effect.gen(function*() {
  const { url, ...address } = yield* Effect.mapError(
    variables,
    unusable(
      "the settings of the cluster are missing",
      "Set COXSWAIN_CLUSTER_URL to the PostgreSQL database that all nodes share"
    )
  )
  const [Cluster, NodeCluster, Postgres] = yield* modules
  const node = Layer.effect(
    Node,
    Effect.map(
      Effect.context<Sharding>(),
      (sharding) => ({
        own: <E>(load: Effect.Effect<AgentFile.LoadedAgent, E, Needs>) =>
          Effect.gen(function*() {
            const made: Array<AgentFile.LoadedAgent> = []
            const making = Effect.flatMap(Effect.zip(load, SessionStore), ([loaded, store]) => {
              made.push(loaded)
              return loaded.runtime.store === store ? Effect.succeed(loaded.agent) : ownStore(loaded.file)
            })
            const agent = yield* Effect.provide(Cluster.own(making, { failures: Failure }), sharding)
            return { ...made[0]!, agent }
          }),
        ready: Effect.provide(Effect.unlessEffect(Effect.fail(noShards), Cluster.isReady()), sharding)
      })
    )
  )
  return Layer.mergeAll(node, Cluster.layerTurns, Cluster.layerRetention()).pipe(
    Layer.provide(NodeCluster.layer(address)),
    Layer.merge(Postgres.layerClient()),
    Layer.provide(Postgres.layerSql({ url: NodeCluster.databaseUrl(url) })),
    Layer.mapError(unusable("the node does not start", "Check the database, and the host and port of the node"))
  )
}))
