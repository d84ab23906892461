/** The interface of a session store. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type {
  InvalidRequest,
  SessionConflict,
  SessionCorrupt,
  SessionStoreError
} from "../../domain/base/error/Errors.js"
import type { Json, JsonObject } from "../../domain/base/Json.js"
import type { SessionId } from "../../domain/session/Session.js"
import type * as SessionLock from "./SessionLock.js"

/** One message of the transcript. Messages are appended and never change. */
export interface StoredMessage {
  /** Number of the message in its session: 1 for the first, then without gaps. */
  readonly seq: number
  /** The encoded message of `@effect/ai` (`role`, `content`, `options`). */
  readonly message: JsonObject
  /** Time of the message, in ISO 8601, UTC. */
  readonly createdAt: string
}

/** A session as stored: its encoded state and the tail of its transcript. */
export interface StoredSession {
  readonly id: SessionId
  /** Number of commits. The next commit must give it as `expectedVersion`. */
  readonly version: number
  /** The encoded session. Its own `version` field equals `version`. */
  readonly session: JsonObject
  /** The last messages of the transcript, in order of `seq`. */
  readonly messages: ReadonlyArray<StoredMessage>
}

/** One commit, written atomically. */
export interface SessionWrite {
  readonly id: SessionId
  /** The version of the stored session, or 0 if the session must not exist. The commit raises it by 1. */
  readonly expectedVersion: number
  readonly session: JsonObject
  readonly userId?: string
  /** Time of the commit, in ISO 8601, UTC. */
  readonly updatedAt: string
  /** The messages to append; their `seq` continues the stored sequence. */
  readonly messages: ReadonlyArray<StoredMessage>
  /** The request that this commit answers, and its response, which is returned if the request is repeated. */
  readonly answered?: { readonly messageId: string; readonly response: Json }
  /** The turn whose journal is removed with this commit. Default: the `messageId` in `answered`. */
  readonly turnKey?: string | undefined
  /**
   * True for the write that ends a turn. A store whose `lock` is in the same database may give the session's lock back in
   * the same transaction, so that giving it back costs no write of its own.
   */
  readonly endsTurn?: true | undefined
  /** The earliest moment at which a timer or job of the session is due; absent if there is none. */
  readonly wakeAt?: Instant | undefined
  /** The calls that wait for a person; absent or empty if there are none. Stored unencrypted, unless `sealed`. */
  readonly waiting?: ReadonlyArray<WaitingCall> | undefined
}

/**
 * A moment in the form that `Date.prototype.toISOString` writes, `2026-01-31T09:30:00.000Z`. Such texts sort in the
 * order of time.
 */
export type Instant = string

/**
 * A tool call that waits for a person's decision; or, with `handOff`, a conversation that waits for a person to take it
 * over.
 */
export interface WaitingCall {
  /** The id by which a person's decision refers to the call. */
  readonly id: string
  /** Id of the tool; empty for a hand-over. */
  readonly toolId: string
  /** True if the conversation waits for a person to take it over with `agent.takeOver`. */
  readonly handOff?: true | undefined
  readonly requestedAt: Instant
  /** The role that may decide. Absent: any person who may decide at all. */
  readonly role?: string | undefined
  /**
   * In the index of a store that encrypts: all waiting calls of the session, encrypted. The other fields
   * are empty, except `requestedAt`.
   */
  readonly sealed?: JsonObject | undefined
}

/**
 * The encryption of a store's content. It also encrypts files, turn logs and turn records that are kept outside the
 * store.
 */
export interface Cipher {
  /** True if content that was stored unencrypted may be read. */
  readonly acceptPlain: boolean
  /** Returns encrypted JSON that is bound to `place`: at another place it cannot be decrypted. */
  readonly encrypt: (json: Json, place: ReadonlyArray<string | number>) => Effect.Effect<JsonObject>
  /** Returns the decrypted JSON; fails with the reason why it cannot be read. */
  readonly decrypt: (json: unknown, place: ReadonlyArray<string | number>) => Effect.Effect<Json, string>
}

/** A session with a call or a conversation that waits for a person. */
export interface WaitingSession {
  readonly id: SessionId
  readonly userId?: string
  readonly updatedAt: string
  readonly waiting: ReadonlyArray<WaitingCall>
}

/** A session with a timer or job that is due. */
export interface DueSession {
  readonly sessionId: SessionId
  readonly wakeAt: Instant
}

/**
 * The outcome of one effect of a turn, stored before the turn is committed. If the turn is repeated, it uses the stored
 * outcome instead of running the effect again.
 */
export interface JournalEntry {
  readonly sessionId: SessionId
  /**
   * Identifies the turn, and is the same when the turn is repeated: its `messageId`, or another key of 1 to 200
   * characters.
   */
  readonly turnKey: string
  /** Identifies the effect within the turn; 1 to 200 characters. */
  readonly fingerprint: string
  readonly outcome: Json
  readonly at: Instant
}

