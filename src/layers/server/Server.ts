/**
 * Serves an agent over HTTP, as routes of a router of `@effect/platform`.
 *
 * ```ts
 * import { Agent, SessionStore } from "coxswain"
 * import * as NodeServer from "coxswain/layers/node-server"
 * import * as Offline from "coxswain/layers/offline"
 * import * as Server from "coxswain/layers/server"
 * import { Effect, Layer, Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 * class Trips extends kit.Service<Trips>()("Trips", {
 *   name: "Trips",
 *   flows: [{ title: "Plan a trip", steps: [{ id: "city", prompt: "Ask where to", collect: ["city"] }] }]
 * }) {}
 *
 * const authenticate: Server.Authenticate = ({ headers }) =>
 *   headers.authorization === "Bearer secret"
 *     ? Effect.succeed({ userId: "ann" })
 *     : Effect.fail(new Server.Unauthorized({ why: "no known token" }))
 *
 * export const live = Server.serve(Server.layer(Trips, { authenticate })).pipe(
 *   Layer.provide(Trips.layer),
 *   Layer.provide([Offline.layer, SessionStore.layerMemory]),
 *   Layer.provide(NodeServer.layer({ port: 4400 }))
 * )
 * ```
 */
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { LayerConfigurationError } from "../../domain/base/error/Errors.js"
import type { Agent } from "../../pipeline/agent/Contract.js"
import { registerTurns } from "../../pipeline/agent/Keeping.js"
import { check } from "../../pipeline/phases/check.js"
import { runtimeOf } from "../../pipeline/state/agentInternals.js"
import type { Runtime } from "../../pipeline/state/TurnState.js"
import * as SessionLock from "../../services/session/SessionLock.js"
import * as Sealed from "../../services/storage/Sealed.js"
import * as TurnFeed from "../../services/turn/TurnFeed.js"
import * as AgentRoutes from "./AgentRoutes.js"
import * as Api from "./api/Api.js"
import { docsPage } from "./api/docsPage.js"
import * as AgUiRoutes from "./clients/AgUiRoutes.js"
import * as ChatRoutes from "./clients/ChatRoutes.js"
import * as OpenAiRoutes from "./clients/OpenAiRoutes.js"
import * as FileRoutes from "./files/FileRoutes.js"
import * as StorageQuota from "./files/StorageQuota.js"
import { limitOf } from "./files/uploads.js"
import * as HealthRoutes from "./HealthRoutes.js"
import * as Options from "./Options.js"
import * as Page from "./Page.js"
import { demonstrated } from "./past/demoClock.js"
import * as PastRoutes from "./past/PastRoutes.js"
import * as Access from "./requests/Access.js"
import { checkBindAddress } from "./requests/bindAddressCheck.js"
import * as Guard from "./requests/Guard.js"
import * as NotFound from "./requests/notFound.js"
import * as Quota from "./requests/Quota.js"
import { header as requestIdHeader } from "./requests/requestId.js"
import * as Requests from "./requests/Requests.js"
import type { AnyApi, Serving } from "./Serving.js"
import * as OperatorRoutes from "./sessions/OperatorRoutes.js"
import * as PersonRoutes from "./sessions/PersonRoutes.js"
import * as SessionIds from "./sessions/SessionIds.js"
import * as SessionRoutes from "./sessions/SessionRoutes.js"
import * as Feeds from "./streams/Feeds.js"
import * as YieldToSockets from "./streams/yieldToSockets.js"
import * as TurnRoutes from "./turns/TurnRoutes.js"
import type { AnyAgent } from "./turns/Turns.js"
import * as Turns from "./turns/Turns.js"
import * as TurnSlots from "./turns/TurnSlots.js"

export type { WhileBusy } from "../../domain/authored/AgentOptions.js"
export { type Api, api, EventBody, type Schemas } from "./api/Api.js"
export { DecisionBody } from "./api/ApiParts.js"
export { BeginBody, TurnBody } from "./api/TurnBody.js"
export type { Limits, Options } from "./Options.js"
export type { PageOptions } from "./Page.js"
export { type Authenticate, CurrentPrincipal, Unauthorized } from "./requests/Access.js"
export { Problem } from "./requests/Problem.js"
export { sessionIdOf } from "./sessions/SessionIds.js"

