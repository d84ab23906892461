/** Checks which machines can reach a server. */
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { LayerConfigurationError } from "../../../domain/base/error/Errors.js"

const isLoopback = (address: HttpServer.Address): boolean =>
  address._tag === "UnixAddress" || /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(address.hostname)

/**
 * Fails unless the server listens on loopback: required without authentication. Also fails if the address is unknown.
 */
export const checkBindAddress = (what: string): Effect.Effect<void, LayerConfigurationError> =>
  Effect.flatMap(
    Effect.serviceOption(HttpServer.HttpServer),
    (server) =>
      Option.exists(server, ({ address }) => isLoopback(address)) ? Effect.void : new LayerConfigurationError({
        path: "server",
        what: "authenticate is missing",
        why: Option.isNone(server)
          ? "it is not known which address the server listens on"
          : "the server listens on an address that other machines reach",
        fix: `Pass authenticate to ${what}, or listen on host 127.0.0.1`
      })
  )
