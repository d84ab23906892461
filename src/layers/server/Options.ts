/** The options of a server. */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { bytesToHex, randomBytes } from "@noble/hashes/utils"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { WhileBusy } from "../../domain/authored/AgentOptions.js"
import type { Principal } from "../../domain/session/TurnRequest.js"
import type { PageOptions } from "./Page.js"
import * as Access from "./requests/Access.js"

/** Maximum number of requests (`limit`) in a period (`window`). */
export interface RateLimit {
  readonly limit: number
  readonly window: Duration.DurationInput
}

/** The pages of other origins that may call the server from a browser. */
interface Cors {
  readonly allowedOrigins: readonly [string, ...ReadonlyArray<string>]
  readonly allowedHeaders?: ReadonlyArray<string>
  /** True if pages of other origins may send cookies. Default false. */
  readonly credentials?: boolean
}

/** The limits of all HTTP access to an agent: the routes of `Server.layer` and of `Mcp.layerHttp`. */
export interface Limits<R = never> {
  /**
   * Authenticates a request. Required, unless the server listens on loopback only: all clients are then the user
   * `local`, who is also the operator.
   */
  readonly authenticate?: Access.Authenticate<R>
  /** Maximum size of a request's body, in bytes. Default 1,048,576. */
  readonly bodyLimit?: number
  /** Maximum number of concurrent turns of a user, in this process. Default 4. */
  readonly turnsPerUser?: number
  /**
   * Maximum rate of a user's requests. Default 300 a minute; `false` for no limit. Counted in this process, or in the
   * `RateLimiterStore` of `@effect/experimental` when one is provided.
   */
  readonly rateLimit?: RateLimit | false
}

export interface Options<C, R = never> extends Limits<R> {
  /** The role that may read all sessions and use the routes of operators. Default `operator`. */
  readonly operatorRole?: string
  /**
   * The keys of the agent's context that clients may send. Default none, because a client could claim any role or tier.
   */
  readonly clientContext?: ReadonlyArray<keyof C & string>
  /**
   * The signals that a client may judge itself and send in `understood` of a turn. Default none, because a client could
   * suppress a signal that monitors the conversation.
   */
  readonly clientSignals?: ReadonlyArray<string>
  /**
   * The hosts from which clients may give files by URL, over `https`: `files.example.com`, or `*.example.com` for all
   * its subdomains. Default none. This server fetches no file: the model's provider does, and follows redirects.
   */
  readonly fileHosts?: ReadonlyArray<string>
  /**
   * Maximum number of bytes of a user's stored files; files that are removed from the `BlobStore` no longer count. More
   * is refused with 413 and the tag `StorageQuotaExceeded`. Default 200,000,000.
   */
  readonly storedBytesPerUser?: number
  /** Returns the context of a turn for an authenticated user. Its values override the values that the client sends. */
  readonly context?: (
    principal: Principal,
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<Partial<C>, never, R>
  /**
   * `continue` (default) if a turn continues when its client disconnects, so that a client can join its events again;
   * `abort` if the turn is stopped.
   */
  readonly onDisconnect?: "continue" | "abort"
  /**
   * The effect of a message that arrives while a turn of its session runs, in whichever process. Default: the agent's
   * `whileBusy`, which is `queue` unless set.
   */
  readonly whileBusy?: WhileBusy
  /**
   * Maximum number of streams that a user has open in this process: feeds of sessions, and turns joined again. Default
   * 16.
   */
  readonly feedsPerUser?: number
  /**
   * Maximum number of streams that all users together have open in this process: feeds of sessions, and turns joined
   * again. Default 1000.
   */
  readonly feeds?: number
  /**
   * How often an open stream checks that its client's credentials are still valid, and that the client may still read
   * the session. Default a minute.
   */
  readonly recheck?: Duration.DurationInput
  /**
   * The secret from which the server makes the ids of conversations that the client does not name (OpenAI). By default
   * each server generates one: set it if several processes serve the same users, or if such conversations must continue
   * after a restart.
   */
  readonly secret?: Redacted.Redacted
  /** The pages of other origins that may call the server, for all routes of the router. Default: none. */
  readonly cors?: Cors
  /**
   * A check that `/ready` makes in addition to that of the store. Models are not checked, because each request to them
   * costs money.
   */
  readonly ready?: Effect.Effect<void, unknown, R>
  /** How long a stopping server waits for running turns. Default 30 seconds. */
  readonly stopWithin?: Duration.DurationInput
  /**
   * True for a demonstration: a user who may read a session may also move its clock ahead, to see the effects of its
   * timers. Default false. The clocks are kept in this process.
   */
  readonly demo?: boolean
  /**
   * True to serve the page of the API at `/docs`, with the Schemas of the agent's data. Default only without
   * `authenticate`, because the page asks for no credentials.
   */
  readonly docs?: boolean
  /**
   * True to serve the web page on which people inspect and test conversations, at `/` or at a `path`; with
   * `frameAncestors`, pages of other origins may show it in a frame. Its files are served without credentials; its
   * requests carry the credentials of the person who uses it. Default false; `coxswain serve` turns it on when it
   * listens on loopback.
   */
  readonly page?: boolean | PageOptions
}

/** The options with their defaults, and their services provided. */
export interface Resolved
  extends Omit<Required<Options<Readonly<Record<string, unknown>>>>, "cors" | "page" | "rateLimit" | "whileBusy">
{
  readonly cors: Cors | undefined
  /** Absent if the page is not served. */
  readonly page?: PageOptions
  readonly rateLimit: RateLimit | undefined
  readonly whileBusy: WhileBusy | undefined
}

/** The default limits. */
export const limits = { bodyLimit: 1_048_576, turnsPerUser: 4 } as const

/** The rate limit with its default; undefined for no limit. */
export const rateOf = (rateLimit: RateLimit | false | undefined): RateLimit | undefined =>
  rateLimit === false ? undefined : rateLimit ?? { limit: 300, window: "1 minute" }

const defaults = {
  ...limits,
  operatorRole: "operator",
  clientContext: [],
  clientSignals: [],
  fileHosts: [],
  storedBytesPerUser: 200_000_000,
  demo: false,
  onDisconnect: "continue",
  whileBusy: undefined,
  feedsPerUser: 16,
  feeds: 1000,
  recheck: "1 minute",
  stopWithin: "30 seconds"
} as const

export const resolve = <C, R>(options: Options<C, R>, services: Context.Context<R>): Resolved => {
  const { authenticate, context, cors, page, rateLimit, ready, ...rest } = options
  const given = { ...defaults, ...rest }
  return {
    ...given,
    docs: given.docs ?? authenticate === undefined,
    secret: given.secret ?? Redacted.make(bytesToHex(randomBytes(32))),
    cors,
    ...(page !== undefined && page !== false && { page: page === true ? {} : page }),
    rateLimit: rateOf(rateLimit),
    ready: Effect.provide(ready ?? Effect.void, services),
    context: (principal, request) =>
      context === undefined ? Effect.succeed({}) : Effect.provide(context(principal, request), services),
    authenticate: authenticate === undefined
      ? Access.local(given.operatorRole)
      : (request) => Effect.provide(authenticate(request), services)
  }
}
