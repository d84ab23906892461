/**
 * The database documents in which the store `Documents` keeps sessions, answers and journals, and the operations that a
 * database must offer for it.
 */
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { SessionCorrupt } from "../../domain/base/error/Errors.js"
import * as Stored from "./Stored.js"

/** The stored response to a messageId. */
export interface Answer extends Schema.Schema.Type<typeof Answer> {}

export const Answer = Schema.Struct({
  /** The text of the id, encoded by `Stored.toText`. */
  messageId: Schema.String,
  /** JSON text. */
  response: Schema.String,
  /** Milliseconds since 1970. */
  expiresAt: Schema.Number
})

/** The fields of a session that the store returns in lists. */
export interface Summary extends Schema.Schema.Type<typeof Summary> {}

export const Summary = Schema.Struct({
  /** Encoded by `Stored.toText`, like `userId`. */
  id: Schema.String,
  userId: Schema.optional(Schema.String),
  version: Schema.Number,
  messageCount: Schema.Number,
  createdAt: Schema.String,
  updatedAt: Schema.String,
  /** Random id of the session, which begins the keys of its records. */
  epoch: Schema.String,
  /** Instant at which a timer or job of the session is due; absent if there is none. */
  wakeAt: Schema.optional(Schema.String),
  /** The calls that wait for a person, as JSON text; absent when there are none. */
  waiting: Schema.optional(Schema.String)
})

/** An outcome in the journal of a turn that is not committed. */
export interface Outcome extends Schema.Schema.Type<typeof Outcome> {}

export const Outcome = Schema.Struct({
  /** Encoded by `Stored.toText`, like `turnKey` and `fingerprint`. */
  sessionId: Schema.String,
  turnKey: Schema.String,
  fingerprint: Schema.String,
  /** JSON text. */
  outcome: Schema.String,
  /** Instant. */
  at: Schema.String,
  /** Milliseconds since 1970. */
  expiresAt: Schema.Number
})

/** The main document of a session. It contains the session and the messages of its last commit. */
export interface Head extends Schema.Schema.Type<typeof Head> {}

export const Head = Schema.Struct({
  ...Summary.fields,
  /** JSON text. */
  session: Schema.String,
  /** The messages of the last commit, each as JSON text. The last one has number `messageCount`. */
  tail: Schema.Array(Schema.String),
  answered: Schema.optional(Answer)
})

const decodeHead = Schema.decodeUnknownSync(Head)

/** Decodes an answer from the database. Throws if the value is not an answer. */
export const toAnswer = Schema.decodeUnknownSync(Answer)

/** Decodes a summary from the database. Throws if the value is not a summary. */
export const toSummary = Schema.decodeUnknownSync(Summary)

/** Decodes an outcome from the database. Throws if the value is not an outcome. */
export const toOutcome = Schema.decodeUnknownSync(Outcome)

/** Decodes a session's main document. Fails with `SessionCorrupt` if the value is not such a document. */
export const toHead = (id: string, read: () => unknown): Effect.Effect<Head, SessionCorrupt> =>
  Stored.decode(Stored.fromText(id), () => decodeHead(read()))

/**
 * The messages and the answer of the last commit, which are in the main document. The next commit writes them as
 * separate records.
 */
export interface Records {
  readonly epoch: string
  /** The version of the session after the commit that stored these records. */
  readonly version: number
  readonly messages: ReadonlyArray<{ readonly seq: number; readonly body: string }>
  readonly answer?: Answer | undefined
}

/**
 * The operations that a database must offer. It must take ids and cursors as values, never as query syntax. `Revision`
 * is the value that a compare-and-set compares.
 */
export interface Documents<Revision> {
  /**
   * Reads a session's main document; None if there is no such session, `SessionCorrupt` if the document is something
   * else.
   */
  readonly head: (id: string) => Effect.Effect<Option.Option<readonly [head: Head, revision: Revision]>, unknown>
  /** Creates a main document. Returns false if the session has one already. */
  readonly create: (head: Head) => Effect.Effect<boolean, unknown>
  /** Replaces the main document. Returns false if it no longer has this revision. */
  readonly replace: (head: Head, revision: Revision) => Effect.Effect<boolean, unknown>
  /**
   * Writes the messages and the answer of the last commit as separate records. Overwrites existing records, which are
   * equal.
   */
  readonly settle: (records: Records) => Effect.Effect<void, unknown>
  /**
   * Returns the messages `first` to `last` from the separate records, in order. After `settle`, it must find them
   * immediately.
   */
  readonly messages: (epoch: string, first: number, last: number) => Effect.Effect<ReadonlyArray<string>, unknown>
  readonly answer: (epoch: string, messageId: string) => Effect.Effect<Option.Option<Answer>, unknown>
  /**
   * Returns sessions, last updated first, ties by id descending; with `waiting`, only sessions with a call or
   * conversation that waits for a person.
   */
  readonly list: (query: {
    readonly userId?: string | undefined
    readonly after?: Stored.Position | undefined
    readonly waiting?: boolean | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<Summary>, unknown>
  /** Returns sessions whose `wakeAt` is not later than `before`, the earliest first. */
  readonly due: (before: string, limit: number) => Effect.Effect<ReadonlyArray<Summary>, unknown>
  /** Returns sessions last updated before `olderThan`, the oldest first. */
  readonly old: (olderThan: string, limit: number) => Effect.Effect<ReadonlyArray<Summary>, unknown>
  /**
   * Removes the main documents of these sessions, each only if it still has the `epoch` and the `version` that are given.
   * Returns the ids of the removed ones.
   */
  readonly remove: (sessions: ReadonlyArray<Removal>) => Effect.Effect<ReadonlyArray<string>, unknown>
  /** Removes all records of these sessions. Fails unless they are gone. */
  readonly forget: (sessions: ReadonlyArray<Summary>) => Effect.Effect<unknown, unknown>
  readonly journals: {
    /** Returns the outcomes of a turn, in any order. Outcomes that have expired may be among them. */
    readonly read: (id: string, turnKey: string) => Effect.Effect<ReadonlyArray<Outcome>, unknown>
    /**
     * Writes an outcome. Returns false if the turn has one with the same fingerprint that has not expired at `now`, in
     * milliseconds since 1970. Of several writers, one succeeds.
     */
    readonly write: (outcome: Outcome, now: number) => Effect.Effect<boolean, unknown>
    /** Removes the journal of a turn. */
    readonly end: (id: string, turnKey: string) => Effect.Effect<unknown, unknown>
    /** Removes the journals of all turns of these sessions. Fails unless they are gone. */
    readonly forget: (ids: ReadonlyArray<string>) => Effect.Effect<unknown, unknown>
  }
}

/** The main document to remove. */
export interface Removal {
  readonly id: string
  readonly epoch?: string | undefined
  readonly version?: number | undefined
}
