/**
 * Sessions in a SQLite file. Needs `@effect/sql` and `@effect/sql-sqlite-node`, and runs on Node.
 *
 * ```ts
 * import * as Sqlite from "coxswain/layers/sqlite"
 *
 * const SessionsLive = Sqlite.layer({ filename: "sessions.db" })
 * ```
 */
import { SqliteClient } from "@effect/sql-sqlite-node"
import { SqlClient } from "@effect/sql/SqlClient"
import type * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as fs from "node:fs"
import type { LayerConfigurationError, SessionStoreError } from "../../domain/base/error/Errors.js"
import type { SessionStore } from "../../services/session/SessionStore.js"
import type { TurnLog, TurnLogError } from "../../services/turn/TurnLog.js"
import { configured } from "../Configured.js"
import * as TurnLogTable from "../turnlog/TurnLogTable.js"
import * as SessionStoreSql from "./Sql.js"
import * as SqlSchema from "./SqlSchema.js"

export interface Options extends Omit<SessionStoreSql.Options, "secrets"> {
  /**
   * The database file. A missing file is created with mode 600, a missing folder is not. `:memory:` keeps everything in
   * memory.
   */
  readonly filename: string
}

/** Creates a missing file for its owner only. SQLite gives the files that it creates beside it the same mode. */
const makePrivate = (filename: string): void => {
  if (filename === ":memory:" || filename === "" || filename.startsWith("file:")) return
  fs.closeSync(fs.openSync(filename, "a", 0o600))
}

/**
 * Size of the pages of a new file, in bytes. SQLite writes whole pages, and a turn changes a little of each of six. A
 * file keeps the page size with which it was created.
 */
const pageSize = 1024

const clientOf = ({ filename }: Pick<Options, "filename">) => () =>
  Layer.suspend(() => {
    makePrivate(filename)
    // Disabled here, because the client would switch the file to WAL mode before the page size is set.
    return SqliteClient.layer({ filename, prepareCacheTTL: Duration.infinity, disableWAL: true }).pipe(
      Layer.tap((services) => {
        const sql = Context.get(services, SqlClient)
        return Effect.forEach(
          [`PRAGMA page_size = ${pageSize}`, "PRAGMA journal_mode = WAL"],
          (statement) => sql.unsafe(statement).unprepared,
          { discard: true }
        ).pipe(
          // SQLite does not wait for another process that switches the mode, or creates the tables, at the same time.
          Effect.retry({
            while: SqlSchema.isRetryableConflict,
            schedule: Schedule.spaced("100 millis"),
            times: 50
          })
        )
      })
    )
  })

/** The store in a file in WAL mode. Several processes on one machine may share it. */
export const layer = (options: Options): Layer.Layer<SessionStore, LayerConfigurationError | SessionStoreError> =>
  SessionStoreSql.layerOn(clientOf(options), options)

/** A turn log in the same file, or in another. */
export const layerTurnLog = (
  options: Pick<Options, "filename" | "tablePrefix"> & Pick<TurnLogTable.SqlOptions, "retention">
): Layer.Layer<TurnLog, TurnLogError> => TurnLogTable.layerOn(clientOf(options), options)

/** Like `layer`, with each option a `Config`: `Sqlite.layerConfig({ filename: Config.string("DATABASE_FILE") })`. */
export const layerConfig: (
  options: Config.Config.Wrap<Options>
) => Layer.Layer<SessionStore, ConfigError | LayerConfigurationError | SessionStoreError> = configured(layer)

/** The store on the application's own client. */
export const layerClient: (
  options?: SessionStoreSql.Options
) => Layer.Layer<SessionStore, LayerConfigurationError | SessionStoreError, SqlClient> = SessionStoreSql.layer
