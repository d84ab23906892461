/** The session feed over publish and subscribe of Redis, shared by all processes. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import {
  type LayerConfigurationError,
  SessionFeedError,
  type SessionStoreError
} from "../../domain/base/error/Errors.js"
import { JsonObject } from "../../domain/base/Json.js"
import { optional } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as SessionFeed from "../../services/session/SessionFeed.js"
import { connect } from "./RedisConnection.js"
import * as Stored from "./Stored.js"

/** The options of the session feed and of the turn feed. */
export interface FeedOptions {
  /**
   * `redis://user:password@host:port/database`, or `rediss://` for TLS. All databases of a server share its channels.
   */
  readonly url: Redacted.Redacted
  /** Prefix of every channel: lower-case letters, digits and underscores; a colon is added. Default `coxswain`. */
  readonly keyPrefix?: string | undefined
}

/** The published message, as JSON text. */
const Published = Schema.parseJson(Schema.Struct({ event: JsonObject, epoch: optional(Schema.String) }))
const decode = Decode.either(Published)

const unreachable = (sessionId: string, cause: unknown) =>
  new SessionFeedError({
    sessionId,
    cause,
    what: `the feed of session "${sessionId}"`,
    why: "Redis could not be asked for it",
    fix: "Follow the session again when the server can be reached"
  })

/**
 * Opens two connections while the scope is open: one to publish and one to listen. A reader fails if its connection
 * breaks, because it would miss events.
 */
export const makeFeed = Effect.fnUntraced(function*(
  options: FeedOptions
): Effect.fn.Return<SessionFeed.Service, LayerConfigurationError | SessionStoreError, Scope.Scope> {
  const prefix = `${yield* Stored.checkPrefix("keyPrefix", options.keyPrefix ?? "coxswain")}:feed:`
  const publisher = yield* connect({ url: options.url })
  const listener = yield* connect({ url: options.url })
  const readers = SessionFeed.makeReaders()
  /** Number of readers of this process, by session. */
  const counts = new Map<string, number>()

  listener.on("message", (channel: string, text: string) => {
    const sessionId = channel.slice(prefix.length)
    Either.match(decode(text), {
      onLeft: (cause) => readers.fail(cause, sessionId),
      onRight: (published) => readers.deliver(sessionId, published)
    })
  })
  listener.on("close", () => readers.fail("the connection was closed"))

  const follow = (sessionId: string) =>
    Effect.zipRight(
      // Incrementing the number of readers and registering the decrement must be one step: after an interruption
      // between the two, the number would be too high, and the channel would never be unsubscribed.
      Effect.acquireRelease(
        Effect.sync(() => counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1)),
        () => unfollow(sessionId)
      ),
      Effect.tryPromise({
        try: () => listener.subscribe(prefix + sessionId),
        catch: (cause) => unreachable(sessionId, cause)
      })
    )
  const unfollow = (sessionId: string) =>
    Effect.suspend(() => {
      const left = (counts.get(sessionId) ?? 1) - 1
      if (left > 0) return Effect.sync(() => void counts.set(sessionId, left))
      counts.delete(sessionId)
      // Ignores the failure on a closed connection, which has no subscriptions left.
      return Effect.ignore(Effect.tryPromise(() => listener.unsubscribe(prefix + sessionId)))
    })

  return SessionFeed.SessionFeed.of({
    publish: (sessionId, event, epoch) => {
      // While the server cannot be reached, events are dropped: a feed has only current events.
      if (publisher.status !== "ready") return
      publisher.publish(prefix + sessionId, JSON.stringify({ event: event(), epoch })).catch(() => {})
    },
    // A reader fails if the connection breaks. Its caller can call `subscribe` again.
    subscribe: (sessionId) => Effect.zipLeft(readers.subscribe(sessionId), follow(sessionId))
  })
})

/** The feed of every process that uses this server and prefix. */
export const layerFeed = (
  options: FeedOptions
): Layer.Layer<SessionFeed.SessionFeed, LayerConfigurationError | SessionStoreError> =>
  Layer.scoped(SessionFeed.SessionFeed, makeFeed(options))
