/** Gives each request an id, which is in the response and in the log lines of the request. */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { bytesToHex, randomBytes } from "@noble/hashes/utils"
import * as Effect from "effect/Effect"

/** The header with the id. */
export const header = "x-request-id"

/** The id that a proxy has given to the request, or a new one. */
const idOf = ({ headers }: HttpServerRequest.HttpServerRequest): string => {
  const given = headers[header]
  return given !== undefined && /^[\w.:-]{1,128}$/.test(given) ? given : bytesToHex(randomBytes(12))
}

/**
 * Annotates the logs of a request with `requestId`, and sends the id in the header `x-request-id`. A well-formed id from
 * a proxy is kept.
 */
export const withRequestId = <E, R>(
  route: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const id = idOf(request)
    return Effect.map(
      Effect.annotateLogs(route, "requestId", id),
      (response) => HttpServerResponse.setHeader(response, header, id)
    )
  })
