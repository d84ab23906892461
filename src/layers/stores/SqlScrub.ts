/**
 * Removes deleted text from the database files, where the database leaves this to the application: SQLite keeps deleted
 * text in its free pages, and in its log until the next checkpoint.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Makes this connection overwrite deleted data with zeros. Only SQLite needs it. */
export const overwriting = (sql: SqlClient.SqlClient): Effect.Effect<unknown, SqlError> =>
  sql.onDialectOrElse({
    sqlite: () => Effect.asVoid(sql`PRAGMA secure_delete = ON`),
    orElse: () => Effect.void
  })

/**
 * Writes SQLite's write-ahead log into the database file, then empties the log. Only SQLite needs this. Waits up to two
 * seconds for readers, then fails.
 */
export const scrubbed = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  sql.onDialectOrElse({
    sqlite: () =>
      sql<{ readonly busy: number }>`PRAGMA wal_checkpoint(TRUNCATE)`.pipe(
        Effect.filterOrFail(
          ([row]) => row?.busy !== 1,
          () => new SqlError({ cause: new Error("what was deleted is still in the log, which others are reading") })
        ),
        Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.intersect(Schedule.recurs(20)))),
        Effect.asVoid
      ),
    orElse: () => Effect.void
  })
