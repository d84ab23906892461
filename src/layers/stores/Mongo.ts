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
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { LayerConfigurationError, type SessionStoreError } from "../../domain/base/error/Errors.js"
import { recordOf } from "../../domain/base/Json.js"
import type { Service } from "../../services/session/SessionStore.js"
import { SessionStore } from "../../services/session/SessionStore.js"
import * as DocumentStore from "./DocumentStore.js"
import * as Stored from "./Stored.js"

/** The part of a `Collection` of the `mongodb` driver (4 or later) that the store uses. */
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
  indexes(): Promise<ReadonlyArray<object>>
}

/**
 * A filter. Fields are compared by operators, never by bare values, so that a caller's value cannot act as an operator.
 */
export interface Filter {
  readonly [field: string]:
    | {
      readonly $eq?: unknown
      readonly $lt?: unknown
      readonly $lte?: unknown
      readonly $gte?: unknown
      readonly $in?: ReadonlyArray<unknown>
    }
    | ReadonlyArray<Filter>
}

/** The part of a `Db` of the `mongodb` driver (4 or later) that the store uses. */
export interface Database {
  collection(name: string): Collection
  /** The driver's client, whose hosts errors name. */
  readonly client?: { readonly options?: { readonly hosts?: ReadonlyArray<object> } }
}

export interface Options {
  /** The database, such as `client.db("…")`. */
  readonly database: Database
  /** Prefix of the collection names: lower-case letters, digits and underscores. Default `coxswain_`. */
  readonly collectionPrefix?: string | undefined
  /** How long the response to a `messageId` is kept. Default 7 days. */
  readonly answersTimeToLive?: Duration.DurationInput | undefined
  /**
   * How long one request to the database may take, with its repetition. A request that failed is repeated once if that
   * is safe. Default 5 seconds.
   */
  readonly timeout?: Duration.DurationInput | undefined
}

const eq = <A>(value: A) => ({ $eq: value })
const duplicate = (error: unknown) => Stored.codeOf(error) === 11000

/** The fields of a summary; `_id` is the id. */
const summary: Record<string, 1> = Object.fromEntries(
  Object.keys(DocumentStore.Summary.fields).map((name) => [name === "id" ? "_id" : name, 1] as const)
)

/**
 * Removes null fields, because MongoDB gets absent fields as null, and the Schemas have no null. Renames `_id` to `id`.
 */
const present = (document: object): Record<string, unknown> => {
  const { _id: id, ...rest } = recordOf(document)
  return { id, ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)) }
}

/** True if the request never reached the server, so that also a compare-and-set may be repeated. */
const unsent = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === "MongoServerSelectionError" || /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(error.message))

/** A document of MongoDB has at most 16 MB; what the store adds to the texts in it takes less than the difference. */
const limit: Stored.SizeLimit = { bytes: 16 * 1_048_576 - 65_536, of: "a document of MongoDB" }

/** Rounds and writers of the check whether the server's updates are atomic. */
const races = { rounds: 6, writers: 8 }

