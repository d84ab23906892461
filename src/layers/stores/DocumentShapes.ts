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
  /** Encoded by `Stored.toText`. */
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
  /** Instant at which the session is due; absent when it has no timer. */
  wakeAt: Schema.optional(Schema.String),
  /** The calls that wait for a person, as JSON text; absent when there are none. */
  waiting: Schema.optional(Schema.String)
})

/** The journal of a turn that is not committed. */
export interface Journal extends Schema.Schema.Type<typeof Journal> {}

export const Journal = Schema.Struct({
  /** Encoded by `Stored.toText`, like `turnKey` and the keys of `entries`. */
  sessionId: Schema.String,
  turnKey: Schema.String,
  /** JSON text of fingerprints, each with its time and outcome. */
  entries: Schema.String,
  /** Milliseconds since 1970. */
  expiresAt: Schema.Number
})

/** The main document of a session. It contains the session and the messages of its last commit. */
export interface Head extends Schema.Schema.Type<typeof Head> {}

export const Head = Schema.Struct({
  ...Summary.fields,
  epoch: Schema.String,
  /** JSON text. */
  session: Schema.String,
  /** The messages of the last commit, each as JSON text. The last one has number `messageCount`. */
  tail: Schema.Array(Schema.String),
  answered: Schema.optional(Answer)
})

const decodeHead = Schema.decodeUnknownSync(Head)

/** Decodes an answer from the database. Throws when it is something else. */
export const toAnswer = Schema.decodeUnknownSync(Answer)

/** Decodes a summary from the database. Throws when it is something else. */
export const toSummary = Schema.decodeUnknownSync(Summary)

/** Decodes a journal from the database. Throws when it is something else. */
export const toJournal = Schema.decodeUnknownSync(Journal)

/** Decodes a session's main document. Fails with `SessionCorrupt` if it is something else. */
export const toHead = (id: string, read: () => unknown): Effect.Effect<Head, SessionCorrupt> =>
  Stored.decode(Stored.fromText(id), () => decodeHead(read()))

/** The last commit's messages and answer in the main document. The next commit writes them as separate records. */
export interface Records {
  readonly epoch: string
  /** The version that the session got by the commit that stored them. */
  readonly version: number
  readonly messages: ReadonlyArray<{ readonly seq: number; readonly body: string }>
  readonly answer?: Answer | undefined
}

/**
 * The operations that a database must offer. It must take ids and cursors as values, never as query syntax. `Revision`
 * is the value that a compare-and-set compares.
 */
export interface Documents<Revision, JournalRevision = Revision> {
  /** Reads a head; None when there is no such session, `SessionCorrupt` when the document is not a head. */
  readonly head: (id: string) => Effect.Effect<Option.Option<readonly [head: Head, revision: Revision]>, unknown>
  /** Creates a head. Returns false when one exists. */
  readonly create: (head: Head) => Effect.Effect<boolean, unknown>
  /** Replaces the head. Returns false when it no longer has this revision. */
  readonly replace: (head: Head, revision: Revision) => Effect.Effect<boolean, unknown>
  /** Writes the last commit's messages and answer as separate records. Overwrites existing ones, which are equal. */
  readonly settle: (records: Records) => Effect.Effect<void, unknown>
  /**
   * Returns the messages `first` to `last` from the separate records, in order, as soon as `settle` has written them.
   */
  readonly messages: (epoch: string, first: number, last: number) => Effect.Effect<ReadonlyArray<string>, unknown>
  readonly answer: (epoch: string, messageId: string) => Effect.Effect<Option.Option<Answer>, unknown>
  /**
   * Sessions, last updated first, ties by id descending; with `waiting`, only those in which something waits for a
   * person.
   */
  readonly list: (query: {
    readonly userId?: string | undefined
    readonly after?: Stored.Position | undefined
    readonly waiting?: boolean | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<Summary>, unknown>
  /** Sessions with a `wakeAt` not later than `before`, the earliest first. */
  readonly due: (before: string, limit: number) => Effect.Effect<ReadonlyArray<Summary>, unknown>
  /** Sessions last updated before `olderThan`, the oldest first. */
  readonly old: (olderThan: string, limit: number) => Effect.Effect<ReadonlyArray<Summary>, unknown>
  /** Removes the main document of a session. If `epoch` or `version` is given, only if the document still has it. */
  readonly remove: (id: string, only: { readonly epoch?: string; readonly version?: number }) => Effect.Effect<
    unknown,
    unknown
  >
  /** Removes all records of the session with the `epoch` of this document. */
  readonly forget: (head: Head) => Effect.Effect<unknown, unknown>
  readonly journals: {
    readonly read: (id: string, turnKey: string) => Effect.Effect<
      Option.Option<readonly [journal: Journal, revision: JournalRevision]>,
      unknown
    >
    /** Writes a journal. Returns false when it no longer has this revision or, without one, when it exists. */
    readonly write: (journal: Journal, revision: JournalRevision | undefined) => Effect.Effect<boolean, unknown>
    /** Removes the journal of a turn. */
    readonly end: (id: string, turnKey: string) => Effect.Effect<unknown, unknown>
    /** Removes the journals of all turns of a session. */
    readonly forget: (id: string) => Effect.Effect<unknown, unknown>
  }
}
