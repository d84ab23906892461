/**
 * A `SessionStore` on any `SqlClient` of `@effect/sql`: SQLite, PostgreSQL, MySQL and MariaDB.
 *
 * Three tables: one row per session that stays small however long the conversation is, its messages, which are only
 * ever appended, and its answered messageIds, which are forgotten after a while. A commit is one transaction that
 * begins with a compare-and-set of the session's version; a load is one statement. JSON is kept as text, so that what
 * comes back is what went in.
 *
 * @since 0.1.0
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { type FlowConfigurationError, SessionConflict, type SessionStoreError } from "../../domain/Errors.js"
import type { Service, SessionWrite, StoredMessage } from "../../services/SessionStore.js"
import { SessionStore } from "../../services/SessionStore.js"
import * as Sql from "./SqlSchema.js"
import * as Stored from "./Stored.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Begins the names of the tables: lower-case letters, digits and underscores. Default `coxswain_`. */
  readonly tablePrefix?: string | undefined
  /** How long the response to a `messageId` is kept. Default 7 days. */
  readonly answersTimeToLive?: Duration.DurationInput | undefined
  /** Never to be seen in an error. The layers of the drivers pass their connection strings. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
}

interface SessionRow {
  readonly id: string
  readonly version: number
  readonly user_id: string | null
  readonly message_count: number
  readonly created_at: string
  readonly updated_at: string
}

interface MessageRow {
  readonly seq: number
  readonly message: string
  readonly created_at: string
}

/** How many messages one INSERT takes: databases limit the number of parameters. */
const chunk = 500

const toMessage = (row: MessageRow): StoredMessage => ({
  seq: row.seq,
  message: Stored.parseObject(row.message),
  createdAt: row.created_at
})

