/** The middleware around all routes: limits for requests, and problem documents for failures. */
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Excerpt from "../../../domain/base/error/Excerpt.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import { isForm } from "../files/uploads.js"
import * as Problem from "./Problem.js"
import { readJson } from "./readJson.js"
import { withRequestId } from "./requestId.js"

interface Options {
  /** Maximum size of a body, in bytes. */
  readonly bodyLimit: number
  /** True if only requests that name this machine as the host are accepted. */
  readonly loopback: boolean
  /** Maximum size of a form with files, in bytes; undefined if forms are not accepted. */
  readonly uploadLimit: number | undefined
  /** Origins of other pages that may send forms. */
  readonly origins: ReadonlyArray<string> | undefined
}

const notJson = Problem.make(
  415,
  "UnsupportedMediaType",
  "The body is not JSON",
  "Send JSON, with the header content-type: application/json."
)

const otherHost = Problem.refused("Without authentication only requests to localhost are answered.")

const isLocalName = (host: string | undefined): boolean =>
  host !== undefined && /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i.test(host)

const otherOrigin = Problem.refused("A page of another origin may not send files.")

/** Matches the paths that accept forms with files. The application may have put a path before them. */
const takesForms = /\/(?:sessions\/[^/?]{1,2000}\/(?:files|turns|turns\/stream)|v1\/files)$/

/**
 * True if a page of another origin sent the request. Browsers let such a page send forms without asking the server
 * first. Clients other than browsers do not send `Origin` or `Sec-Fetch-Site`.
 */
const isForeign = ({ headers }: HttpServerRequest.HttpServerRequest, origins: Options["origins"]): boolean => {
  const { host, origin, "sec-fetch-site": site } = headers
  if (origin !== undefined && origins?.includes(origin) === true) return false
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host)
}

/** Returns the reason to refuse a form with files, if there is one. */
const formRefused = (request: HttpServerRequest.HttpServerRequest, limit: number, origins: Options["origins"]) =>
  isForeign(request, origins) ? otherOrigin : exceeds(request, limit)

const exceeds = ({ headers }: HttpServerRequest.HttpServerRequest, limit: number) =>
  Number(headers["content-length"] ?? 0) > limit ? Problem.tooLarge(limit) : undefined

/**
 * Returns the reason to refuse a request, before its body is read. Browsers let pages of other origins send forms and
 * plain text without asking the server first, but not JSON, so only JSON is accepted. The host is checked, because a
 * host name of an attacker may resolve to this machine.
 */
const refused = (
  request: HttpServerRequest.HttpServerRequest,
  { bodyLimit, loopback, origins, uploadLimit }: Options
): Problem.Problem | undefined => {
  const { headers, method, url } = request
  if (loopback && !isLocalName(headers.host)) return otherHost
  if (uploadLimit !== undefined && method === "POST" && isForm(request) && takesForms.test(url.split("?")[0]!)) {
    return formRefused(request, uploadLimit, origins)
  }
  return exceeds(request, bodyLimit) ??
    (method === "POST" && !isJsonType(headers["content-type"]) ? notJson : undefined)
}

const isJsonType = (type: string | undefined): boolean =>
  type?.split(";")[0]?.trim().toLowerCase() === "application/json"

const Complaint = Schema.parseJson(Schema.Struct({
  _tag: Schema.Literal("HttpApiDecodeError"),
  issues: Schema.Array(Schema.Struct({
    path: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
    message: Schema.String
  }))
}))
const decodeComplaint = Decode.either(Complaint)

/** Converts the decode errors of `HttpApi` to problem documents. */
const told = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body, status } = response
  if (status !== 400 || body._tag !== "Uint8Array" || body.contentType !== "application/json") return response
  return Either.match(decodeComplaint(new TextDecoder().decode(body.body)), {
    onLeft: () => response,
    onRight: ({ issues }) => {
      const [first] = issues
      const field = first?.path.join(".") ?? ""
      const text = first === undefined ? "The request does not decode." : Excerpt.start(first.message, 300)
      return Problem.respond(field === "" ? Problem.malformed(text) : Problem.malformed(`${field}: ${text}`, field))
    }
  })
}

/** Forbids browsers and proxies to store responses. */
const unstored = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  response.headers["cache-control"] === undefined
    ? HttpServerResponse.setHeader(response, "cache-control", "no-store")
    : response

const ofRequest = ({ cause }: HttpServerError.RequestError, limit: number): Problem.Problem =>
  cause instanceof Error && cause.message.includes("maxBytes")
    ? Problem.tooLarge(limit)
    : Problem.malformed("The body cannot be read.", "body")

/** Responds to failures that the routes do not handle: unreadable bodies, and defects. */
const failed = (cause: Cause.Cause<unknown>, { bodyLimit }: Options) => {
  if (Cause.isInterrupted(cause)) return Effect.failCause(cause)
  const error = Cause.squash(cause)
  return error instanceof HttpServerError.RequestError
    ? Effect.succeed(Problem.respond(ofRequest(error, bodyLimit)))
    : Effect.map(Problem.ofCause(cause), Problem.respond)
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * Returns the request, changed so that `readJson` reads its body. The body is read only when a route asks for it. Its
 * text is cached here, because the request's own cache takes longer than reading the body.
 */
const shallow = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
  let kept: string | undefined
  let isText = false
  const text = Effect.suspend(() => {
    if (kept !== undefined) return Effect.succeed(kept)
    isText = true
    return request.text
  })
  const whole = Effect.suspend(() =>
    isText || kept !== undefined ? text : Effect.map(request.arrayBuffer, (bytes) => kept = decoder.decode(bytes))
  )
  return Object.create(request, {
    text: { get: () => text },
    json: { get: () => Effect.flatMap(whole, (body) => body === "" ? Effect.succeed(null) : readJson(body)) }
  })
}

export const make = (options: Options) =>
  HttpLayerRouter.middleware((route) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const problem = refused(request, options)
      return problem === undefined
        ? Effect.provideService(route, HttpServerRequest.HttpServerRequest, shallow(request))
        : Effect.succeed(Problem.respond(problem))
    }).pipe(
      HttpIncomingMessage.withMaxBodySize(Option.some(options.bodyLimit)),
      Effect.map(told),
      // Handles all failures that the routes have not handled; only interruptions remain.
      Effect.catchAllCause((cause) => failed(cause, options)) as <A>(effect: A) => A,
      Effect.map(unstored),
      withRequestId
    )
  )
