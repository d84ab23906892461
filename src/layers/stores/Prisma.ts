/**
 * Sessions through Prisma, on your own client and models; this module needs no package. `docs/persistence.md` has the
 * models to copy into your schema.
 *
 * A commit is one interactive transaction that begins with an `updateMany` on the expected version.
 *
 * ```ts
 * import * as PrismaStore from "coxswain/layers/prisma"
 *
 * // new PrismaClient({ adapter })
 * declare const client: PrismaStore.Client
 * const SessionsLive = PrismaStore.layer({ client })
 * ```
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { SessionConflict, SessionCorrupt, type SessionStoreError } from "../../domain/base/error/Errors.js"
import type { Service, SessionWrite } from "../../services/session/SessionStore.js"
import { checked, SessionStore } from "../../services/session/SessionStore.js"
import * as Lease from "./Lease.js"
import type { Client, Models, Select, SummaryRow } from "./PrismaModels.js"
import * as PrismaWrites from "./PrismaWrites.js"
import * as Stored from "./Stored.js"

export type { Client, Models } from "./PrismaModels.js"

export interface Options {
  /** The application's Prisma client, with the models this store needs in its schema. */
  readonly client: Client
  /** How long the response to a `messageId` is kept. Default 7 days. */
  readonly answersTimeToLive?: Duration.DurationInput | undefined
  /** How long a commit may wait for a connection, and then for the database. Default 10 seconds each. */
  readonly commitTimeout?: Duration.DurationInput | undefined
  /** How long the lock of a process that died keeps a session locked. Default 10 seconds. */
  readonly lockLease?: Duration.DurationInput | undefined
}

const summary: Select<SummaryRow> = {
  id: true,
  version: true,
  userId: true,
  messageCount: true,
  createdAt: true,
  updatedAt: true,
  wakeAt: true,
  waiting: true
}

const isDuplicate = (error: unknown) => Stored.codeOf(error) === "P2002"
/** True if the database rolled the transaction back because it conflicted with another one. */
const gaveWay = (error: unknown) => Stored.codeOf(error) === "P2034"

/**
 * Makes the store on a client. Deletes expired answers, journals and locks in the background while the scope is open.
 */
