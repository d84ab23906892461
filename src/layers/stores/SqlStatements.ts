/** Prepares the statements of `SessionStoreSql` once, and runs them without interrupting the driver. */
import type * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** A value bound to a placeholder of a statement. */
type Value = string | number | null

/** A prepared statement, called with its values. */
export type Prepared<A> = (...values: ReadonlyArray<Value>) => Effect.Effect<A, SqlError>

/**
 * True if the SQLite client could not prepare a text. The client remembers the failure for the text, so the text gets
 * one more space for the next attempt.
 */
const failedToPrepare = (error: SqlError): boolean => error.message?.startsWith("Failed to prepare statement") === true

/** Prepares statements with `?` as placeholders. The text for the dialect is built once, not at every run. */
export const prepare = (sql: SqlClient.SqlClient) => {
  const prepared = <Row extends object, A>(
    text: string,
    run: (statement: Statement<Row>) => Effect.Effect<A, SqlError>
  ): Prepared<A> => {
    let n = 0
    let written = sql.onDialectOrElse({ pg: () => text.replaceAll("?", () => `$${++n}`), orElse: () => text })
    return (...values) =>
      Effect.tapError(run(sql.unsafe<Row>(written, values)), (error) =>
        Effect.sync(() => {
          if (failedToPrepare(error)) written += " "
        }))
  }
  return {
    /** Returns the selected rows. */
    rows: <Row extends object>(text: string): Prepared<ReadonlyArray<Row>> =>
      prepared<Row, ReadonlyArray<Row>>(text, (statement) => statement),
    /** Returns the number of changed rows. MySQL reports it itself; others return `column` of each changed row. */
    changes: (text: string, column: string): Prepared<number> =>
      sql.onDialectOrElse({
        mysql: () =>
          prepared<object, number>(text, (statement) =>
            Effect.map(statement.raw, (result) =>
              (result as { readonly affectedRows: number }).affectedRows)),
        orElse: () =>
          prepared<object, number>(`${text} RETURNING ${column}`, (statement) =>
            Effect.map(statement, (rows) =>
              rows.length))
      })
  }
}

/**
 * Protects the driver from interruption: the PostgreSQL driver cancels whatever statement its connection runs when the
 * cancellation arrives, and that may be the statement of another caller. An interrupted caller waits until the work is
 * done. After `limit`, the caller fails, and the work continues in the background; SQLite has no limit.
 */
export const uninterruptibleQuery =
  (sql: SqlClient.SqlClient, limit: Duration.DurationInput) =>
  <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> => {
    // Made only if needed, because two errors with their stack traces take longer than most statements of SQLite.
    const late = Effect.failSync(() =>
      new SqlError({ cause: new Error(`no answer within ${Duration.format(Duration.decode(limit))}`) })
    )
    const bounded = Effect.flatMap(Effect.forkDaemon(work), (fiber): Effect.Effect<A, E | SqlError> =>
      Effect.raceFirst(
        Effect.interruptible(Fiber.join(fiber)),
        Effect.zipRight(Effect.interruptible(Effect.sleep(limit)), late)
      ))
    return sql.onDialectOrElse({
      // SQLite runs each statement synchronously, so no fiber can be interrupted during a statement.
      sqlite: () => Effect.uninterruptible(work),
      // An interrupted fiber interrupts its children immediately, so the race runs on a fiber that is not its child.
      orElse: () => Effect.uninterruptible(Effect.flatMap(Effect.forkDaemon(bounded), Fiber.join))
    })
  }
