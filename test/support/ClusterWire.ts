/** A node and a front of a cluster in one process. The connection between them has the engine's own protocol, and can break. */
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerServer,
  RunnerStorage,
  ShardingConfig,
  Snowflake
} from "@effect/cluster"
import { RpcClient, RpcClientError, RpcServer } from "@effect/rpc"
import * as Cluster from "coxswain/layers/cluster"
import { type Duration, Effect, identity, Layer, Mailbox, Option, Schema } from "effect"

/** A message of the front that dies with a defect, before or after it has reached the node. Its connection breaks. */
export interface Fault {
  /** The name of the message. */
  readonly rpc: string
  readonly moment: "before" | "after"
  readonly defect: unknown
}

type FromServer = Parameters<RpcServer.Protocol["Type"]["send"]>[1]
type FromClient = Parameters<RpcClient.Protocol["Type"]["send"]>[0]

const decodeTag = Schema.decodeUnknownOption(
  Schema.Struct({ payload: Schema.Struct({ request: Schema.Struct({ tag: Schema.String }) }) })
)
const nameOf = (request: FromClient): string =>
  request._tag === "Request"
    ? Option.match(decodeTag(request), { onNone: () => request.tag, onSome: ({ payload }) => payload.request.tag })
    : request._tag

const config = (
  runnerAddress: Option.Option<RunnerAddress.RunnerAddress>,
  entityTerminationTimeout: Duration.DurationInput = "100 millis"
) =>
  ShardingConfig.layer({
    ...Cluster.settings,
    runnerAddress,
    refreshAssignmentsInterval: "20 millis",
    entityMessagePollInterval: "20 millis",
    entityReplyPollInterval: "10 millis",
    sendRetryInterval: "10 millis",
    entityTerminationTimeout
  })

/**
 * `around` is what the front puts around its side of the connection. A node that leaves lets its turns end for
 * `termination`; default 100 milliseconds.
 */
export const make = (
  around: (protocol: RpcClient.Protocol["Type"]) => RpcClient.Protocol["Type"] = identity,
  termination?: Duration.DurationInput
) =>
  Effect.gen(function*() {
    const faults: Array<Fault> = []
    const sent: Array<string> = []
    const readers = new Map<number, (response: FromServer) => Effect.Effect<void>>()
    const disconnects = yield* Mailbox.make<number>()
    let serve: (clientId: number, request: FromClient) => Effect.Effect<void> = () => Effect.dieMessage("no node")
    const server = RpcServer.Protocol.make((write) =>
      Effect.sync(() => {
        serve = write
        return {
          disconnects,
          send: (clientId, response) => readers.get(clientId)?.(structuredClone(response)) ?? Effect.void,
          end: () => Effect.void,
          clientIds: Effect.sync(() => new Set(readers.keys())),
          initialMessage: Effect.succeedNone,
          supportsAck: true,
          supportsTransferables: false,
          supportsSpanPropagation: false
        }
      })
    )
    let clients = 0
    const connect = () =>
      Effect.map(
        RpcClient.Protocol.make((write) =>
          Effect.sync(() => {
            const open = () => {
              readers.set(++clients, write)
              return clients
            }
            let clientId = open()
            /** A connection that breaks ends all its calls. */
            const breaks = Effect.suspend(() => {
              readers.delete(clientId)
              disconnects.unsafeOffer(clientId)
              clientId = open()
              const error = new RpcClientError.RpcClientError({ reason: "Protocol", message: "Error in socket" })
              return Effect.forkDaemon(write({ _tag: "ClientProtocolError", error }))
            })
            const send = (request: FromClient) =>
              Effect.suspend(() => {
                sent.push(nameOf(request))
                const i = faults.findIndex(({ rpc }) => rpc === nameOf(request))
                const [fault] = i < 0 ? [] : faults.splice(i, 1)
                const reaches = serve(clientId, structuredClone(request))
                if (fault === undefined) return reaches
                return (fault.moment === "after" ? reaches : Effect.void).pipe(
                  Effect.zipRight(breaks),
                  Effect.zipRight(Effect.die(fault.defect))
                )
              })
            return { send, supportsAck: true, supportsTransferables: false }
          })
        ),
        around
      )
    const runners = yield* Layer.build(RunnerStorage.layerMemory)
    const driver = yield* Effect.provide(MessageStorage.MemoryDriver, MessageStorage.MemoryDriver.Default)
    const shared = Layer.mergeAll(
      Layer.succeedContext(runners),
      RunnerHealth.layerNoop,
      Layer.succeed(Runners.RpcClientProtocol, connect),
      Layer.effect(MessageStorage.MessageStorage, MessageStorage.makeEncoded(driver.encoded)).pipe(
        Layer.provide(Snowflake.layerGenerator)
      )
    )
    return {
      /** The faults to come: each happens once. */
      faults,
      /** The names of the messages that the front has sent, in order. */
      sent,
      node: RunnerServer.layerWithClients.pipe(
        Layer.provide(Layer.scoped(RpcServer.Protocol, server)),
        Layer.provideMerge(Layer.fresh(shared)),
        Layer.provide(config(Option.some(RunnerAddress.make("node", 1)), termination))
      ),
      front: RunnerServer.layerClientOnly.pipe(
        Layer.provideMerge(Layer.fresh(shared)),
        Layer.provide(config(Option.none()))
      )
    }
  })
