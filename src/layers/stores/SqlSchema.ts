/** The tables of `SessionStoreSql`, and the errors of the databases. */
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Struct from "effect/Struct"
import { SessionConflict, type SessionStoreError } from "../../domain/base/error/Errors.js"
import * as Stored from "./Stored.js"

/** The column types of a dialect. Each dialect compares ids byte by byte: `A` is not `a`, and `é` is not `e`. */
interface Types {
  readonly id: string
  readonly messageId: string
  readonly time: string
  readonly json: string
  readonly millis: string
}

/** Maximum lengths in characters. An index of MySQL holds 3072 bytes, which is 768 characters. */
const mysqlLengths = { id: 250, messageId: 500 }

const types = (sql: SqlClient.SqlClient): Types =>
  sql.onDialectOrElse({
    pg: () => {
      const text = `TEXT COLLATE "C"`
      return { id: text, messageId: text, time: text, json: "TEXT", millis: "BIGINT" }
    },
    mysql: () => {
      const text = (length: number) => `VARCHAR(${length}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`
      return {
        id: text(mysqlLengths.id),
        messageId: text(mysqlLengths.messageId),
        time: text(40),
        json: "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        millis: "BIGINT"
      }
    },
    orElse: () => ({ id: "TEXT", messageId: "TEXT", time: "TEXT", json: "TEXT", millis: "INTEGER" })
  })

const migration = (statements: (sql: SqlClient.SqlClient, type: Types) => ReadonlyArray<string>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.forEach(statements(sql, types(sql)), (statement) => sql.unsafe(statement), { discard: true })
  )

/** The migrations. To change the tables, append one; never edit one that was published. */
const migrations = (prefix: string) => ({
  "0001_sessions": migration((_, type) => [
    `CREATE TABLE IF NOT EXISTS ${prefix}sessions (
      id ${type.id} NOT NULL PRIMARY KEY,
      version INTEGER NOT NULL,
      user_id ${type.id},
      session ${type.json} NOT NULL,
      message_count INTEGER NOT NULL,
      created_at ${type.time} NOT NULL,
      updated_at ${type.time} NOT NULL
    )`,
    `CREATE INDEX ${prefix}sessions_updated ON ${prefix}sessions (updated_at, id)`,
    `CREATE INDEX ${prefix}sessions_user ON ${prefix}sessions (user_id, updated_at, id)`,
    `CREATE TABLE IF NOT EXISTS ${prefix}messages (
      session_id ${type.id} NOT NULL,
      seq INTEGER NOT NULL,
      message ${type.json} NOT NULL,
      created_at ${type.time} NOT NULL,
      PRIMARY KEY (session_id, seq)
    )`,
    `CREATE TABLE IF NOT EXISTS ${prefix}answers (
      session_id ${type.id} NOT NULL,
      message_id ${type.messageId} NOT NULL,
      response ${type.json} NOT NULL,
      expires_at ${type.millis} NOT NULL,
      PRIMARY KEY (session_id, message_id)
    )`,
    `CREATE INDEX ${prefix}answers_expiry ON ${prefix}answers (expires_at)`
  ]),
  "0002_waking_journal_locks": migration((sql, type) => {
    // A partial index, because most sessions do not wait. MySQL has no partial indexes.
    const only = (condition: string) => sql.onDialectOrElse({ mysql: () => "", orElse: () => ` WHERE ${condition}` })
    // A crash of the server empties an unlogged table. This does no harm: the lock holders then have lost their
    // connections too.
    const unlogged = sql.onDialectOrElse({ pg: () => "UNLOGGED ", orElse: () => "" })
    return [
      `ALTER TABLE ${prefix}sessions ADD COLUMN wake_at ${type.time}`,
      `ALTER TABLE ${prefix}sessions ADD COLUMN waits INTEGER NOT NULL DEFAULT 0`,
      `ALTER TABLE ${prefix}sessions ADD COLUMN waiting ${type.json}`,
      `CREATE INDEX ${prefix}sessions_wake ON ${prefix}sessions (wake_at, id)${only("wake_at IS NOT NULL")}`,
      `CREATE INDEX ${prefix}sessions_waiting ON ${prefix}sessions (waits, updated_at, id)${only("waits = 1")}`,
      // An index of MySQL is too short for three keys, so its key is their hash.
      `CREATE TABLE IF NOT EXISTS ${prefix}journal (
        entry CHAR(64) NOT NULL PRIMARY KEY,
        session_id ${type.id} NOT NULL,
        turn_key ${type.messageId} NOT NULL,
        fingerprint ${type.messageId} NOT NULL,
        outcome ${type.json} NOT NULL,
        created_at ${type.time} NOT NULL,
        expires_at ${type.millis} NOT NULL
      )`,
      `CREATE INDEX ${prefix}journal_turn ON ${prefix}journal (session_id, turn_key)`,
      `CREATE INDEX ${prefix}journal_expiry ON ${prefix}journal (expires_at)`,
      `CREATE ${unlogged}TABLE IF NOT EXISTS ${prefix}locks (
        session_id ${type.id} NOT NULL PRIMARY KEY,
        queue ${type.json} NOT NULL,
        expires_at ${type.millis} NOT NULL
      )`
    ]
  }),
  // SQLite writes whole pages, so each turn writes one page fewer for each table or index that does not exist.
  "0003_fewer_pages": migration((sql) =>
    sql.onDialectOrElse({
      sqlite: () => [
        `DROP TABLE ${prefix}locks`,
        `CREATE TABLE ${prefix}locks (
          session_id TEXT NOT NULL PRIMARY KEY,
          queue TEXT NOT NULL,
          expires_at INTEGER NOT NULL
        ) WITHOUT ROWID`,
        `DROP INDEX ${prefix}sessions_user`,
        `CREATE INDEX ${prefix}sessions_user ON ${prefix}sessions (user_id, updated_at, id) WHERE user_id IS NOT NULL`
      ],
      orElse: () => []
    })
  )
})

