/**
 * A `SessionStore` on any `SqlClient` of `@effect/sql`: SQLite, PostgreSQL, MySQL and MariaDB.
 *
 * The tables hold one row per session, which stays small however long the conversation is; its messages, which are only
 * appended; the responses to its answered messageIds, which expire; the journal of its uncommitted turns; and its lock.
 * A commit is one transaction that begins with a compare-and-set of the session's version; on PostgreSQL it is one
 * statement. The commit that ends a turn also releases the session's lock. A load is one statement. JSON is stored as
 * text, so that it comes back exactly as it was written.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { LayerConfigurationError, SessionStoreError } from "../../domain/base/error/Errors.js"
import type { Service } from "../../services/session/SessionStore.js"
import { checked, SessionStore } from "../../services/session/SessionStore.js"
import { connected } from "./SqlConnection.js"
import * as SqlLock from "./SqlLock.js"
import * as SqlSchema from "./SqlSchema.js"
import { overwriting, scrubbed } from "./SqlScrub.js"
import * as SqlStatements from "./SqlStatements.js"
import * as SqlWrites from "./SqlWrites.js"
import * as Stored from "./Stored.js"

export interface Options {
  /** Prefix of the table names: lower-case letters, digits and underscores. Default `coxswain_`. */
  readonly tablePrefix?: string | undefined
  /** How long the response to a `messageId` is kept. Default 7 days. */
  readonly answersTimeToLive?: Duration.DurationInput | undefined
  /** How long one operation may take (PostgreSQL, MySQL). Default 10 seconds. */
  readonly timeout?: Duration.DurationInput | undefined
  /** How long the lock of a process that died keeps a session locked. Default 10 seconds. */
  readonly lockLease?: Duration.DurationInput | undefined
  /** Secrets to remove from errors. The layers of the drivers give their connection strings. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
}

/**
 * The columns of a session's row, renamed to the fields of `Stored.Row`. Without the quotes, PostgreSQL would change
 * the names to lower case.
 */
const summary = `id, version, user_id AS "userId", message_count AS "messageCount", created_at AS "createdAt",
  updated_at AS "updatedAt"`

/**
 * Creates or upgrades the tables, then makes the store. Deletes expired answers, journals and locks in the background,
 * for as long as the scope is open.
 */