/** Creates the indexes, checks that the server has what the store needs, then makes the store. */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Service, LayerConfigurationError | SessionStoreError> {
  const prefix = yield* Stored.checkPrefix("collectionPrefix", options.collectionPrefix ?? "coxswain_")
  const { database } = options
  const sessions = database.collection(`${prefix}sessions`)
  const messages = database.collection(`${prefix}messages`)
  const answers = database.collection(`${prefix}answers`)
  const journal = database.collection(`${prefix}journal`)
  const address = database.client?.options?.hosts?.map(String).join() ?? "the MongoDB server"
  const timeout = Duration.decode(options.timeout ?? Duration.seconds(5))

  /** Adds the address to the error of a driver that does not name it. */
  const located = (error: unknown): unknown =>
    !(error instanceof Error) || error instanceof Stored.Located || error.message.includes(address) || duplicate(error)
      ? error
      : new Stored.Located(address, error)
  /** Runs a request of the driver in the limit of time, and once more if it failed with an error that `again` accepts. */
  const request = <A>(use: () => Promise<A>, again: (error: unknown) => boolean): Effect.Effect<A, unknown> =>
    Effect.tryPromise({ try: use, catch: (error) => error }).pipe(
      Effect.retry({ times: 1, while: again }),
      Effect.timeoutFail({
        duration: timeout,
        onTimeout: () => `${address} did not answer within ${Duration.format(timeout)}`
      }),
      Effect.mapError(located)
    )
  /** A request that may be repeated whether or not it was executed. */
  const attempt = <A>(use: () => Promise<A>) => request(use, (error) => !duplicate(error))
  const swap = <A>(use: () => Promise<A>) => request(use, unsent)

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
      journal.createIndex({ sessionId: 1, turnKey: 1 }),
      journal.createIndex({ expires: 1 }, { expireAfterSeconds: 0 })
    ])
  ).pipe(Effect.mapError(Stored.failure("connect")))

  const refuse = (why: string) =>
    new LayerConfigurationError({
      path: "database",
      what: `the store on ${address}`,
      why,
      fix: "Use MongoDB 4.0 or later, or another store"
    })
  const expiring = yield* attempt(() => answers.indexes()).pipe(Effect.mapError(Stored.failure("connect")))
  if (!expiring.some((index) => recordOf(index).expireAfterSeconds === 0)) {
    return yield* refuse("the server has no TTL indexes, so that answers and journals would be kept for ever")
  }
  /** Several writers replace the same version: exactly one of them must find it. */
  const race = Effect.gen(function*() {
    const _id = `check:${globalThis.crypto.randomUUID()}`
    const expires = new Date((yield* Clock.currentTimeMillis) + 60_000)
    yield* swap(() => answers.insertOne({ _id, version: 0, expires }))
    const found = yield* Effect.forEach(
      Arr.range(1, races.writers),
      (version) => swap(() => answers.updateOne({ _id: eq(_id), version: eq(0) }, { $set: { version } })),
      { concurrency: "unbounded" }
    )
    yield* attempt(() => answers.deleteOne({ _id: eq(_id) }))
    return found.reduce((winners, { matchedCount }) => winners + matchedCount, 0)
  })
  for (let round = 1; round <= races.rounds; round++) {
    const winners = yield* Effect.mapError(race, Stored.failure("connect"))
    if (winners !== 1) {
      return yield* refuse(
        `its updates are not atomic (${winners} of ${races.writers} writers replaced the same version), so that commits would be lost`
      )
    }
  }

  const fields = ({ id: _, ...head }: DocumentStore.Head): Record<string, unknown> => ({
    ...head,
    userId: head.userId ?? null,
    wakeAt: head.wakeAt ?? null,
    waits: head.waiting !== undefined,
    waiting: head.waiting ?? null,
    answered: head.answered ?? null
  })

  /** Finds summaries. A repetition makes a cursor of its own, because one that has failed reads as empty. */
  const summaries = (...query: Parameters<Collection["find"]>) =>
    Effect.flatMap(
      attempt(() => sessions.find(...query).toArray()),
      (documents) => Effect.try(() => documents.map((document) => DocumentStore.toSummary(present(document))))
    )

  return DocumentStore.make<{ readonly version: number; readonly epoch: string }>({
    head: Effect.fnUntraced(function*(id) {
      const found = yield* attempt(() => sessions.findOne({ _id: eq(id) }))
      if (found === null) return Option.none()
      const head = yield* DocumentStore.toHead(id, () => present(found))
      return Option.some([head, head] as const)
    }),
    create: (head) =>
      swap(() => sessions.insertOne({ _id: head.id, ...fields(head) })).pipe(
        Effect.as(true),
        Effect.catchIf(duplicate, () => Effect.succeed(false))
      ),
    replace: (head, { epoch, version }) =>
      swap(() =>
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
      limit === 0
        ? Effect.succeed([])
        : summaries({ wakeAt: { $lte: before } }, { sort: { wakeAt: 1, _id: 1 }, limit, projection: summary }),
    old: (olderThan, limit) =>
      summaries({ updatedAt: { $lt: olderThan } }, {
        sort: { updatedAt: 1, _id: 1 },
        limit,
        projection: summary
      }),
    list: ({ after, limit, userId, waiting }) =>
      summaries({
        ...(userId !== undefined && { userId: eq(userId) }),
        ...(waiting === true && { waits: eq(true) }),
        ...(after !== undefined && {
          updatedAt: { $lte: after.updatedAt },
          $or: [{ updatedAt: { $lt: after.updatedAt } }, { _id: { $lt: after.id } }]
        })
      }, { sort: { updatedAt: -1, _id: -1 }, limit, projection: summary }),
    remove: Effect.fnUntraced(function*(found) {
      yield* Effect.forEach(found, ({ epoch, id, version }) =>
        attempt(() =>
          sessions.deleteOne({
            _id: eq(id),
            ...(epoch !== undefined && { epoch: eq(epoch) }),
            ...(version !== undefined && { version: eq(version) })
          })
        ), { concurrency: 10, discard: true })
      // Looks which are gone, because the count of a repeated deletion would not tell.
      const ids = found.map(({ id }) => id)
      const left = yield* attempt(() =>
        sessions.find({ _id: { $in: ids } }, { projection: { _id: 1, epoch: 1 } }).toArray()
      )
      const epochs = new Map(left.map((document) => [recordOf(document)._id, recordOf(document).epoch] as const))
      return found.filter(({ epoch, id }) => !epochs.has(id) || (epoch !== undefined && epochs.get(id) !== epoch))
        .map(({ id }) => id)
    }),
    forget: (found) => {
      const filter = { epoch: { $in: found.map(({ epoch }) => epoch) } }
      return attempt(() => Promise.all([messages.deleteMany(filter), answers.deleteMany(filter)]))
    },
    journals: {
      read: (id, turnKey) =>
        attempt(() =>
          // An earlier version kept all outcomes of a turn in one document, which has no fingerprint.
          journal.find({ sessionId: eq(id), turnKey: eq(turnKey), fingerprint: { $gte: "" } }).toArray()
        ).pipe(Effect.flatMap((found) => Effect.try(() => found.map((outcome) => DocumentStore.toOutcome(outcome))))),
      write: Effect.fnUntraced(function*(outcome, now) {
        // Hashed, because old servers limit the length of an id.
        const _id = yield* Stored.hash(JSON.stringify([outcome.sessionId, outcome.turnKey, outcome.fingerprint]))
        const document = { ...outcome, expires: new Date(outcome.expiresAt) }
        return yield* swap(() => journal.insertOne({ _id, ...document })).pipe(
          Effect.as(true),
          Effect.catchIf(duplicate, () =>
            Effect.map(
              swap(() => journal.updateOne({ _id: eq(_id), expiresAt: { $lte: now } }, { $set: document })),
              ({ matchedCount }) => matchedCount === 1
            ))
        )
      }),
      end: (id, turnKey) => attempt(() => journal.deleteMany({ sessionId: eq(id), turnKey: eq(turnKey) })),
      forget: (ids) => attempt(() => journal.deleteMany({ sessionId: { $in: ids } }))
    }
  }, { ...options, limit })
})

/** The store in MongoDB. */
export const layer = (options: Options): Layer.Layer<SessionStore, LayerConfigurationError | SessionStoreError> =>
  Layer.effect(SessionStore, make(options))
