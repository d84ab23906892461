/**
 * Who follows a session is told what happens in it, whoever caused it: this is how a connected page receives what the
 * agent says unasked.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { SessionFeedError } from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"

/**
 * An event of a session, encoded, as it is handed to those who follow it. All readers of a process get the same value.
 *
 * @since 0.2.0
 * @category models
 */
export interface Published {
  readonly event: JsonObject
  /** The life of the session that it happened in; see `Session.epochOf`. Absent when the publisher did not say. */
  readonly epoch?: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * Tells those who follow the session. Never waits and never throws: a turn is not held up by who follows it, and what
   * cannot be delivered is dropped. `event` gives the encoded event, and is called only when somebody may want it. `epoch` is the life of
   * the session that it happened in.
   */
  readonly publish: (sessionId: string, event: () => JsonObject, epoch?: string) => void
  /**
   * What is published from now on, until the scope closes. The stream of a reader that is more than `capacity` events
   * behind fails, so that it does not miss some of them without knowing.
   */
  readonly subscribe: (
    sessionId: string
  ) => Effect.Effect<Stream.Stream<Published, SessionFeedError>, SessionFeedError, Scope.Scope>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class SessionFeed extends Context.Tag("coxswain/SessionFeed")<SessionFeed, Service>() {}

/**
 * How many events a reader may be behind.
 *
 * @since 0.1.0
 * @category models
 */
export const capacity = 1024

/**
 * The readers of this process, by session: what an adapter delivers to.
 *
 * @since 0.1.0
 * @category models
 */
export interface Readers {
  readonly has: (sessionId: string) => boolean
  /** Hands an event to every reader of a session. */
  readonly deliver: (sessionId: string, published: Published) => void
  /** Ends the readers of a session, or of all, because nothing reaches them any more. */
  readonly fail: (cause: unknown, sessionId?: string) => void
  readonly subscribe: (
    sessionId: string
  ) => Effect.Effect<Stream.Stream<Published, SessionFeedError>, never, Scope.Scope>
}

type Reader = Mailbox.Mailbox<Published, SessionFeedError>

const behind = (sessionId: string) =>
  new SessionFeedError({
    sessionId,
    what: `the feed of session "${sessionId}"`,
    why: `the reader is more than ${capacity} events behind`,
    fix: "Follow the session again, and read its snapshot or history for what was missed"
  })

const lost = (sessionId: string, cause: unknown) =>
  new SessionFeedError({
    sessionId,
    cause,
    what: `the feed of session "${sessionId}"`,
    why: "its server cannot be reached any more, or sent something that is not an event",
    fix: "Follow the session again, and read its snapshot or history for what was missed"
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const makeReaders = (): Readers => {
  const sessions = new Map<string, Set<Reader>>()
  const forget = (sessionId: string, reader: Reader) => {
    const readers = sessions.get(sessionId)
    readers?.delete(reader)
    if (readers?.size === 0) sessions.delete(sessionId)
  }
  return {
    has: (sessionId) => sessions.has(sessionId),
    deliver: (sessionId, published) => {
      for (const reader of sessions.get(sessionId) ?? []) {
        if (!reader.unsafeOffer(published)) {
          reader.unsafeDone(Exit.fail(behind(sessionId)))
          forget(sessionId, reader)
        }
      }
    },
    fail: (cause, only) => {
      for (const [sessionId, readers] of sessions) {
        if (only !== undefined && only !== sessionId) continue
        for (const reader of readers) reader.unsafeDone(Exit.fail(lost(sessionId, cause)))
        sessions.delete(sessionId)
      }
    },
    subscribe: (sessionId) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.tap(Mailbox.make<Published, SessionFeedError>({ capacity, strategy: "dropping" }), (reader) =>
            Effect.sync(() => {
              sessions.set(sessionId, (sessions.get(sessionId) ?? new Set()).add(reader))
            })),
          (reader) =>
            Effect.zipRight(
              Effect.sync(() =>
                forget(sessionId, reader)
              ),
              reader.shutdown
            )
        ),
        (reader) => Mailbox.toStream(reader)
      )
  }
}

/**
 * A feed within this process.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service> = Effect.sync(() => {
  const readers = makeReaders()
  return SessionFeed.of({
    publish: (sessionId, event, epoch) => {
      if (readers.has(sessionId)) readers.deliver(sessionId, { event: event(), ...(epoch !== undefined && { epoch }) })
    },
    subscribe: readers.subscribe
  })
})

const feeds = new WeakMap<object, Service>()

/**
 * The feed that agents over one store of this process share, when none is provided.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofStore = (store: object): Service => {
  const feed = feeds.get(store) ?? Effect.runSync(make)
  feeds.set(store, feed)
  return feed
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<SessionFeed> = Layer.effect(SessionFeed, make)
