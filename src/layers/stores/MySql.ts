/**
 * Sessions in MySQL 8 or MariaDB 10.5 and later. Needs `@effect/sql` and `@effect/sql-mysql2`.
 *
 * ```ts
 * import * as Mysql from "coxswain/layers/mysql"
 * import { Redacted } from "effect"
 *
 * const SessionsLive = Mysql.layer({ url: Redacted.make("mysql://bot:secret@localhost/bot") })
 * ```
 */
import { MysqlClient } from "@effect/sql-mysql2"
import type { SqlClient } from "@effect/sql/SqlClient"
import type * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { LayerConfigurationError, SessionStoreError } from "../../domain/base/error/Errors.js"
import type { SessionStore } from "../../services/session/SessionStore.js"
import type { TurnLog, TurnLogError } from "../../services/turn/TurnLog.js"
import { configured } from "../Configured.js"
import * as TurnLogTable from "../turnlog/TurnLogTable.js"
import * as SessionStoreSql from "./Sql.js"

export interface Options extends Omit<SessionStoreSql.Options, "secrets"> {
  /** `mysql://user:password@host:port/database` */
  readonly url: Redacted.Redacted
  /** Maximum number of open connections. Default 10. */
  readonly maxConnections?: number | undefined
}

const clientOf = ({ maxConnections, url }: Options) => () =>
  MysqlClient.layer({ url, maxConnections: maxConnections ?? 10 })

/** The store in MySQL or MariaDB, on InnoDB tables. Broken connections are replaced. */
export const layer = (options: Options): Layer.Layer<SessionStore, LayerConfigurationError | SessionStoreError> =>
  SessionStoreSql.layerOn(clientOf(options), { ...options, secrets: [options.url] })

/** A turn log in the same database, or in another. */
export const layerTurnLog = (
  options: Pick<Options, "url" | "maxConnections" | "tablePrefix"> & Pick<TurnLogTable.SqlOptions, "retention">
): Layer.Layer<TurnLog, TurnLogError> => TurnLogTable.layerOn(clientOf(options), { ...options, secrets: [options.url] })

/** Like `layer`, with each option a `Config`: `MySql.layerConfig({ url: Config.redacted("DATABASE_URL") })`. */
export const layerConfig: (
  options: Config.Config.Wrap<Options>
) => Layer.Layer<SessionStore, ConfigError | LayerConfigurationError | SessionStoreError> = configured(layer)

/** The store on the application's own client. */
export const layerClient: (
  options?: SessionStoreSql.Options
) => Layer.Layer<SessionStore, LayerConfigurationError | SessionStoreError, SqlClient> = SessionStoreSql.layer
