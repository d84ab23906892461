/**
 * How `SessionStoreSql` talks to a database: statements written out once, and carried out without disturbance.
 *
 * @since 0.1.0
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** A value of a statement. */
type Value = string | number | null

/**
 * A statement with `?` where its values go. Its text is made ready once, not each time it runs.
 *
 * @since 0.1.0
 * @category statements
 */
export type Prepared<Row extends object> = (...values: ReadonlyArray<Value>) => Statement<Row>

/**
 * @since 0.1.0
 * @category statements
 */
export const prepare =
  (sql: SqlClient.SqlClient) => <Row extends object = Record<string, unknown>>(text: string): Prepared<Row> => {
    let n = 0
    const written = sql.onDialectOrElse({
      pg: () => text.replaceAll("?", () => `$${++n}`),
      orElse: () => text
    })
    return (...values) => sql.unsafe<Row>(written, values)
  }

/**
 * How many rows a statement has changed. Its text must end in `RETURNING …` except for MySQL, which counts by itself.
 *
 * @since 0.1.0
 * @category statements
 */
export const changed = (sql: SqlClient.SqlClient, statement: Statement<object>): Effect.Effect<number, SqlError> =>
  sql.onDialectOrElse({
    mysql: () => Effect.map(statement.raw, (result) => (result as { readonly affectedRows: number }).affectedRows),
    orElse: () => Effect.map(statement, (rows) => rows.length)
  })

/**
 * Keeps interruption away from the driver: that of PostgreSQL cancels whatever its connection does by the time the
 * word arrives, which may be somebody else's statement. So whoever is interrupted waits until the work is done, but
 * no longer than `limit`; then the work is left to itself and this fails.
 *
 * @since 0.1.0
 * @category statements
 */
export const undisturbed =
  (sql: SqlClient.SqlClient, limit: Duration.DurationInput) =>
  <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
    sql.onDialectOrElse({
      // Nothing of SQLite is under way while a fiber can be interrupted.
      sqlite: () => Effect.uninterruptible(work),
      orElse: () =>
        Effect.uninterruptible(Effect.flatMap(Effect.forkDaemon(work), (fiber): Effect.Effect<A, E | SqlError> =>
          Effect.raceFirst(
            Effect.interruptible(Fiber.join(fiber)),
            Effect.zipRight(
              Effect.interruptible(Effect.sleep(limit)),
              Effect.fail(
                new SqlError({ cause: new Error(`no answer within ${Duration.format(Duration.decode(limit))}`) })
              )
            )
          )))
    })
