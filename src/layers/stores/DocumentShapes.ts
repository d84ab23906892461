/**
 * The documents that `Documents` keeps, and what a database must offer to keep them.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { SessionCorrupt } from "../../domain/base/error/Errors.js"
import * as Stored from "./Stored.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Answer extends Schema.Schema.Type<typeof Answer> {}

/**
 * @since 0.1.0
 * @category models
 */
export const Answer = Schema.Struct({
  /** As `Stored.toText` gives it. */
  messageId: Schema.String,
  /** JSON text. */
  response: Schema.String,
  /** Milliseconds since 1970. */
  expiresAt: Schema.Number
})

/**
 * What `list` shows of a session.
 *
 * @since 0.1.0
 * @category models
 */
export interface Summary extends Schema.Schema.Type<typeof Summary> {}

/**
 * @since 0.1.0
 * @category models
 */
export const Summary = Schema.Struct({
  /** As `Stored.toText` gives it, like `userId`. */
  id: Schema.String,
  userId: Schema.optional(Schema.String),
  version: Schema.Number,
  messageCount: Schema.Number,
  createdAt: Schema.String,
  updatedAt: Schema.String,
  /** An instant. Absent: nothing is due. */
  wakeAt: Schema.optional(Schema.String),
  /** JSON text. Absent: nothing waits for a person. */
  waiting: Schema.optional(Schema.String)
})

/**
 * What the turns of a session have written down, one document for each turn that is not committed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Journal extends Schema.Schema.Type<typeof Journal> {}

/**
 * @since 0.1.0
 * @category models
 */
export const Journal = Schema.Struct({
  /** As `Stored.toText` gives it, like `turnKey` and the keys of `entries`. */
  sessionId: Schema.String,
  turnKey: Schema.String,
  /** JSON text of fingerprints, each with when it was and what came of it. */
  entries: Schema.String,
  /** Milliseconds since 1970. */
  expiresAt: Schema.Number
})

/**
 * The document of a session.
 *
 * @since 0.1.0
 * @category models
 */
export interface Head extends Schema.Schema.Type<typeof Head> {}

/**
 * @since 0.1.0
 * @category models
 */
export const Head = Schema.Struct({
  ...Summary.fields,
  epoch: Schema.String,
  /** JSON text. */
  session: Schema.String,
  /** The messages of the last commit, each as JSON text. The last one is number `messageCount`. */
  tail: Schema.Array(Schema.String),
  answered: Schema.optional(Answer)
})

const decodeHead = Schema.decodeUnknownSync(Head)

/**
 * An answer and a summary as a database gave them back. They throw.
 *
 * @since 0.1.0
 * @category decoding
 */
export const toAnswer = Schema.decodeUnknownSync(Answer)

/**
 * @since 0.1.0
 * @category decoding
 */
export const toSummary = Schema.decodeUnknownSync(Summary)

/**
 * @since 0.1.0
 * @category decoding
 */
export const toJournal = Schema.decodeUnknownSync(Journal)

/**
 * The head that a database gave back.
 *
 * @since 0.1.0
 * @category decoding
 */
export const toHead = (id: string, read: () => unknown): Effect.Effect<Head, SessionCorrupt> =>
  Stored.decode(Stored.fromText(id), () => decodeHead(read()))

/**
 * What a commit left in the head, to be settled by the next.
 *
 * @since 0.1.0
 * @category models
 */
export interface Records {
  readonly epoch: string
  /** The commit they came with. */
  readonly version: number
  readonly messages: ReadonlyArray<{ readonly seq: number; readonly body: string }>
  readonly answer?: Answer | undefined
}

/**
 * What a database must offer. Ids and cursors are values here as well. `Revision` is what a compare compares.
 *
 * @since 0.1.0
 * @category models
 */
export interface Documents<Revision, JournalRevision = Revision> {
  /** None when there is no such session; `SessionCorrupt` when the document is not a head. */
  readonly head: (id: string) => Effect.Effect<Option.Option<readonly [head: Head, revision: Revision]>, unknown>
  /** `false` when there is one already. */
  readonly create: (head: Head) => Effect.Effect<boolean, unknown>
  /** `false` when the head is no longer the one of this revision. */
  readonly replace: (head: Head, revision: Revision) => Effect.Effect<boolean, unknown>
  /** Writes records, over equal ones if they are there. */
  readonly settle: (records: Records) => Effect.Effect<void, unknown>
  /** The settled messages from `first` to `last`, in order. They must be found as soon as they are settled. */
  readonly messages: (epoch: string, first: number, last: number) => Effect.Effect<ReadonlyArray<string>, unknown>
  readonly answer: (epoch: string, messageId: string) => Effect.Effect<Option.Option<Answer>, unknown>
  /** Last updated first, ties by id downwards; with `waiting`, only those in which something waits for a person. */
  readonly list: (query: {
    readonly userId?: string | undefined
    readonly after?: Stored.Position | undefined
    readonly waiting?: boolean | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<Summary>, unknown>
  /** Those with a `wakeAt` that is not later than `before`, the earliest first. */
  readonly due: (before: string, limit: number) => Effect.Effect<ReadonlyArray<Summary>, unknown>
  /** Those last updated before `olderThan`, the oldest first. */
  readonly old: (olderThan: string, limit: number) => Effect.Effect<ReadonlyArray<Summary>, unknown>
  /** Removes the head, if it is still of this epoch and this version where they are given. */
  readonly remove: (id: string, only: { readonly epoch?: string; readonly version?: number }) => Effect.Effect<
    unknown,
    unknown
  >
  /** Removes all records of the head's epoch. */
  readonly forget: (head: Head) => Effect.Effect<unknown, unknown>
  readonly journals: {
    readonly read: (id: string, turnKey: string) => Effect.Effect<
      Option.Option<readonly [journal: Journal, revision: JournalRevision]>,
      unknown
    >
    /** `false` when it is no longer the one of this revision, or, without one, when there is one already. */
    readonly write: (journal: Journal, revision: JournalRevision | undefined) => Effect.Effect<boolean, unknown>
    /** Removes that of a turn. */
    readonly end: (id: string, turnKey: string) => Effect.Effect<unknown, unknown>
    /** Removes those of all turns of a session. */
    readonly forget: (id: string) => Effect.Effect<unknown, unknown>
  }
}