/** A page of a list. `next` is given when there is more. */
export interface Page<A, Cursor = string> {
  readonly items: ReadonlyArray<A>
  readonly next?: Cursor
}

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
 * The port. Implementations receive and return JSON; ids and cursors are values, never query text. Every operation
 * fails with `InvalidRequest` when an id, a key or an instant is malformed, before the implementation calls a database;
 * `checked` adds these checks to an implementation.
 */
export interface Service {
  /** Returns the session with its last `messages` messages (default 0); `None` if it does not exist. */
  readonly load: (
    id: SessionId,
    options?: { readonly messages?: number }
  ) => Effect.Effect<Option.Option<StoredSession>, SessionStoreError | SessionCorrupt | InvalidRequest>
  /** Writes atomically; fails with `SessionConflict` when the stored version is not `expectedVersion`. */
  readonly commit: (
    write: SessionWrite
  ) => Effect.Effect<{ readonly version: number }, SessionConflict | SessionStoreError | InvalidRequest>
  /** Returns the response stored for an answered `messageId`. */
  readonly response: (
    id: SessionId,
    messageId: string
  ) => Effect.Effect<Option.Option<Json>, SessionStoreError | SessionCorrupt | InvalidRequest>
  /**
   * Returns the last `limit` messages before the sequence number `before`, in order of `seq`; `next` is the value of
   * `before` for the preceding page.
   */
  readonly messages: (
    id: SessionId,
    page: { readonly before?: number; readonly limit: number }
  ) => Effect.Effect<Page<StoredMessage, number>, SessionStoreError | SessionCorrupt | InvalidRequest>
  /**
   * Lists sessions, last updated first, optionally of one user. A session that is written meanwhile is not listed
   * twice. The records of values that are kept by user are left out, unless `records` is true.
   */
  readonly list: (query: {
    readonly userId?: string
    readonly records?: boolean
    readonly cursor?: string
    readonly limit: number
  }) => Effect.Effect<Page<SessionSummary>, SessionStoreError | InvalidRequest>
  /** Name of the storage, for the report about erased data: `SQLite sessions.db`. It must not contain a secret. */
  readonly place?: string | undefined
  /** The encryption of the store, if it has one. Agents and servers use it for content kept outside the store. */
  readonly cipher?: Cipher | undefined
  /** Makes removed content unreadable where the database would keep it: in free pages and logs. */
  readonly scrub?: Effect.Effect<void, SessionStoreError> | undefined
  /** Removes a session with its journal. Removing an absent one is no error. */
  readonly remove: (id: SessionId) => Effect.Effect<void, SessionStoreError | InvalidRequest>
  /**
   * Records the outcome of an effect, whether or not the session exists yet. Returns the stored outcome: the first
   * entry of a session, turn and fingerprint is kept, even if another writer made it.
   *
   * Entries are removed with the commit that names their turn, with their session, and after the time for which answers
   * are kept.
   */
  readonly journal: (entry: JournalEntry) => Effect.Effect<Json, SessionStoreError | SessionCorrupt | InvalidRequest>
  /** Returns the journal entries of a turn, in no particular order. */
  readonly journaled: (
    id: SessionId,
    turnKey: string
  ) => Effect.Effect<ReadonlyArray<JournalEntry>, SessionStoreError | SessionCorrupt | InvalidRequest>
  /** Lists sessions with a timer or job that is due at `before` or earlier, the earliest first. */
  readonly due: (query: {
    readonly before: Instant
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<DueSession>, SessionStoreError | InvalidRequest>
  /** Lists sessions with a call or a conversation that waits for a person, last updated first, in pages like `list`. */
  readonly waiting: (query: {
    readonly userId?: string
    readonly cursor?: string
    readonly limit: number
  }) => Effect.Effect<Page<WaitingSession>, SessionStoreError | InvalidRequest>
  /**
   * Removes the sessions last updated before `olderThan` with all their content, the oldest first, at most `limit`
   * (default: all). A session that is written meanwhile stays.
   */
  readonly purge: (query: {
    readonly olderThan: Instant
    readonly limit?: number | undefined
  }) => Effect.Effect<{ readonly removed: number }, SessionStoreError | InvalidRequest>
  /**
   * The lock for all users of this store; if possible, also for users in other processes. If a store has no lock,
   * `checked` adds one for this process. A wrapper of a store passes the store's lock on, so that two wrappers of the
   * same store share it.
   */
  readonly lock?: SessionLock.Service | undefined
}

export class SessionStore extends Context.Tag("coxswain/SessionStore")<SessionStore, Service>() {}