/** A server for an agent. */
export interface Service {
  /**
   * Accepts no new turns, waits for running ones for up to `stopWithin`, stops the others, and ends all streams.
   * `serve` does it before the server closes.
   */
  readonly stop: Effect.Effect<void>
  /** The methods of the agent's routes at the path of a URL; empty when there is no route. */
  readonly methodsAt: (url: string) => ReadonlyArray<string>
}

/** The tag of the server. */
export class Server extends Context.Tag("coxswain/Server")<Server, Service>() {}

/** An agent, or an effect that returns an agent, such as the Tag of its service. */
type AgentOrEffect<D, C, E, Ev, EX, R> = Agent<D, C, E, Ev> | Effect.Effect<Agent<D, C, E, Ev>, EX, R>

const configuration = (what: string, why: string, fix: string) =>
  new LayerConfigurationError({ path: "server", what, why, fix })

const runtimeFor = (agent: object): Effect.Effect<Runtime, LayerConfigurationError> =>
  Effect.mapError(
    Effect.fromNullable(runtimeOf(agent)),
    () => configuration("the agent", "it was not made by a kit", "Pass what kit.make or kit.Service gives")
  )

/** Removes the types of an agent's data: the routes encode and decode it with the agent's Schemas. */
const erase = <D, C, E, Ev>(agent: Agent<D, C, E, Ev>): AnyAgent => agent as never

const routes = (api: AnyApi, serving: Serving) =>
  HttpLayerRouter.addHttpApi(api).pipe(Layer.provide([
    HealthRoutes.layer(api, serving),
    AgentRoutes.layer(api, serving),
    TurnRoutes.layer(api, serving),
    SessionRoutes.layer(api, serving),
    FileRoutes.layer(api, serving),
    PastRoutes.layer(api, serving),
    OperatorRoutes.layer(api, serving),
    PersonRoutes.layer(api, serving),
    ChatRoutes.layer(api, serving),
    OpenAiRoutes.layer(api, serving),
    AgUiRoutes.layer(api, serving)
  ]))

const pageHeaders = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff"
}

/** Serves the page of the API. If the data has no JSON schema, warns, and serves only the agent's routes. */
const docs = (api: AnyApi) =>
  Layer.unwrapEffect(Effect.sync(() => {
    const spec = OpenApi.fromApi(api)
    const page = HttpServerResponse.setHeaders(
      HttpServerResponse.html(docsPage(spec, "docs/openapi.json")),
      pageHeaders
    )
    return Layer.mergeAll(
      HttpLayerRouter.add("GET", "/docs", page),
      HttpLayerRouter.add("GET", "/docs/openapi.json", HttpServerResponse.unsafeJson(spec))
    )
  })).pipe(
    Layer.catchAllCause((cause) =>
      Layer.effectDiscard(Effect.logWarning("The page of the API is left out: no OpenAPI document can be made", cause))
    )
  )

/**
 * The routes of an agent, for the router of an application.
 *
 * Without `authenticate` it can only be built when the server listens on loopback, and has the OpenAPI page at `/docs`.
 */
export const layer = <D, C, E, Ev, EX = never, I = never, R = never>(
  given: AgentOrEffect<D, C, E, Ev, EX, I>,
  options: Options.Options<C, R> = {}
): Layer.Layer<
  Server,
  EX | LayerConfigurationError,
  I | R | HttpLayerRouter.HttpRouter | HttpRouter.HttpRouter.DefaultServices
