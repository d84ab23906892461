/** The lock of `SessionStoreSql`: one row per locked session. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { SessionStoreError } from "../../domain/base/error/Errors.js"
import * as Lease from "./Lease.js"
import * as SqlSchema from "./SqlSchema.js"
import * as SqlStatements from "./SqlStatements.js"
import * as Stored from "./Stored.js"

/** Makes the lock on the table `locks`. */
export const make = (
  sql: SqlClient.SqlClient,
  prefix: string,
  run: <A>(operation: string, work: Effect.Effect<A, SqlError>) => Effect.Effect<A, SessionStoreError>,
  options: Lease.Options
): Effect.Effect<Lease.Service> => {
  const { changes, rows } = SqlStatements.prepare(sql)
  const once = sql.onDialectOrElse({ mysql: () => "", orElse: () => " ON CONFLICT (session_id) DO NOTHING" })
  const owned = "WHERE session_id = ? AND queue = ?"
  const select = rows<{ readonly queue: string }>(`SELECT queue FROM ${prefix}locks WHERE session_id = ?`)
  const changed = (text: string) => changes(text, "session_id")
  const begin = changed(`INSERT INTO ${prefix}locks (session_id, queue, expires_at) VALUES (?, ?, ?)${once}`)
  const proceed = changed(`UPDATE ${prefix}locks SET queue = ?, expires_at = ? ${owned}`)
  const finish = changed(`DELETE FROM ${prefix}locks ${owned}`)
  return Lease.make({
    read: (id) => Effect.map(run("lock", select(Stored.toText(id))), ([row]) => row?.queue),
    swap: (sessionId, before, after, expiresAt) => {
      const id = Stored.toText(sessionId)
      const change = before === undefined
        ? begin(id, after ?? "", expiresAt)
        : after === undefined
        ? finish(id, before)
        : proceed(after, expiresAt, id, before)
      return run(
        "lock",
        Effect.zipRight(SqlSchema.checkLengths(sql, { id: [id], messageId: [] }), change).pipe(
          Effect.map((count) => count === 1),
          Effect.catchIf((error) => SqlSchema.codeOf(error) === "ER_DUP_ENTRY", () => Effect.succeed(false))
        )
      )
    }
  }, options)
}
