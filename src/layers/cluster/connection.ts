/** The connection of a process to another node of the cluster. */
import type * as RpcClient from "@effect/rpc/RpcClient"
import { RpcClientError } from "@effect/rpc/RpcClientError"
import * as Effect from "effect/Effect"

/**
 * Turns the defect of a message that is being written into a failure, so that the cluster sends the message to the next
 * owner. Writing to a socket of @effect/platform-node 0.108 dies when the other end has just died; and a stream of
 * @effect/cluster 0.60 whose acknowledgement dies would wait for ever.
 */
export const failing = (protocol: RpcClient.Protocol["Type"]): RpcClient.Protocol["Type"] => ({
  ...protocol,
  send: (request, transferables) =>
    Effect.catchAllDefect(
      protocol.send(request, transferables),
      (cause) =>
        new RpcClientError({ reason: "Protocol", message: "The connection to a node of the cluster is broken", cause })
    )
})