> =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const written = erase(Effect.isEffect(given) ? yield* given : given)
    const resolved = Options.resolve(options, yield* Effect.context<R>())
    if (options.authenticate === undefined) yield* checkBindAddress("Server.layer")
    const runtime = yield* runtimeFor(written)
    const { agent, demo, send } = demonstrated(resolved.demo, written, runtime)
    const kept = Option.getOrElse(yield* Effect.serviceOption(TurnFeed.TurnFeed), () => undefined) ??
      (yield* TurnFeed.make)
    const feed = Sealed.beside(runtime.store, Sealed.feed, kept)
    registerTurns(runtime, feed)
    const { authenticate, operatorRole, stopWithin } = resolved
    const whileBusy = resolved.whileBusy ?? runtime.definition.whileBusy
    const turns = Turns.make({
      agent,
      feed,
      whileBusy,
      generateId: runtime.generateId,
      onDisconnect: resolved.onDisconnect,
      places: TurnSlots.make(resolved.turnsPerUser),
      order: yield* SessionLock.make
    })
    // Without credentials all clients are one user.
    const ids = options.authenticate === undefined ? SessionIds.asNamed : SessionIds.perUser
    const asked = Requests.asked(authenticate)
    const serving: Serving = {
      ...resolved,
      feeds: yield* Feeds.make({
        agent,
        feed: runtime.feed,
        perUser: resolved.feedsPerUser,
        perServer: resolved.feeds,
        closed: turns.closed
      }),
      still: Requests.still(asked),
      newId: runtime.generateId,
      agent,
      runtime,
      turns,
      whileBusy,
      check: (said) => check(runtime, said),
      send,
      demo,
      store: runtime.store,
      blobs: runtime.blobs,
      storage: yield* StorageQuota.make(runtime.blobs, resolved.storedBytesPerUser),
      access: Access.make({ agent, feed, ids, operatorRole }),
      ready: Effect.zipRight(runtime.store.list({ limit: 1 }), resolved.ready),
      contextFor: Requests.contextFor(agent, runtime.definition, resolved),
      encodedData: Requests.dataOf(agent),
      decodeDirective: Requests.directiveOf(runtime)
    }
    const stop = yield* Effect.cached(turns.stop(stopWithin))
    yield* Effect.addFinalizer(() => stop)
    const api: AnyApi = Api.api<unknown, unknown>(agent.schemas as Api.Schemas<unknown, unknown>)
    const quota = yield* Quota.make(resolved.rateLimit)
    const authentication = Layer.succeed(
      Access.Authentication,
      Effect.tap(asked, quota)
    )
    const guard = Guard.make({
      bodyLimit: resolved.bodyLimit,
      loopback: options.authenticate === undefined,
      uploadLimit: limitOf(runtime),
      origins: resolved.cors?.allowedOrigins
    })
    return Layer.mergeAll(
      Layer.succeed(Server, { stop, methodsAt: NotFound.methodsAt(api) }),
      routes(api, serving).pipe(Layer.provide([authentication, guard.layer])),
      resolved.docs ? Layer.provide(docs(api), guard.layer) : Layer.empty,
      resolved.page === undefined ? Layer.empty : Layer.provide(Page.layer(resolved.page), guard.layer),
      resolved.cors === undefined
        ? Layer.empty
        : HttpLayerRouter.cors({ exposedHeaders: [requestIdHeader], ...resolved.cors })
    )
  }))

const unrouted = Layer.unwrapEffect(Effect.map(Server, ({ methodsAt }) => NotFound.layer(methodsAt)))

/**
 * Serves an application that contains `layer`, and stops it gracefully: before connections close, running turns are
 * finished and open streams get a last event. Unknown paths get a problem document too: 404, or 405 with `allow` where
 * the agent has routes with other methods.
 */
export const serve = <A, E, R>(app: Layer.Layer<A | Server, E, R>) =>
  Layer.scopedDiscard(Effect.flatMap(Server, ({ stop }) => Effect.addFinalizer(() => stop))).pipe(
    Layer.provideMerge(HttpLayerRouter.serve(Layer.provideMerge(unrouted, app), {
      disableLogger: true,
      disableListenLog: true,
      routerConfig: NotFound.routerConfig
    })),
    Layer.provide(YieldToSockets.layer)
  )
