/**
 * Where sessions live. One atomic write per turn, guarded by the session's version.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type InvalidRequest, SessionConflict, type SessionCorrupt, type SessionStoreError } from "../domain/Errors.js"
import type { Json, JsonObject } from "../domain/Json.js"
import type { SessionId } from "../domain/Session.js"
import { checkSessionId } from "../domain/TurnRequest.js"

/**
 * One message of the transcript. Messages are appended and never change.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredMessage {
  /** 1 for the first message of a session, then without gaps. */
  readonly seq: number
  /** The encoded message of `@effect/ai` (`role`, `content`, `options`). */
  readonly message: JsonObject
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

/**
 * A session as stored: its encoded state and the tail of its transcript.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredSession {
  readonly id: SessionId
  /** The number of commits; the next one must expect it. */
  readonly version: number
  /** The encoded session. Its own `version` field equals `version`. */
  readonly session: JsonObject
  /** In order of `seq`. */
  readonly messages: ReadonlyArray<StoredMessage>
}

/**
 * One commit: all of it becomes visible, or nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionWrite {
  readonly id: SessionId
  /** 0 = the session must not exist. The stored version becomes `expectedVersion + 1`. */
  readonly expectedVersion: number
  readonly session: JsonObject
  readonly userId?: string
  /** ISO 8601, UTC. */
  readonly updatedAt: string
  /** Appended; `seq` continues the stored sequence. */
  readonly messages: ReadonlyArray<StoredMessage>
  /** The request this commit answers, with the response to give if it comes again. */
  readonly answered?: { readonly messageId: string; readonly response: Json }
}

/**
 * A page of a list. `next` is given when there is more.
 *
 * @since 0.1.0
 * @category models
 */
export interface Page<A, Cursor = string> {
  readonly items: ReadonlyArray<A>
  readonly next?: Cursor
}

/**
 * @since 0.1.0
 * @category models
 */
export interface SessionSummary {
  readonly id: SessionId
  readonly version: number
  readonly userId?: string
  readonly messageCount: number
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly updatedAt: string
}

/**
 * The port. Implementations receive and return JSON; ids and cursors are values, never query text.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** The session with its last `messages` messages (default 0), or none. */
  readonly load: (
    id: SessionId,
    options?: { readonly messages?: number }
  ) => Effect.Effect<Option.Option<StoredSession>, SessionStoreError | SessionCorrupt>
  /** Writes atomically; fails with `SessionConflict` when the stored version is not `expectedVersion`. */
  readonly commit: (
    write: SessionWrite
  ) => Effect.Effect<{ readonly version: number }, SessionConflict | SessionStoreError>
  /** The response stored for an answered `messageId`. */
  readonly response: (id: SessionId, messageId: string) => Effect.Effect<Option.Option<Json>, SessionStoreError>
  /** Messages in order of `seq`, the last `limit` of those before `before`; `next` is the `before` of the page that precedes. */
  readonly messages: (
    id: SessionId,
    page: { readonly before?: number; readonly limit: number }
  ) => Effect.Effect<Page<StoredMessage, number>, SessionStoreError>
  /** Sessions, last updated first, optionally of one user. What is written meanwhile is not given twice. */
  readonly list: (query: {
    readonly userId?: string
    readonly cursor?: string
    readonly limit: number
  }) => Effect.Effect<Page<SessionSummary>, SessionStoreError>
  /** Removes everything of a session. Removing an absent one is no error. */
  readonly remove: (id: SessionId) => Effect.Effect<void, SessionStoreError>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class SessionStore extends Context.Tag("coxswain/SessionStore")<SessionStore, Service>() {}

/**
 * Refuses an id that no store should see: empty, or longer than 200 characters.
 *
 * @since 0.1.0
 * @category validation
 */
export const checkId = (id: string): Effect.Effect<void, InvalidRequest> => Effect.asVoid(checkSessionId(id))

interface Entry {
  write: SessionWrite
  readonly createdAt: string
  readonly messages: Array<StoredMessage>
  readonly answers: Map<string, Json>
}

const version = (entry: Entry | undefined): number => entry === undefined ? 0 : entry.write.expectedVersion + 1

/**
 * A store in this process's memory: for tests, demos and single-process apps that may forget.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeMemory: Effect.Effect<Service> = Effect.sync(() => {
  const sessions = new Map<SessionId, Entry>()
  return SessionStore.of({
    load: (id, options) =>
      Effect.sync(() =>
        Option.map(Option.fromNullable(sessions.get(id)), (entry) => ({
          id,
          version: version(entry),
          session: entry.write.session,
          messages: lastOf(entry.messages, options?.messages ?? 0)
        }))
      ),
    commit: (write) =>
      Effect.suspend(() => {
        const entry: Entry = sessions.get(write.id) ??
          { write, createdAt: write.updatedAt, messages: [], answers: new Map() }
        const actual = version(sessions.get(write.id))
        if (actual !== write.expectedVersion) {
          return Effect.fail(new SessionConflict({ sessionId: write.id, expected: write.expectedVersion, actual }))
        }
        entry.write = write
        for (const message of write.messages) entry.messages.push(message)
        if (write.answered !== undefined) entry.answers.set(write.answered.messageId, write.answered.response)
        sessions.set(write.id, entry)
        return Effect.succeed({ version: actual + 1 })
      }),
    response: (id, messageId) =>
      Effect.sync(() => {
        // `null` is a response like any other.
        const response = sessions.get(id)?.answers.get(messageId)
        return response === undefined ? Option.none() : Option.some(response)
      }),
    messages: (id, { before, limit }) =>
      Effect.sync(() => {
        const all = (sessions.get(id)?.messages ?? []).filter(({ seq }) => before === undefined || seq < before)
        const items = lastOf(all, limit)
        return items.length < all.length && items[0] !== undefined ? { items, next: items[0].seq } : { items }
      }),
    list: ({ cursor, limit, userId }) =>
      Effect.sync(() => {
        const all = Array.from(sessions, ([id, entry]) => ({ key: `${entry.write.updatedAt} ${id}`, id, entry }))
          .filter(({ entry, key }) =>
            (userId === undefined || entry.write.userId === userId) && (cursor === undefined || key < cursor)
          )
          .sort((a, b) => a.key < b.key ? 1 : -1)
        const page = all.slice(0, Math.max(0, limit))
        const last = page.at(-1)
        return {
          items: page.map(({ entry, id }) => ({
            id,
            version: version(entry),
            ...(entry.write.userId !== undefined && { userId: entry.write.userId }),
            messageCount: entry.messages.length,
            createdAt: entry.createdAt,
            updatedAt: entry.write.updatedAt
          })),
          ...(all.length > limit && last !== undefined && { next: last.key })
        }
      }),
    remove: (id) => Effect.sync(() => void sessions.delete(id))
  })
})

const lastOf = <A>(items: ReadonlyArray<A>, n: number): ReadonlyArray<A> => n <= 0 ? [] : items.slice(-n)

/**
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<SessionStore> = Layer.effect(SessionStore, makeMemory)