const make = Effect.fnUntraced(function*(
  options: Options = {}
): Effect.fn.Return<Service, LayerConfigurationError | SessionStoreError, SqlClient.SqlClient | Scope.Scope> {
  const prefix = yield* Stored.checkPrefix("tablePrefix", options.tablePrefix ?? "coxswain_")
  const timeToLive = Duration.toMillis(options.answersTimeToLive ?? Duration.days(7))
  const timeout = options.timeout ?? Duration.seconds(10)
  const sql = (yield* SqlClient.SqlClient).withoutTransforms()
  const storeErrors = (operation: string) => SqlSchema.storeErrors(Stored.failure(operation, options.secrets))

  yield* SqlSchema.migrate(prefix).pipe(Effect.provideService(SqlClient.SqlClient, sql), storeErrors("connect"))
  yield* storeErrors("connect")(overwriting(sql))

  /**
   * Runs one operation of the port. If the database rolled it back because of another transaction, runs it again as a
   * whole. Maps its failures to `SessionStoreError`.
   */
  const run = <A, E>(operation: string, work: Effect.Effect<A, E>) =>
    Effect.retry(work, { while: SqlSchema.isRetryableConflict, times: 5 }).pipe(
      SqlStatements.uninterruptibleQuery(sql, timeout),
      storeErrors(operation)
    )

  const { rows: select } = SqlStatements.prepare(sql)
  const writes = SqlWrites.make(sql, prefix, timeToLive)
  const selectSession = select<
    { readonly kind: number; readonly seq: number; readonly body: string; readonly createdAt: string }
  >(
    // One statement, so that session and messages are of the same version.
    `SELECT 0 AS kind, version AS seq, session AS body, updated_at AS "createdAt" FROM ${prefix}sessions WHERE id = ?
     UNION ALL SELECT * FROM (
       SELECT 1 AS kind, seq, message AS body, created_at AS "createdAt" FROM ${prefix}messages
       WHERE session_id = ? ORDER BY seq DESC LIMIT ?) AS tail`
  )
  const selectAnswer = select<{ readonly response: string }>(
    `SELECT response FROM ${prefix}answers WHERE session_id = ? AND message_id = ? AND expires_at > ?`
  )
  const selectMessages = select<{ readonly seq: number; readonly message: string; readonly createdAt: string }>(
    `SELECT seq, message, created_at AS "createdAt" FROM ${prefix}messages WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`
  )
  const selectDue = select<{ readonly id: string; readonly wake_at: string }>(
    `SELECT id, wake_at FROM ${prefix}sessions WHERE wake_at <= ? ORDER BY wake_at, id LIMIT ?`
  )

  /** Returns rows of sessions, last updated first: one more than asked for, to know whether there is a next page. */
  const page = <Row extends object>(
    columns: string,
    condition: string | undefined,
    { cursor, limit, userId }: Parameters<Service["list"]>[0]
  ) => {
    const position = cursor === undefined ? undefined : Stored.toPosition(cursor)
    const where = [
      ...(condition === undefined ? [] : [condition]),
      ...(userId === undefined ? [] : ["user_id = ?"]),
      ...(position === undefined ? [] : ["updated_at <= ? AND (updated_at < ? OR id < ?)"])
    ]
    return select<Row>(
      `SELECT ${columns} FROM ${prefix}sessions ${where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`}
       ORDER BY updated_at DESC, id DESC LIMIT ?`
    )(
      ...(userId === undefined ? [] : [Stored.toText(userId)]),
      ...(position === undefined ? [] : [position.updatedAt, position.updatedAt, position.id]),
      Stored.toLimit(limit) + 1
    )
  }

  yield* Stored.sweeping(timeToLive, (now) => run("sweep", writes.sweep(now)))

  const lock = yield* SqlLock.make(sql, prefix, run, { lease: options.lockLease })

  return checked(SessionStore.of({
    lock,
    load: (id, { messages: tail = 0 } = {}) =>
      Effect.flatMap(
        run("load", selectSession(Stored.toText(id), Stored.toText(id), Stored.toLimit(tail))),
        (rows) => {
          const [[row], found] = Arr.partition(rows, ({ kind }) => Number(kind) === 1)
          return row === undefined ? Effect.succeedNone : Stored.decode(id, () => ({
            id,
            version: row.seq,
            session: Stored.parseObject(row.body),
            messages: found.sort((a, b) => a.seq - b.seq).map(({ body, ...row }) =>
              Stored.toMessage({ ...row, message: body })
            )
          })).pipe(Effect.asSome)
        }
      ),
    commit: (write) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(
          lock.committing(write, (queue) => run("commit", writes.commit(write, now, queue))),
          ({ version }) => ({ version })
        )),
    response: (id, messageId) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        run(
          "response",
          selectAnswer(Stored.toText(id), Stored.toText(messageId), now).pipe(
            Effect.flatMap(([row]) =>
              Effect.try(() => row === undefined ? Option.none() : Option.some(Stored.parse(row.response)))
            )
          )
        )),
    messages: (id, { before = maxSeq, limit }) =>
      run(
        "messages",
        selectMessages(Stored.toText(id), Math.min(before, maxSeq), Stored.toLimit(limit)).pipe(
          Effect.flatMap((rows) => Effect.try(() => Arr.reverse(rows).map(Stored.toMessage))),
          Effect.map(Stored.toMessagePage)
        )
      ),
    list: (query) =>
      run(
        "list",
        Effect.map(
          page<Parameters<typeof Stored.toSummary>[0]>(summary, undefined, query),
          (rows) => Stored.toPage(rows, Stored.toSummary, query.limit)
        )
      ),
    remove: (id) => run("remove", writes.remove(Stored.toText(id))),
    scrub: run("scrub", scrubbed(sql)),
    journal: (entry) => Effect.flatMap(Clock.currentTimeMillis, (now) => run("journal", writes.journal(entry, now))),
    journaled: (id, turnKey) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => run("journaled", writes.journaled(id, turnKey, now))),
    due: ({ before, limit }) =>
      run(
        "due",
        Effect.map(
          selectDue(before, Stored.toLimit(limit)),
          (rows) => rows.map(({ id, wake_at }) => ({ sessionId: Stored.fromText(id), wakeAt: wake_at }))
        )
      ),
    waiting: (query) =>
      run(
        "waiting",
        Effect.flatMap(
          page<Parameters<typeof Stored.toWaitingSession>[0]>(`${summary}, waiting`, "waits = 1", query),
          (rows) => Effect.try(() => Stored.toPage(rows, Stored.toWaitingSession, query.limit))
        )
      ),
    purge: ({ limit, olderThan }) => Stored.inBatches(limit, (size) => run("purge", writes.purge(olderThan, size)))
  }))
})

/** The largest number that the column holds. */
const maxSeq = 2_147_483_647

/**
 * The store on the `SqlClient` in the environment, for a client of your own. `coxswain/layers/sqlite`, `…/postgres` and
 * `…/mysql` bring their own.
 */
export const layer = (
  options?: Options
): Layer.Layer<SessionStore, LayerConfigurationError | SessionStoreError, SqlClient.SqlClient> =>
  Layer.scoped(SessionStore, make(options))

/** The store on the client of a driver. Every failure to connect is a `SessionStoreError`. */
export const layerOn = <E>(
  client: () => Layer.Layer<SqlClient.SqlClient, E>,
  options: Options
): Layer.Layer<SessionStore, LayerConfigurationError | SessionStoreError> =>
  layer(options).pipe(
    Layer.provide(connected(client, Stored.failure("connect", options.secrets)))
  )
