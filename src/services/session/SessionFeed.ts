/**
 * Delivers the events of a session to all its followers, whichever turn caused them. A connected page therefore
 * receives messages that the agent sends without a request.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as Buffer from "../../domain/base/Buffer.js"
import { SessionFeedError } from "../../domain/base/error/Errors.js"
import { acquireFast } from "../../domain/base/FiberRefs.js"
import type { JsonObject } from "../../domain/base/Json.js"
import * as PullStream from "../../domain/base/PullStream.js"

/** An encoded event of a session, as delivered to its followers. All readers of a process get the same value. */
export interface Published {
  readonly event: JsonObject
  /** Epoch of the session in which the event happened: see `Session.epochOf`. Absent if the publisher gave none. */
  readonly epoch?: string
}

export interface Service {
  /**
   * Delivers an event to the followers of a session. Never waits and never throws, so that followers cannot delay a
   * turn; an event that cannot be delivered is dropped. `event` returns the encoded event, and is called only if there
   * may be a follower. `epoch` is the session's epoch; see `Session.epochOf`.
   */
  readonly publish: (sessionId: string, event: () => JsonObject, epoch?: string) => void
  /**
   * Streams the events that are published from now on, until the scope closes. If a reader is more than `capacity`
   * events behind, its stream fails, so that it never misses events without knowing it.
   */
  readonly subscribe: (
    sessionId: string
  ) => Effect.Effect<Stream.Stream<Published, SessionFeedError>, SessionFeedError, Scope.Scope>
}

export class SessionFeed extends Context.Tag("coxswain/SessionFeed")<SessionFeed, Service>() {}

/** Maximum number of events that a reader may be behind. */
export const capacity = 1024

/** The readers of this process, by session. Adapters deliver events to them. */
export interface Readers {
  readonly has: (sessionId: string) => boolean
  /** Passes an event to every reader of a session. */
  readonly deliver: (sessionId: string, published: Published) => void
  /** Fails the readers of a session, or of all sessions, because events no longer reach them. */
  readonly fail: (cause: unknown, sessionId?: string) => void
  readonly subscribe: (
    sessionId: string
  ) => Effect.Effect<Stream.Stream<Published, SessionFeedError>, never, Scope.Scope>
}

type Reader = Buffer.Buffer<Published, SessionFeedError>

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
        if (!reader.add(published)) {
          reader.end(Exit.fail(behind(sessionId)))
          forget(sessionId, reader)
        }
      }
    },
    fail: (cause, only) => {
      for (const [sessionId, readers] of sessions) {
        if (only !== undefined && only !== sessionId) continue
        for (const reader of readers) reader.end(Exit.fail(lost(sessionId, cause)))
        sessions.delete(sessionId)
      }
    },
    subscribe: (sessionId) =>
      Effect.map(
        acquireFast(
          Effect.sync(() => {
            const reader: Reader = Buffer.make(capacity)
            sessions.set(sessionId, (sessions.get(sessionId) ?? new Set()).add(reader))
            return reader
          }),
          (reader) =>
            Effect.sync(() => {
              forget(sessionId, reader)
              reader.end(Exit.void)
            })
        ),
        ({ pull }) => PullStream.make(Effect.succeed(pull))
      )
  }
}

const unsafeMake = (): Service => {
  const readers = makeReaders()
  return SessionFeed.of({
    publish: (sessionId, event, epoch) => {
      if (readers.has(sessionId)) readers.deliver(sessionId, { event: event(), ...(epoch !== undefined && { epoch }) })
    },
    subscribe: readers.subscribe
  })
}

/** Makes a feed within this process. */
export const make: Effect.Effect<Service> = Effect.sync(unsafeMake)

const feeds = new WeakMap<object, Service>()

/**
 * Returns the feed that all agents of this process with the same store share, for agents for which the application
 * provides no feed.
 */
export const ofStore = (store: object): Service => {
  const feed = feeds.get(store) ?? unsafeMake()
  feeds.set(store, feed)
  return feed
}

export const layerMemory: Layer.Layer<SessionFeed> = Layer.effect(SessionFeed, make)
