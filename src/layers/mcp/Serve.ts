/** Serves an agent by the Model Context Protocol, over standard input and output or HTTP. */
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { LayerConfigurationError } from "../../domain/base/error/Errors.js"
import type { Principal } from "../../domain/session/TurnRequest.js"
import type { Agent } from "../../pipeline/agent/Contract.js"
import type { Limits } from "../server/Options.js"
import * as Options from "../server/Options.js"
import * as Access from "../server/requests/Access.js"
import { checkBindAddress } from "../server/requests/bindAddressCheck.js"
import * as Problem from "../server/requests/Problem.js"
import * as Quota from "../server/requests/Quota.js"
import { asNamed, perUser } from "../server/sessions/SessionIds.js"
import * as TurnSlots from "../server/turns/TurnSlots.js"
import * as AgentServer from "./AgentServer.js"
import * as CheckedLines from "./CheckedLines.js"
import type { McpError } from "./McpError.js"

const local: Principal = { userId: "local" }

/**
 * Serves the agent over standard input and output, until the client closes them. Logs go to standard error, because the
 * output carries only the protocol.
 */
export const serveStdio = <D, C, E, Ev>(
  agent: Agent<D, C, E, Ev>,
  options: {
    /** The owner of the conversations. Default: the user `local`. */
    readonly principal?: Principal
  } = {}
): Effect.Effect<void, McpError> =>
  Effect.gen(function*() {
    const [, stdio] = yield* AgentServer.library
    const ids = options.principal === undefined ? asNamed : perUser
    const make = yield* AgentServer.make(agent, TurnSlots.make(Infinity), ids)
    yield* Effect.acquireUseRelease(
      Effect.sync(() => {
        const input = CheckedLines.make(({ id, why }) =>
          void process.stdout.write(
            `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32600, message: why } })}\n`
          )
        )
        const transport = new stdio.StdioServerTransport(process.stdin.pipe(input), process.stdout)
        return stdio.serveStdio(() => make(options.principal ?? local), { transport })
      }),
      () =>
        Effect.async<void>((resume) => {
          const end = () => resume(Effect.void)
          process.stdin.once("end", end).once("close", end)
          return Effect.sync(() => void process.stdin.off("end", end).off("close", end))
        }),
      (handle) => Effect.ignore(Effect.tryPromise(() => handle.close()))
    )
  }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.stringLogger))))

export interface HttpOptions<R = never> extends Limits<R> {
  /** Path of the route. Default `/mcp`. */
  readonly path?: `/${string}`
}

const refused = (status: number, message: string, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.unsafeJson({ jsonrpc: "2.0", id: null, error: { code: -32600, message } }, { status, headers })

const ofProblem = (problem: Problem.Problem) => refused(problem.status, problem.detail, Problem.headersOf(problem))

const tooLarge = (limit: number) => refused(413, `At most ${limit} bytes are read.`)

/** The HTTP methods of the protocol's transport. */
const methods = ["DELETE", "GET", "POST"]

const otherMethod = refused(405, `This takes ${methods.join(", ")}.`, { allow: methods.join(", ") })

/** Reads a body of at most `limit` bytes, whatever its announced length; undefined for a method without a body. */
const bodyOf = (request: HttpServerRequest.HttpServerRequest, limit: number) =>
  request.method === "POST"
    ? HttpIncomingMessage.withMaxBodySize(request.text, Option.some(limit))
    : Effect.succeed(undefined)

/** Returns the request with its body, which was already read. */
const withBody = ({ headers, method, signal, url }: Request, body: string): Request =>
  new Request(url, { method, headers, signal, body })

/**
 * Serves the agent over HTTP, as a route of the application's router. A conversation belongs to its user: other users
 * cannot see or continue it.
 */
export const layerHttp = <D, C, E, Ev, EX = never, I = never, R = never>(
  given: Agent<D, C, E, Ev> | Effect.Effect<Agent<D, C, E, Ev>, EX, I>,
  options: HttpOptions<R> = {}
): Layer.Layer<
  never,
  EX | McpError | LayerConfigurationError,
  Exclude<I | R, Scope.Scope> | HttpLayerRouter.HttpRouter
> =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const agent = Effect.isEffect(given) ? yield* given : given
    const { authenticate, bodyLimit, path = "/mcp", rateLimit, turnsPerUser } = { ...Options.limits, ...options }
    if (authenticate === undefined) yield* checkBindAddress("Mcp.layerHttp")
    const services = yield* Effect.context<R>()
    const [library] = yield* AgentServer.library
    const ids = authenticate === undefined ? asNamed : perUser
    const make = yield* AgentServer.make(agent, TurnSlots.make(turnsPerUser), ids)
    const quota = yield* Quota.make(Options.rateOf(rateLimit))
    const handler = library.createMcpHandler(({ authInfo }) => make(AgentServer.principalOf(authInfo) ?? local))
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.tryPromise(() => handler.close())))

    const principal = (request: HttpServerRequest.HttpServerRequest) =>
      authenticate === undefined
        ? Effect.succeed(local)
        : Access.authenticated(Effect.provide(authenticate(request), services))
    const answer = (by: Principal, body: string | undefined) =>
      HttpApp.fromWebHandler(async (request) =>
        (authenticate === undefined ? strange(request) : undefined) ??
          handler.fetch(body === undefined ? request : withBody(request, body), {
            authInfo: { token: "", clientId: by.userId, scopes: [...by.roles ?? []], extra: { principal: by } }
          })
      )
    // Protects against DNS rebinding: an attacker's page in a browser may reach this machine by a host name that the
    // attacker controls.
    const strange = (request: Request): Response | undefined =>
      library.hostHeaderValidationResponse(request, library.localhostAllowedHostnames()) ??
        library.originValidationResponse(request, library.localhostAllowedOrigins())

    return HttpLayerRouter.add(
      "*",
      path,
      Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (!methods.includes(request.method)) return otherMethod
        if (Number(request.headers["content-length"] ?? 0) > bodyLimit) return tooLarge(bodyLimit)
        const by = yield* Effect.mapError(Effect.tap(principal(request), quota), ofProblem)
        const body = yield* Effect.mapError(bodyOf(request, bodyLimit), ({ cause }) =>
          cause instanceof Error && cause.message.includes("maxBytes")
            ? tooLarge(bodyLimit)
            : refused(400, "The request cannot be read."))
        const forged = CheckedLines.forgedIn(body ?? "")
        if (forged !== undefined) {
          return refused(400, forged.why)
        }
        return yield* Effect.mapError(answer(by, body), () =>
          refused(400, "The request cannot be read."))
      }).pipe(Effect.merge, Effect.map(HttpServerResponse.setHeader("cache-control", "no-store")))
    )
  }))