/**
 * Creates or upgrades the tables, then gives the store. Expired answers are deleted in the background, for as long as
 * the scope is open.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  options: Options = {}
): Effect.fn.Return<Service, FlowConfigurationError | SessionStoreError, SqlClient.SqlClient | Scope.Scope> {
  const prefix = yield* Stored.checkPrefix("tablePrefix", options.tablePrefix ?? "coxswain_")
  const timeToLive = Duration.toMillis(options.answersTimeToLive ?? Duration.days(7))
  const sql = (yield* SqlClient.SqlClient).withoutTransforms()
  const sessions = sql(`${prefix}sessions`)
  const messages = sql(`${prefix}messages`)
  const answers = sql(`${prefix}answers`)
  const limited = (limit: number) => sql.literal(String(Stored.toLimit(limit)))

  const storeErrors = (operation: string) => Sql.storeErrors(Stored.failure(operation, options.secrets))

  yield* Sql.migrate(prefix).pipe(Effect.provideService(SqlClient.SqlClient, sql), storeErrors("connect"))

  /** Whether this write is the next version; if so it holds the session's row until the transaction ends. */
  const compareAndSet = (write: SessionWrite): Effect.Effect<boolean, SqlError> => {
    const row = {
      version: write.expectedVersion + 1,
      user_id: write.userId === undefined ? null : Stored.toText(write.userId),
      session: JSON.stringify(write.session),
      updated_at: write.updatedAt
    }
    const id = Stored.toText(write.id)
    if (write.expectedVersion === 0) {
      const inserted = sql.insert({ ...row, id, message_count: write.messages.length, created_at: write.updatedAt })
      return sql.onDialectOrElse({
        // IGNORE would also swallow other errors, and an upsert reports the row as found.
        mysql: () =>
          sql`INSERT INTO ${sessions} ${inserted}`.pipe(
            Effect.as(true),
            Effect.catchIf((error) => Sql.codeOf(error) === "ER_DUP_ENTRY", () => Effect.succeed(false))
          ),
        orElse: () =>
          Effect.map(
            sql`INSERT INTO ${sessions} ${inserted} ON CONFLICT (id) DO NOTHING RETURNING version`,
            (rows) => rows.length === 1
          )
      })
    }
    const update = sql`UPDATE ${sessions} SET version = ${row.version}, user_id = ${row.user_id},
      session = ${row.session}, updated_at = ${row.updated_at}, message_count = message_count + ${write.messages.length}
      WHERE id = ${id} AND version = ${write.expectedVersion}`
    return sql.onDialectOrElse({
      mysql: () => Effect.map(update.raw, (result) => (result as { affectedRows: number }).affectedRows === 1),
      orElse: () => Effect.map(sql`${update} RETURNING version`, (rows) => rows.length === 1)
    })
  }

  const append = (write: SessionWrite) =>
    Effect.forEach(
      Arr.chunksOf(write.messages, chunk),
      (part) =>
        sql`INSERT INTO ${messages} ${
          sql.insert(part.map(({ createdAt, message, seq }) => ({
            session_id: Stored.toText(write.id),
            seq,
            message: JSON.stringify(message),
            created_at: createdAt
          })))
        }`,
      { discard: true }
    )

  const answer = Effect.fnUntraced(function*(id: string, { messageId, response }: Answered) {
    const row = {
      session_id: Stored.toText(id),
      message_id: Stored.toText(messageId),
      response: JSON.stringify(response),
      expires_at: (yield* Clock.currentTimeMillis) + timeToLive
    }
    // The same messageId comes again only after its answer expired.
    yield* sql.onDialectOrElse({
      mysql: () =>
        sql`INSERT INTO ${answers} ${sql.insert(row)}
          ON DUPLICATE KEY UPDATE response = VALUES(response), expires_at = VALUES(expires_at)`,
      orElse: () =>
        sql`INSERT INTO ${answers} ${sql.insert(row)}
          ON CONFLICT (session_id, message_id) DO UPDATE SET response = excluded.response, expires_at = excluded.expires_at`
    })
  })

  const versionOf = (id: string) =>
    Effect.map(
      sql<{ version: number }>`SELECT version FROM ${sessions} WHERE id = ${Stored.toText(id)}`,
      (rows) => rows[0]?.version ?? 0
    )

  const commit = Effect.fnUntraced(function*(write: SessionWrite) {
    yield* Sql.checkLengths(sql, {
      id: [Stored.toText(write.id), Stored.toText(write.userId ?? "")],
      messageId: [Stored.toText(write.answered?.messageId ?? "")]
    })
    if (!(yield* compareAndSet(write))) {
      const actual = yield* versionOf(write.id)
      return yield* new SessionConflict({ sessionId: write.id, expected: write.expectedVersion, actual })
    }
    yield* append(write)
    if (write.answered !== undefined) yield* answer(write.id, write.answered)
    return { version: write.expectedVersion + 1 }
  })

  /** All of it again when the database chose this transaction to give way to another. */
  const transaction = <A, E>(self: Effect.Effect<A, E>) =>
    sql.withTransaction(self).pipe(Effect.retry({ while: Sql.gaveWay, times: 5 }))

  yield* Effect.gen(function*() {
    yield* sql`DELETE FROM ${answers} WHERE expires_at <= ${yield* Clock.currentTimeMillis}`
  }).pipe(
    storeErrors("sweep"),
    Effect.catchAll((error) => Effect.logWarning("Expired answers were not deleted", error.message)),
    Effect.repeat(Schedule.spaced(Duration.millis(Math.min(timeToLive, 3_600_000)))),
    Effect.forkScoped
  )

  return SessionStore.of({
    load: (id, { messages: tail = 0 } = {}) =>
      // One statement, so that session and messages are of the same version.
      sql<{ kind: number; seq: number; body: string; created_at: string }>`
        SELECT 0 AS kind, version AS seq, session AS body, updated_at AS created_at
        FROM ${sessions} WHERE id = ${Stored.toText(id)}
        UNION ALL SELECT * FROM (
          SELECT 1 AS kind, seq, message AS body, created_at FROM ${messages}
          WHERE session_id = ${Stored.toText(id)} ORDER BY seq DESC LIMIT ${limited(tail)}
        ) AS tail`.pipe(
        storeErrors("load"),
        Effect.flatMap((rows) => {
          const [[row], found] = Arr.partition(rows, ({ kind }) => Number(kind) === 1)
          return row === undefined ? Effect.succeedNone : Stored.decode(id, () => ({
            id,
            version: row.seq,
            session: Stored.parseObject(row.body),
            messages: found.sort((a, b) => a.seq - b.seq).map(({ body, created_at, seq }) =>
              toMessage({ seq, message: body, created_at })
            )
          })).pipe(Effect.asSome)
        })
      ),
    commit: (write) => transaction(commit(write)).pipe(storeErrors("commit")),
    response: (id, messageId) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        sql<{ response: string }>`SELECT response FROM ${answers}
          WHERE session_id = ${Stored.toText(id)} AND message_id = ${Stored.toText(messageId)} AND expires_at > ${now}`)
        .pipe(
          Effect.flatMap(([row]) =>
            Effect.try(() => row === undefined ? Option.none() : Option.some(Stored.parse(row.response)))
          ),
          storeErrors("response")
        ),
    messages: (id, { before, limit }) =>
      sql<MessageRow>`SELECT seq, message, created_at FROM ${messages}
        WHERE session_id = ${Stored.toText(id)} ${before === undefined ? sql.literal("") : sql`AND seq < ${before}`}
        ORDER BY seq DESC LIMIT ${limited(limit)}`.pipe(
        Effect.flatMap((rows) => Effect.try(() => Arr.reverse(rows).map(toMessage))),
        storeErrors("messages"),
        // Sequence numbers have no gaps: there is more before anything but the first.
        Effect.map((items) => items[0] !== undefined && items[0].seq > 1 ? { items, next: items[0].seq } : { items })
      ),
    list: ({ cursor, limit, userId }) => {
      const position = cursor === undefined ? undefined : Stored.toPosition(cursor)
      const where = [
        ...(userId === undefined ? [] : [sql`user_id = ${Stored.toText(userId)}`]),
        ...(position === undefined ? [] : [
          sql`updated_at <= ${position.updatedAt}`,
          sql`(updated_at < ${position.updatedAt} OR id < ${position.id})`
        ])
      ]
      return sql<SessionRow>`SELECT id, version, user_id, message_count, created_at, updated_at FROM ${sessions}
        ${where.length === 0 ? sql.literal("") : sql`WHERE ${sql.and(where)}`}
        ORDER BY updated_at DESC, id DESC LIMIT ${limited(limit + 1)}`.pipe(
        Effect.map((rows) => Stored.toPage(rows.map(toSummary), Stored.toLimit(limit))),
        storeErrors("list")
      )
    },
    remove: (id) =>
      transaction(Effect.forEach([[sessions, "id"], [messages, "session_id"], [answers, "session_id"]] as const, (
        [table, key]
      ) => sql`DELETE FROM ${table} WHERE ${sql(key)} = ${Stored.toText(id)}`)).pipe(
        Effect.asVoid,
        storeErrors("remove")
      )
  })
})

