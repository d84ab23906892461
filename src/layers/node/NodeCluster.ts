/**
 * A node of a cluster on Node: it talks to the other nodes over sockets, and keeps what they share in a database.
 *
 * ```ts
 * import { PgClient } from "@effect/sql-pg"
 * import * as NodeCluster from "coxswain/layers/node-cluster"
 * import { Layer, Redacted } from "effect"
 *
 * export const ClusterLive = NodeCluster.layer({ host: "10.0.0.7", port: 34431 }).pipe(
 *   Layer.provide(PgClient.layer({ url: NodeCluster.databaseUrl(Redacted.make("postgres://localhost/bot")) }))
 * )
 * ```
 *
 * `NodeClusterSocket.layer` and `NodeClusterHttp.layer` of `@effect/platform-node` serve as well, with
 * `shardingConfig: Cluster.settings`. This layer also sends each part of a stream without waiting for more, and notices
 * within four seconds that a node does not respond; their layers take a minute. It keeps the shards that a node acquires
 * while it refreshes its locks; theirs release them, and acquire them again a few seconds later.
 */
import type * as MessageStorage from "@effect/cluster/MessageStorage"
import { RunnerAddress } from "@effect/cluster/RunnerAddress"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import { RunnerStorage } from "@effect/cluster/RunnerStorage"
import type { Sharding } from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SocketRunner from "@effect/cluster/SocketRunner"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { Socket } from "@effect/platform/Socket"
import type { SocketServerError } from "@effect/platform/SocketServer"
import * as RpcClient from "@effect/rpc/RpcClient"
import * as RpcSerialization from "@effect/rpc/RpcSerialization"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { failing } from "../cluster/connection.js"
import { settings } from "../cluster/settings.js"
import { refreshingAcquired } from "./NodeClusterLocks.js"

/** The address of a node, and the settings of its cluster. */
export interface Options {
  /** The host name or IP address by which the other nodes reach this one. */
  readonly host: string
  /** The port for the other nodes. Default 34431. */
  readonly port?: number
  /** The host to listen on. Default: `host`. */
  readonly listenHost?: string
  /** Settings of the cluster that differ from `Cluster.settings`. All nodes need the same `shardsPerGroup`. */
  readonly shardingConfig?: Partial<ShardingConfig.ShardingConfig["Type"]>
}

const defaultPort = 34_431

/**
 * Adds to the URL of a PostgreSQL database that the server ends a transaction whose process is silent in it for three
 * seconds. Without it, a suspended node would keep its locks on rows. Its sessions, which then have another owner,
 * would wait for these locks. If the URL has `options`, returns it unchanged. PgBouncer refuses `options`: set
 * `idle_in_transaction_session_timeout` of the role there.
 */
export const databaseUrl = (url: Redacted.Redacted): Redacted.Redacted => {
  const text = Redacted.value(url)
  if (!URL.canParse(text)) return url
  const limited = new URL(text)
  if (limited.searchParams.has("options")) return url
  limited.searchParams.set("options", "-c idle_in_transaction_session_timeout=3000")
  return Redacted.make(limited.href)
}

/**
 * Connects to other nodes. Without `noDelay`, each part of a stream would wait for the acknowledgement of the part
 * before.
 */
const clients = Layer.effect(
  Runners.RpcClientProtocol,
  Effect.map(RpcSerialization.RpcSerialization, (serialization) => (address: RunnerAddress) =>
    Effect.orDie(
      Effect.flatMap(
        NodeSocket.makeNet({ ...address, openTimeout: 1000, timeout: 5500, noDelay: true }),
        (socket) =>
          Effect.provide(
            Effect.map(RpcClient.makeProtocolSocket(), failing),
            Layer.merge(
              Layer.succeed(Socket, socket),
              Layer.succeed(RpcSerialization.RpcSerialization, serialization)
            )
          )
      )
    ))
)

/** Asks another node up to three times whether it is alive, each time for at most a second. */
const health = Layer.effect(
  RunnerHealth.RunnerHealth,
  Effect.map(Runners.Runners, (runners) => ({
    isAlive: (address: RunnerAddress) =>
      runners.ping(address).pipe(Effect.timeout("1 second"), Effect.retry({ times: 2 }), Effect.isSuccess)
  }))
)

/**
 * The storage that all nodes share. If nodes start together on an empty database, they create its tables at the same
 * time; all but one fail, and try again.
 */
const storage = Layer.scopedContext(
  Effect.flatMap(Effect.scope, (scope) =>
    Layer.buildWithScope(
      Layer.fresh(Layer.provideMerge(SqlRunnerStorage.layer, SqlMessageStorage.layer)),
      scope
    )).pipe(
      Effect.map((context) =>
        Context.add(context, RunnerStorage, refreshingAcquired(Context.get(context, RunnerStorage)))
      ),
      Effect.sandbox,
      Effect.retry({ times: 10, schedule: Schedule.jittered(Schedule.spaced("300 millis")) }),
      Effect.unsandbox,
      Effect.orDie
    )
)

/**
 * A node that owns sessions. Stops gracefully with its scope: running turns may finish, for up to
 * `entityTerminationTimeout` (15 seconds); the remaining sessions move to other nodes.
 */
export const layer = (
  { host, listenHost = host, port = defaultPort, shardingConfig }: Options
): Layer.Layer<Sharding | Runners.Runners | MessageStorage.MessageStorage, SocketServerError, SqlClient> =>
  SocketRunner.layer.pipe(
    Layer.provide(NodeSocketServer.layer({ host: listenHost, port, noDelay: true })),
    Layer.provide(Layer.provide(health, Runners.layerRpc)),
    Layer.provide(clients),
    Layer.provideMerge(storage),
    Layer.provide(ShardingConfig.layer({
      ...settings,
      ...shardingConfig,
      runnerAddress: Option.some(RunnerAddress.make({ host, port }))
    })),
    Layer.provide(RpcSerialization.layerMsgPack)
  )

/** A process that owns no sessions, such as an HTTP front. */
export const layerClient = (
  shardingConfig: Partial<ShardingConfig.ShardingConfig["Type"]> = {}
): Layer.Layer<Sharding | Runners.Runners | MessageStorage.MessageStorage, never, SqlClient> =>
  SocketRunner.layerClientOnly.pipe(
    Layer.provide(clients),
    Layer.provideMerge(storage),
    Layer.provide(ShardingConfig.layer({ ...settings, ...shardingConfig, runnerAddress: Option.none() })),
    Layer.provide(RpcSerialization.layerMsgPack)
  )
