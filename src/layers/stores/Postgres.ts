/**
 * Sessions in PostgreSQL. Needs `@effect/sql` and `@effect/sql-pg`.
 *
 * ```ts
 * import * as Postgres from "coxswain/layers/postgres"
 * import { Redacted } from "effect"
 *
 * const SessionsLive = Postgres.layer({ url: Redacted.make("postgres://bot:secret@localhost/bot") })
 * ```
 */
import { PgClient } from "@effect/sql-pg"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Duration from "effect/Duration"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { LayerConfigurationError, SessionStoreError } from "../../domain/base/error/Errors.js"
import type { SessionStore } from "../../services/session/SessionStore.js"
import type { TurnLog, TurnLogError } from "../../services/turn/TurnLog.js"
import { configured } from "../Configured.js"
import * as TurnLogTable from "../turnlog/TurnLogTable.js"
import * as SessionStoreSql from "./Sql.js"

export interface Options extends Omit<SessionStoreSql.Options, "secrets"> {
  /** `postgres://user:password@host:port/database` */
  readonly url: Redacted.Redacted
  /** `true`: TLS with a certificate that must verify. Default: as the URL says. */
  readonly ssl?: boolean | undefined
  /** Maximum number of open connections. Default 10. */
  readonly maxConnections?: number | undefined
  /** How long to wait for a connection. Default 5 seconds. */
  readonly connectTimeout?: Duration.DurationInput | undefined
}

const clientOf = ({ connectTimeout, maxConnections, ssl, url }: Options) => () =>
  PgClient.layer({
    url,
    ...(ssl !== undefined && { ssl }),
    maxConnections: maxConnections ?? 10,
    connectTimeout: connectTimeout ?? Duration.seconds(5),
    applicationName: "coxswain"
  })

/** The store in PostgreSQL. Broken connections are replaced. */
export const layer = (options: Options): Layer.Layer<SessionStore, LayerConfigurationError | SessionStoreError> =>
  SessionStoreSql.layerOn(clientOf(options), { ...options, secrets: [options.url] })

/** A turn log in the same database, or in another. */
export const layerTurnLog = (
  options:
    & Pick<Options, "url" | "ssl" | "maxConnections" | "connectTimeout" | "tablePrefix">
    & Pick<TurnLogTable.SqlOptions, "retention">
): Layer.Layer<TurnLog, TurnLogError> => TurnLogTable.layerOn(clientOf(options), { ...options, secrets: [options.url] })

/** Like `layer`, with each option a `Config`: `Postgres.layerConfig({ url: Config.redacted("DATABASE_URL") })`. */
export const layerConfig: (
  options: Config.Config.Wrap<Options>
) => Layer.Layer<SessionStore, ConfigError | LayerConfigurationError | SessionStoreError> = configured(layer)

/** The client of the database alone, for layers that share one: `layerClient`, and the storage of a cluster. */
export const layerSql = (
  options: Pick<Options, "url" | "ssl" | "maxConnections" | "connectTimeout">
): Layer.Layer<SqlClient, ConfigError | SqlError> => clientOf(options)()

/** The store on the application's own client. */
export const layerClient: (
  options?: SessionStoreSql.Options
) => Layer.Layer<SessionStore, LayerConfigurationError | SessionStoreError, SqlClient> = SessionStoreSql.layer
