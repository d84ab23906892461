/** 404 and 405 responses for unmatched routes. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerError from "@effect/platform/HttpServerError"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { AnyApi } from "../Serving.js"
import * as Problem from "./Problem.js"

/** Returns the methods of the routes at the path of a URL; empty if there is no route. */
type MethodsAt = (url: string) => ReadonlyArray<string>

export const methodsAt = (api: AnyApi): MethodsAt => {
  const routes = HttpLayerRouter.FindMyWay.make<true>(routerConfig)
  const methods = new Set<string>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      methods.add(method)
      routes.on(method, path, true)
    }
  })
  return (url) => {
    const found = [...methods].filter((method) => routes.find(method, url) !== undefined)
    // GET routes also answer HEAD.
    return found.includes("GET") ? [...found, "HEAD"].sort() : found.sort()
  }
}

/**
 * The options of the router. Ids of sessions and calls may have 200 characters, and one character becomes up to nine
 * characters in a path. Without `caseSensitive`, the router takes parameters by their place in the path in lower case,
 * which is longer if the path has a letter `İ`.
 */
export const routerConfig = { caseSensitive: true, maxParamLength: 2000 } as const

const pathOf = (url: string): string => url.split("?")[0]!.slice(0, 200)

const nothingAt = (url: string): Problem.Problem =>
  Problem.make(
    404,
    "RouteNotFound",
    "No such route",
    `There is nothing at ${pathOf(url)}. The routes are listed at /docs, unless the server hides that page.`
  )

const otherMethod = ({ method, url }: HttpServerRequest.HttpServerRequest, methods: string): Problem.Problem =>
  Problem.make(
    405,
    "MethodNotAllowed",
    "Not with this method",
    `${pathOf(url)} takes ${methods}, and not ${method}.`
  )

const respond = (
  request: HttpServerRequest.HttpServerRequest,
  at: MethodsAt
): HttpServerResponse.HttpServerResponse => {
  const methods = at(request.url).join(", ")
  return methods === ""
    ? Problem.respond(nothingAt(request.url))
    : HttpServerResponse.setHeader(Problem.respond(otherMethod(request, methods)), "allow", methods)
}

/**
 * Responds to unmatched routes of the whole router. Add it after all routes and their middleware, so that pages of
 * other allowed origins can read the response.
 */
export const layer = (at: MethodsAt) =>
  HttpLayerRouter.middleware((route) =>
    Effect.catchAllCause(route, (cause) => {
      const error = Cause.squash(cause)
      return error instanceof HttpServerError.RouteNotFound
        ? Effect.succeed(respond(error.request, at))
        : Effect.failCause(cause)
    }) as typeof route, { global: true })
