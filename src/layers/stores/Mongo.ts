/**
 * Sessions in MongoDB, on your own client; this module needs no driver.
 *
 * A commit is one `updateOne` that names the version it expects, so it is atomic without transactions, and a standalone
 * server is enough. Connect with `writeConcern: { w: "majority" }` and read from the primary, as drivers do by default:
 * with a weaker write concern a confirmed commit can be lost when the primary changes.
 *
 * ```ts
 * import * as Mongo from "coxswain/layers/mongo"
 *
 * // new MongoClient(url).db("bot")
 * declare const database: Mongo.Database
 * const SessionsLive = Mongo.layer({ database })
 * ```
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { FlowConfigurationError, SessionStoreError } from "../../domain/base/error/Errors.js"
import { recordOf } from "../../domain/base/Json.js"
import type { Service } from "../../services/session/SessionStore.js"
import { SessionStore } from "../../services/session/SessionStore.js"
import * as DocumentStore from "./DocumentStore.js"
import * as Stored from "./Stored.js"

/**
 * The part of a `Collection` of the `mongodb` driver (4 or later) that the store uses.
 *
 * @since 0.1.0
 * @category models
 */
export interface Collection {
  findOne(filter: Filter, options?: { readonly projection?: Record<string, 0 | 1> }): Promise<object | null>
  find(filter: Filter, options?: {
    readonly sort?: Record<string, 1 | -1>
    readonly limit?: number
    readonly projection?: Record<string, 0 | 1>
  }): { toArray(): Promise<ReadonlyArray<object>> }
  insertOne(document: Record<string, unknown>): Promise<unknown>
  updateOne(
    filter: Filter,
    update: { readonly $set: Record<string, unknown> }
  ): Promise<{ readonly matchedCount: number }>
  bulkWrite(
    operations: Array<{
      readonly replaceOne: {
        readonly filter: Filter
        readonly replacement: Record<string, unknown>
        readonly upsert: boolean
      }
    }>
  ): Promise<unknown>
  deleteOne(filter: Filter): Promise<unknown>
  deleteMany(filter: Filter): Promise<unknown>
  createIndex(keys: Record<string, 1 | -1>, options?: { readonly expireAfterSeconds?: number }): Promise<unknown>
}

/**
 * A filter. Fields are compared by operators, never by bare values, so that a caller's value cannot act as an operator.
 *
 * @since 0.1.0
 * @category models
 */
export interface Filter {
  readonly [field: string]:
    | {
      readonly $eq?: unknown
      readonly $lt?: unknown
      readonly $lte?: unknown
      readonly $gte?: unknown
    }
    | ReadonlyArray<Filter>
}

/**
 * The part of a `Db` of the `mongodb` driver (4 or later) that the store uses.
 *
 * @since 0.1.0
 * @category models
 */
export interface Database {
  collection(name: string): Collection
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The database, such as `client.db("…")`. */
  readonly database: Database
  /** Prefix of the collection names: lower-case letters, digits and underscores. Default `coxswain_`. */
  readonly collectionPrefix?: string | undefined
  /** How long the response to a `messageId` is kept. Default 7 days. */
  readonly answersTimeToLive?: Duration.DurationInput | undefined
}

const eq = <A>(value: A) => ({ $eq: value })
const duplicate = (error: unknown) =>
  typeof error === "object" && error !== null && "code" in error && error.code === 11000

const summary = {
  _id: 1,
  userId: 1,
  version: 1,
  messageCount: 1,
  createdAt: 1,
  updatedAt: 1,
  wakeAt: 1,
  waiting: 1
} as const

/**
 * Removes null fields, because MongoDB gets absent fields as null, and the Schemas have no null. Renames `_id` to `id`.
 */
const present = (document: object): Record<string, unknown> => {
  const { _id: id, ...rest } = recordOf(document)
  return { id, ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)) }
}

const journalId = (id: string, turnKey: string): string => JSON.stringify([id, turnKey])