type Answered = NonNullable<SessionWrite["answered"]>

const toSummary = (row: SessionRow) => ({
  id: Stored.fromText(row.id),
  version: row.version,
  ...(row.user_id !== null && { userId: Stored.fromText(row.user_id) }),
  messageCount: row.message_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at
})

/**
 * The store on the `SqlClient` at hand, for a client of your own. `coxswain/layers/sqlite`, `…/postgres` and `…/mysql`
 * bring theirs.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options?: Options
): Layer.Layer<SessionStore, FlowConfigurationError | SessionStoreError, SqlClient.SqlClient> =>
  Layer.scoped(SessionStore, make(options))

/**
 * The store on a client that a driver brings. Whatever keeps the client from connecting is a `SessionStoreError`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerOn = <E>(
  client: () => Layer.Layer<SqlClient.SqlClient, E>,
  options: Options
): Layer.Layer<SessionStore, FlowConfigurationError | SessionStoreError> =>
  layer(options).pipe(
    Layer.provide(
      Layer.suspend(client).pipe(
        Layer.catchAllCause((cause) =>
          Cause.isInterruptedOnly(cause)
            ? Layer.failCause(cause as Cause.Cause<never>)
            : Layer.fail(Stored.failure("connect", options.secrets)(Cause.squash(cause)))
        )
      )
    )
  )