export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<Service, never, Scope.Scope> {
  const { client } = options
  const timeToLive = Duration.toMillis(options.answersTimeToLive ?? Duration.days(7))
  const patience = Duration.toMillis(options.commitTimeout ?? Duration.seconds(10))
  const attempt = <A>(use: () => PromiseLike<A>) => Effect.tryPromise({ try: use, catch: (error) => error })
  const transaction = <A>(run: (models: Models) => Promise<A>) =>
    attempt(() => client.$transaction(run, { maxWait: patience, timeout: patience })).pipe(
      Effect.retry({ while: gaveWay, times: 5 })
    )
  const storeErrors = (operation: string) => Effect.mapError(Stored.failure(operation))
  const row = (id: string) => attempt(() => client.coxswainSession.findUnique({ where: { id: Stored.toText(id) } }))

  /**
   * Reads messages `first` to `last` of a session. Their numbers have no gaps, so a missing one is `SessionCorrupt`.
   */
  const range = (id: string, first: number, last: number) =>
    last < first ? Effect.succeed([]) : attempt(() =>
      client.coxswainMessage.findMany({
        where: { sessionId: Stored.toText(id), seq: { gte: first, lte: last } },
        orderBy: { seq: "asc" }
      })
    ).pipe(Effect.filterOrFail(
      (found) => found.length === last - first + 1,
      () => new SessionCorrupt({ sessionId: id, why: "some of its messages are missing" })
    ))
  /**
   * Reads a second time after a failure: if the session was removed between the queries of the first read, the second
   * finds no session.
   */
  const looking = <A, E>(look: Effect.Effect<A, E>) => Effect.retry(look, { times: 1 })

  const commit = Effect.fnUntraced(function*(commit: SessionWrite) {
    const expiresAt = new Date((yield* Clock.currentTimeMillis) + timeToLive)
    const result = yield* Effect.either(transaction((models) => PrismaWrites.commit(models, commit, expiresAt)))
    if (result._tag === "Right" && result.right) return { version: commit.expectedVersion + 1 }
    if (result._tag === "Left" && !isDuplicate(result.left)) return yield* Effect.fail(result.left)
    const actual = (yield* row(commit.id))?.version ?? 0
    const conflict = new SessionConflict({ sessionId: commit.id, expected: commit.expectedVersion, actual })
    // The duplicate key may be that of a message. Then the session has the expected version, and the error is no
    // conflict.
    return yield* Effect.fail(result._tag === "Left" && actual === commit.expectedVersion ? result.left : conflict)
  })

  yield* Stored.sweeping(timeToLive, (now) => {
    const expired = { where: { expiresAt: { lte: new Date(now) } } }
    return attempt(async () => {
      await client.coxswainAnswer.deleteMany(expired)
      await client.coxswainJournal.deleteMany(expired)
      await client.coxswainLock.deleteMany(expired)
    }).pipe(storeErrors("sweep"))
  })

  /** Returns rows of sessions, last updated first: one more than requested, to know whether there is a next page. */
  const page = (
    { cursor, limit, userId }: Parameters<Service["list"]>[0],
    only: { readonly waits?: true }
  ) => {
    const after = cursor === undefined ? undefined : Stored.toPosition(cursor)
    return attempt(() =>
      client.coxswainSession.findMany({
        where: {
          ...only,
          ...(userId !== undefined && { userId: Stored.toText(userId) }),
          ...(after !== undefined && {
            updatedAt: { lte: after.updatedAt },
            OR: [{ updatedAt: { lt: after.updatedAt } }, { id: { lt: after.id } }]
          })
        },
        orderBy: [{ updatedAt: "desc" }, { id: "desc" }],
        take: Stored.toLimit(limit) + 1,
        select: summary
      })
    )
  }

  const lock = yield* Lease.make({
    read: (id) =>
      attempt(() => client.coxswainLock.findUnique({ where: { sessionId: Stored.toText(id) } })).pipe(
        Effect.map((row) => row?.queue),
        storeErrors("lock")
      ),
    swap: (id, before, after, expiresAt) => {
      const sessionId = Stored.toText(id)
      const data = { queue: after ?? "", expiresAt: new Date(expiresAt) }
      return attempt(async () => {
        if (before === undefined) {
          await client.coxswainLock.create({ data: { sessionId, ...data } })
          return true
        }
        const where = { sessionId, queue: before }
        const { count } = after === undefined
          ? await client.coxswainLock.deleteMany({ where })
          : await client.coxswainLock.updateMany({ where, data })
        return count === 1
      }).pipe(Effect.catchIf(isDuplicate, () => Effect.succeed(false)), storeErrors("lock"))
    }
  }, { lease: options.lockLease })

  return checked(SessionStore.of({
    lock,
    load: (id, { messages = 0 } = {}) =>
      looking(Effect.gen(function*() {
        const found = yield* row(id)
        if (found === null) return Option.none()
        const first = Math.max(1, found.messageCount - Stored.toLimit(messages) + 1)
        const rows = yield* range(id, first, found.messageCount)
        return Option.some(
          yield* Stored.decode(id, () => ({
            id,
            version: found.version,
            session: Stored.parseObject(found.session),
            messages: rows.map(Stored.toMessage)
          }))
        )
      })).pipe(Effect.mapError((error) => error instanceof SessionCorrupt ? error : Stored.failure("load")(error))),
    commit: (write) =>
      Effect.mapError(
        commit(write),
        (error): SessionConflict | SessionStoreError =>
          error instanceof SessionConflict ? error : Stored.failure("commit")(error)
      ),
    response: Effect.fnUntraced(function*(id, messageId) {
      const key = { sessionId: Stored.toText(id), messageId: Stored.toText(messageId) }
      const found = yield* attempt(() => client.coxswainAnswer.findUnique({ where: { sessionId_messageId: key } }))
      const now = yield* Clock.currentTimeMillis
      if (found === null || found.expiresAt.getTime() <= now) return Option.none()
      return Option.some(yield* Effect.try(() => Stored.parse(found.response)))
    }, storeErrors("response")),
    messages: (id, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      looking(Effect.gen(function*() {
        const found = yield* row(id)
        const last = Math.min(found?.messageCount ?? 0, before - 1)
        const first = Math.max(1, last - Stored.toLimit(limit) + 1)
        const rows = yield* range(id, first, last)
        return Stored.toMessagePage(yield* Effect.try(() => rows.map(Stored.toMessage)))
      })).pipe(storeErrors("messages")),
    list: (query) =>
      page(query, {}).pipe(
        Effect.map((rows) => Stored.toPage(rows, Stored.toSummary, query.limit)),
        storeErrors("list")
      ),
    remove: (id) =>
      transaction((models) => PrismaWrites.remove(models, Stored.toText(id), {})).pipe(
        Effect.asVoid,
        storeErrors("remove")
      ),
    journal: Effect.fnUntraced(function*({ at, fingerprint, outcome, sessionId, turnKey }) {
      const place = [sessionId, turnKey, fingerprint].map(Stored.toText) as [string, string, string]
      const entry = yield* Stored.hash(JSON.stringify(place))
      const expiresAt = new Date((yield* Clock.currentTimeMillis) + timeToLive)
      yield* attempt(() =>
        client.coxswainJournal.create({
          data: {
            entry,
            sessionId: place[0],
            turnKey: place[1],
            fingerprint: place[2],
            outcome: JSON.stringify(outcome),
            createdAt: at,
            expiresAt
          }
        })
      ).pipe(Effect.catchIf(isDuplicate, () => Effect.void))
      const found = yield* attempt(() => client.coxswainJournal.findUnique({ where: { entry } }))
      // The entry does not exist if the turn was committed or the session removed in the meantime.
      return found === null ? outcome : yield* Effect.try(() => Stored.parse(found.outcome))
    }, storeErrors("journal")),
    journaled: Effect.fnUntraced(function*(sessionId, turnKey) {
      const now = new Date(yield* Clock.currentTimeMillis)
      const rows = yield* attempt(() =>
        client.coxswainJournal.findMany({
          where: { sessionId: Stored.toText(sessionId), turnKey: Stored.toText(turnKey), expiresAt: { gt: now } }
        })
      )
      return yield* Effect.try(() => Stored.toEntries(sessionId, turnKey, rows))
    }, storeErrors("journaled")),
    due: ({ before, limit }) =>
      attempt(() =>
        client.coxswainSession.findMany({
          where: { wakeAt: { lte: before } },
          orderBy: [{ wakeAt: "asc" }, { id: "asc" }],
          take: Stored.toLimit(limit),
          select: summary
        })
      ).pipe(
        Effect.map((rows) =>
          rows.map(({ id, wakeAt }) => ({ sessionId: Stored.fromText(id), wakeAt: wakeAt ?? before }))
        ),
        storeErrors("due")
      ),
    waiting: (query) =>
      page(query, { waits: true }).pipe(
        Effect.flatMap((rows) => Effect.try(() => Stored.toPage(rows, Stored.toWaitingSession, query.limit))),
        storeErrors("waiting")
      ),
    purge: ({ limit, olderThan }) =>
      Stored.inBatches(limit, (size) =>
        Effect.gen(function*() {
          const rows = yield* attempt(() =>
            client.coxswainSession.findMany({
              where: { updatedAt: { lt: olderThan } },
              orderBy: [{ updatedAt: "asc" }, { id: "asc" }],
              take: size,
              select: summary
            })
          )
          const removed = yield* Effect.forEach(
            rows,
            ({ id }) => transaction((models) => PrismaWrites.remove(models, id, { updatedAt: { lt: olderThan } }))
          )
          return { found: removed.length, removed: removed.filter((was) => was).length }
        }).pipe(storeErrors("purge")))
  }))
})

/** The store on a Prisma client. */
export const layer = (options: Options): Layer.Layer<SessionStore> => Layer.scoped(SessionStore, make(options))