/**
 * Creates the indexes, then makes the store.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Service, FlowConfigurationError | SessionStoreError> {
  const prefix = yield* Stored.checkPrefix("collectionPrefix", options.collectionPrefix ?? "coxswain_")
  const { database } = options
  const sessions = database.collection(`${prefix}sessions`)
  const messages = database.collection(`${prefix}messages`)
  const answers = database.collection(`${prefix}answers`)
  const journal = database.collection(`${prefix}journal`)
  const attempt = <A>(use: () => Promise<A>) => Effect.tryPromise({ try: use, catch: (error) => error })

  yield* attempt(() =>
    Promise.all([
      sessions.createIndex({ updatedAt: -1, _id: -1 }),
      sessions.createIndex({ userId: 1, updatedAt: -1, _id: -1 }),
      sessions.createIndex({ wakeAt: 1, _id: 1 }),
      // A sparse index would not help, because absent fields are stored as null.
      sessions.createIndex({ waits: 1, updatedAt: -1, _id: -1 }),
      messages.createIndex({ epoch: 1, seq: 1 }),
      answers.createIndex({ epoch: 1 }),
      // The server deletes an answer after this time.
      answers.createIndex({ expires: 1 }, { expireAfterSeconds: 0 }),
      journal.createIndex({ sessionId: 1 }),
      journal.createIndex({ expires: 1 }, { expireAfterSeconds: 0 })
    ])
  ).pipe(Effect.mapError(Stored.failure("connect")))

  const fields = ({ id: _, ...head }: DocumentStore.Head): Record<string, unknown> => ({
    ...head,
    userId: head.userId ?? null,
    wakeAt: head.wakeAt ?? null,
    waits: head.waiting !== undefined,
    waiting: head.waiting ?? null,
    answered: head.answered ?? null
  })

  const summaries = (found: ReturnType<Collection["find"]>) =>
    Effect.flatMap(
      attempt(() => found.toArray()),
      (documents) => Effect.try(() => documents.map((document) => DocumentStore.toSummary(present(document))))
    )

  return DocumentStore.make<{ readonly version: number; readonly epoch: string }, unknown>({
    head: Effect.fnUntraced(function*(id) {
      const found = yield* attempt(() => sessions.findOne({ _id: eq(id) }))
      if (found === null) return Option.none()
      const head = yield* DocumentStore.toHead(id, () => present(found))
      return Option.some([head, head] as const)
    }),
    create: (head) =>
      attempt(() => sessions.insertOne({ _id: head.id, ...fields(head) })).pipe(
        Effect.as(true),
        Effect.catchIf(duplicate, () => Effect.succeed(false))
      ),
    replace: (head, { epoch, version }) =>
      attempt(() =>
        sessions.updateOne({ _id: eq(head.id), version: eq(version), epoch: eq(epoch) }, { $set: fields(head) })
      ).pipe(Effect.map(({ matchedCount }) => matchedCount === 1)),
    settle: ({ answer, epoch, messages: settled }) =>
      attempt(async () => {
        const operation = (_id: string, replacement: Record<string, unknown>) => ({
          replaceOne: { filter: { _id: eq(_id) }, replacement: { epoch, ...replacement }, upsert: true }
        })
        if (settled.length > 0) {
          await messages.bulkWrite(settled.map(({ body, seq }) => operation(`${epoch}:${seq}`, { seq, body })))
        }
        if (answer !== undefined) {
          const expires = new Date(answer.expiresAt)
          await answers.bulkWrite([operation(`${epoch}:${answer.messageId}`, { ...answer, expires })])
        }
      }).pipe(
        // Two writers may write the same records concurrently; the upsert of one may then fail with a duplicate key.
        Effect.retry({ while: duplicate, times: 5 })
      ),
    messages: (epoch, first, last) =>
      attempt(() =>
        messages.find({ epoch: eq(epoch), seq: { $gte: first, $lte: last } }, { sort: { seq: 1 } }).toArray()
      ).pipe(Effect.map((found) => found.map((document) => String(recordOf(document).body)))),
    answer: (epoch, messageId) =>
      attempt(() => answers.findOne({ _id: eq(`${epoch}:${messageId}`) })).pipe(
        Effect.flatMap((found) =>
          found === null ? Effect.succeedNone : Effect.asSome(Effect.try(() => DocumentStore.toAnswer(found)))
        )
      ),
    due: (before, limit) =>
      limit === 0 ? Effect.succeed([]) : summaries(
        sessions.find({ wakeAt: { $lte: before } }, { sort: { wakeAt: 1, _id: 1 }, limit, projection: summary })
      ),
    old: (olderThan, limit) =>
      summaries(
        sessions.find({ updatedAt: { $lt: olderThan } }, {
          sort: { updatedAt: 1, _id: 1 },
          limit,
          projection: summary
        })
      ),
    list: ({ after, limit, userId, waiting }) =>
      summaries(
        sessions.find({
          ...(userId !== undefined && { userId: eq(userId) }),
          ...(waiting === true && { waits: eq(true) }),
          ...(after !== undefined && {
            updatedAt: { $lte: after.updatedAt },
            $or: [{ updatedAt: { $lt: after.updatedAt } }, { _id: { $lt: after.id } }]
          })
        }, { sort: { updatedAt: -1, _id: -1 }, limit, projection: summary })
      ),
    remove: (id, { epoch, version }) =>
      attempt(() =>
        sessions.deleteOne({
          _id: eq(id),
          ...(epoch !== undefined && { epoch: eq(epoch) }),
          ...(version !== undefined && { version: eq(version) })
        })
      ),
    forget: ({ epoch }) =>
      attempt(() => Promise.all([messages.deleteMany({ epoch: eq(epoch) }), answers.deleteMany({ epoch: eq(epoch) })])),
    journals: {
      read: (id, turnKey) =>
        attempt(() => journal.findOne({ _id: eq(journalId(id, turnKey)) })).pipe(
          Effect.flatMap((found) =>
            found === null ? Effect.succeedNone : Effect.asSome(
              Effect.try(() => [DocumentStore.toJournal(found), recordOf(found).revision] as const)
            )
          )
        ),
      write: (written, revision) => {
        const document = {
          ...written,
          expires: new Date(written.expiresAt),
          revision: globalThis.crypto.randomUUID()
        }
        const _id = journalId(written.sessionId, written.turnKey)
        return revision === undefined
          ? attempt(() => journal.insertOne({ _id, ...document })).pipe(
            Effect.as(true),
            Effect.catchIf(duplicate, () => Effect.succeed(false))
          )
          : Effect.map(
            attempt(() => journal.updateOne({ _id: eq(_id), revision: eq(revision) }, { $set: document })),
            ({ matchedCount }) => matchedCount === 1
          )
      },
      end: (id, turnKey) => attempt(() => journal.deleteOne({ _id: eq(journalId(id, turnKey)) })),
      forget: (id) => attempt(() => journal.deleteMany({ sessionId: eq(id) }))
    }
  }, options)
})

/**
 * The store in MongoDB.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<SessionStore, FlowConfigurationError | SessionStoreError> =>
  Layer.effect(SessionStore, make(options))
