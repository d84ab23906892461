/** A turn log in a table of a SQL database. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TurnLog from "../../services/turn/TurnLog.js"
import { connected } from "../stores/SqlConnection.js"
import { overwriting, scrubbed } from "../stores/SqlScrub.js"
import * as Stored from "../stores/Stored.js"

export interface SqlOptions {
  /** Prefix of the table name: lower-case letters, digits and underscores. Default `coxswain_`. */
  readonly tablePrefix?: string | undefined
  /** How long turns are kept; older ones are deleted once an hour. Default: for ever. */
  readonly retention?: Duration.DurationInput | undefined
  /** Secrets to remove from errors. The layers of the drivers give their connection strings. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
}

/** The tag is made from its name, so that applications with a log in a file need not install `@effect/sql`. */
const Client = Context.GenericTag<SqlClient.SqlClient>("@effect/sql/SqlClient")

/** Number of turns per query. */
const pageSize = 200

const tableOf = (sql: SqlClient.SqlClient, table: string): string => {
  const { id, session, text } = sql.onDialectOrElse({
    pg: () => ({ id: "BIGSERIAL PRIMARY KEY", session: `TEXT COLLATE "C"`, text: "TEXT" }),
    mysql: () => ({
      id: "BIGINT AUTO_INCREMENT PRIMARY KEY",
      session: "VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
      text: "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    }),
    orElse: () => ({ id: "INTEGER PRIMARY KEY AUTOINCREMENT", session: "TEXT", text: "TEXT" })
  })
  return `CREATE TABLE IF NOT EXISTS ${table} (
    id ${id},
    session_id ${session} NOT NULL,
    entry ${text} NOT NULL
  )`
}

/**
 * Makes a log in the table `turns` with its prefix, which is created if missing. Each turn is one row, which is deleted
 * when the turn is removed.
 */
export const makeSql = (
  { retention, secrets, tablePrefix = "coxswain_" }: SqlOptions = {}
): Effect.Effect<TurnLog.Service, TurnLog.TurnLogError, Scope.Scope | SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const failed = (operation: TurnLog.TurnLogError["operation"]) => (cause: unknown) =>
      new TurnLog.TurnLogError({
        operation,
        why: Stored.failure(operation, secrets)(cause).why,
        fix: "Check that the database is reachable and lets the agent write"
      })
    const prefix = yield* Stored.checkPrefix("tablePrefix", tablePrefix).pipe(
      Effect.mapError(({ fix, why }) => new TurnLog.TurnLogError({ operation: "open", why, fix }))
    )
    const sql = (yield* Client).withoutTransforms()
    const table = sql(`${prefix}turns`)
    yield* sql.unsafe(tableOf(sql, `${prefix}turns`)).pipe(
      // Two processes may create the table at the same time.
      Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.intersect(Schedule.recurs(10)))),
      Effect.mapError(failed("open"))
    )

    const page = (sessionId: string | undefined, after: number) =>
      sql<{ readonly id: number | string; readonly entry: string }>`SELECT id, entry FROM ${table} WHERE id > ${after}${
        sessionId === undefined ? sql.literal("") : sql` AND session_id = ${Stored.toText(sessionId)}`
      } ORDER BY id LIMIT ${pageSize}`

    /** Reads page by page, because the user and the time of a turn are inside its text. */
    const removeAfter = (isOne: (line: string) => boolean, after: number): Effect.Effect<number, SqlError> =>
      Effect.gen(function*() {
        const rows = yield* page(undefined, after)
        const ids = rows.flatMap(({ entry, id }) => isOne(Stored.fromText(entry)) ? [Number(id)] : [])
        if (ids.length > 0) yield* sql`DELETE FROM ${table} WHERE ${sql.in("id", ids)}`
        const last = rows.at(-1)
        return ids.length +
          (rows.length < pageSize || last === undefined ? 0 : yield* removeAfter(isOne, Number(last.id)))
      })

    yield* Effect.mapError(overwriting(sql), failed("open"))
    const log = TurnLog.TurnLog.of({
      place: `table ${prefix}turns`,
      remove: (which) =>
        Effect.mapError(
          Effect.zipLeft(Effect.suspend(() => removeAfter(TurnLog.isOf(which), 0)), scrubbed(sql)),
          failed("remove")
        ),
      append: (entry) =>
        Effect.mapError(
          sql`INSERT INTO ${table} (session_id, entry) VALUES (${Stored.toText(entry.sessionId)}, ${
            Stored.toText(TurnLog.line(entry))
          })`,
          failed("append")
        ),
      read: (query) => {
        const lines = Stream.paginateChunkEffect(0, (after: number) =>
          Effect.map(page(query?.sessionId, after), (rows) => [
            Chunk.fromIterable(rows.map(({ entry }) =>
              Stored.fromText(entry)
            )),
            Option.map(
              rows.length < pageSize ? Option.none() : Option.fromNullable(rows.at(-1)),
              ({ id }) => Number(id)
            )
          ]))
        return TurnLog.entries(Stream.mapError(lines, failed("read")), query)
      }
    })
    yield* TurnLog.keepFor(log, retention)
    return log
  })

/** Keeps each turn as a row of a table, on the `SqlClient` in the environment. */
export const layerSql = (
  options?: SqlOptions
): Layer.Layer<TurnLog.TurnLog, TurnLog.TurnLogError, SqlClient.SqlClient> =>
  Layer.scoped(TurnLog.TurnLog, makeSql(options))

/** The log on the client of a driver. Every failure to connect is a `TurnLogError`. */
export const layerOn = <E>(
  client: () => Layer.Layer<SqlClient.SqlClient, E>,
  options: SqlOptions
): Layer.Layer<TurnLog.TurnLog, TurnLog.TurnLogError> =>
  Layer.provide(
    layerSql(options),
    connected(client, (cause) =>
      new TurnLog.TurnLogError({
        operation: "open",
        why: Stored.failure("connect", options.secrets)(cause).why,
        fix: "Check that the database is reachable, and the address"
      }))
  )