/**
 * Creates the tables, or upgrades the tables of an older version. If several processes start at the same time, only one
 * of them does it.
 */
export const migrate = (prefix: string): Effect.Effect<void, unknown, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Migrator.make({})({
      loader: Migrator.fromRecord(migrations(prefix)),
      table: `${prefix}migrations`
    })
    // MySQL commits each CREATE TABLE by itself, so another process may have created only some of the tables yet.
    yield* Effect.forEach(["sessions", "messages", "answers", "journal", "locks"], (table) =>
      // Unprepared, because the SQLite client remembers a statement that it could not prepare.
      sql.unsafe(`SELECT 1 FROM ${prefix}${table} WHERE 1 = 0`).unprepared, { discard: true })
  }).pipe(
    Effect.sandbox,
    // If two processes start together, the second fails here, tries again, and then finds the tables.
    Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.intersect(Schedule.recurs(20)))),
    Effect.unsandbox
  )

/** Converts failures and defects of the client to `SessionStoreError`. A conflict passes unchanged. */
export const storeErrors = (toError: (cause: unknown) => SessionStoreError) =>
<A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, Extract<E, SessionConflict> | SessionStoreError, R> =>
  Effect.catchAllCause(self, (cause) => {
    const error = Option.orElse(
      Cause.failureOption(cause),
      // The client dies if a COMMIT, a ROLLBACK or a migration fails.
      () =>
        Option.filter(
          Cause.dieOption(cause),
          (defect) => defect instanceof SqlError || defect instanceof Migrator.MigrationError
        )
    )
    if (Option.isNone(error)) return Effect.failCause(cause as Cause.Cause<never>)
    return Effect.fail(
      error.value instanceof SessionConflict ? error.value as Extract<E, SessionConflict> : toError(error.value)
    )
  })

/** The error code of the driver, such as `23505` or `ER_DUP_ENTRY`; undefined when there is none. */
export const codeOf = (error: unknown): unknown => error instanceof SqlError ? Stored.codeOf(error.cause) : undefined

const givingWay = new Set<unknown>([
  "SQLITE_BUSY",
  "SQLITE_BUSY_SNAPSHOT",
  "40001",
  "40P01",
  "ER_LOCK_DEADLOCK",
  "ER_CHECKREAD",
  // PostgreSQL cancelled this statement by mistake: the cancellation was meant for the previous user of the connection.
  "57014"
])

/** True if the database rolled this transaction back because of another one, so that the transaction may run again. */
export const isRetryableConflict = (error: unknown): boolean => givingWay.has(codeOf(error))

/**
 * Fails for ids that do not fit their column. MySQL in a lenient mode would truncate them, and two ids could become
 * one.
 */
export const checkLengths = (
  sql: SqlClient.SqlClient,
  texts: Readonly<Record<keyof typeof mysqlLengths, ReadonlyArray<string>>>
): Effect.Effect<void, SqlError> =>
  sql.onDialectOrElse({
    mysql: () =>
      Struct.entries(mysqlLengths).some(([kind, length]) => texts[kind].some((text) => text.length > length))
        ? Effect.fail(new SqlError({ cause: new Error("an id is too long for an index of MySQL") }))
        : Effect.void,
    orElse: () => Effect.void
  })
