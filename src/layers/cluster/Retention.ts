/** Deletes messages that were answered long ago from the storage of a cluster. */
import * as MachineId from "@effect/cluster/MachineId"
import * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Options of the retention of messages. */
export interface RetentionOptions {
  /** Time for which a message with its answer is kept. Default 7 days, as for answers in a session store. */
  readonly keep?: Duration.DurationInput
  /** Prefix of the table names. Default `cluster`, as in `SqlMessageStorage`. */
  readonly prefix?: string
}

/**
 * Deletes the messages that were answered longer ago than `keep`, and returns their number. If such a message is
 * repeated, the session store answers it.
 */
export const forget = (
  { keep = "7 days", prefix = "cluster" }: RetentionOptions = {}
): Effect.Effect<number, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const timestamp = (yield* Clock.currentTimeMillis) - Duration.toMillis(keep)
    // Message ids increase with time, so an id can stand for a time.
    const before = String(Snowflake.make({ timestamp, machineId: MachineId.make(0), sequence: 0 }))
    const [messages, replies] = [sql(`${prefix}_messages`), sql(`${prefix}_replies`)]
    const answered = sql`SELECT id FROM ${messages} WHERE processed = ${
      sql.literal(sql.onDialectOrElse({
        sqlite: () => "1",
        orElse: () => "TRUE"
      }))
    } AND id < ${sql.literal(before)}`
    const [found] = yield* sql<{ readonly n: number | string }>`SELECT COUNT(*) AS n FROM (${answered}) AS answered`
    yield* sql.withTransaction(Effect.zipRight(
      sql`DELETE FROM ${replies} WHERE request_id IN (SELECT id FROM (${answered}) AS answered)`,
      sql`DELETE FROM ${messages} WHERE id IN (SELECT id FROM (${answered}) AS answered)`
    ))
    return Number(found?.n ?? 0)
  })

/** Deletes answered messages immediately and then every hour. One node of the cluster is enough. */
export const layerRetention = (options: RetentionOptions = {}): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.scopedDiscard(
    forget(options).pipe(
      Effect.catchAllCause((cause) =>
        Effect.logWarning("Answered messages were not deleted; it is tried again in an hour", cause)
      ),
      Effect.zipRight(Effect.sleep("1 hour")),
      Effect.forever,
      Effect.forkScoped
    )
  )
