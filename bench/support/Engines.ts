/**
 * The stores that benches measure, each on a server or in a folder of its own.
 */
import { KeyValueStore } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { MysqlClient } from "@effect/sql-mysql2"
import { PgClient } from "@effect/sql-pg"
import { SessionStore } from "coxswain"
import * as KeyValue from "coxswain/layers/keyvalue"
import * as Mysql from "coxswain/layers/mysql"
import * as Postgres from "coxswain/layers/postgres"
import * as RedisStore from "coxswain/layers/redis"
import * as Sqlite from "coxswain/layers/sqlite"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { Redis } from "ioredis"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Servers from "../../test/setup/servers.js"

export interface Engine {
  readonly name: string
  readonly layer: Layer.Layer<SessionStore.SessionStore, unknown>
  /** The address of its server, and the store at an address. */
  readonly server?: {
    readonly url: string
    readonly at: (url: string) => Layer.Layer<SessionStore.SessionStore, unknown>
  }
  /** How many bytes were written to disk so far. */
  readonly written: () => Promise<number>
  readonly close: () => void | Promise<void>
}

/** Bytes that this process wrote, where the system tells them. */
const ownBytes = async (): Promise<number> => {
  const [, bytes] =
    /^wchar: (\d+)$/m.exec(fs.existsSync("/proc/self/io") ? fs.readFileSync("/proc/self/io", "utf8") : "") ?? []
  return Number(bytes ?? Number.NaN)
}

/** PostgreSQL listens a moment before it serves. */
const started = Layer.retry(Schedule.intersect(Schedule.spaced("200 millis"), Schedule.recurs(50)))

/** By name; none where its server cannot be had. */
export const engines: Record<string, () => Promise<Engine | undefined>> = {
  memory: async () => ({
    name: "memory",
    layer: SessionStore.layerMemory,
    written: async () => 0,
    close: () => {}
  }),
  sqlite: async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-bench-"))
    return {
      name: "SQLite",
      layer: Sqlite.layer({ filename: path.join(folder, "sessions.db") }),
      written: ownBytes,
      close: () => fs.rmSync(folder, { recursive: true })
    }
  },
  keyvalue: async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-bench-"))
    return {
      name: "KeyValueStore on files",
      layer: KeyValue.layer().pipe(
        Layer.provide(KeyValueStore.layerFileSystem(folder)),
        Layer.provide(NodeContext.layer)
      ),
      written: ownBytes,
      close: () => fs.rmSync(folder, { recursive: true })
    }
  },
  postgres: async () => {
    const server = await Servers.postgres()
    if (server === undefined) return undefined
    const url = Redacted.make(server.url)
    const position = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ bytes: string }>`SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`
    )
    return {
      name: "PostgreSQL",
      layer: started(Postgres.layer({ url })),
      server: { url: server.url, at: (url) => Postgres.layer({ url: Redacted.make(url) }) },
      written: () =>
        Effect.runPromise(
          Effect.map(position, ([row]) => Number(row?.bytes)).pipe(Effect.provide(PgClient.layer({ url })))
        ),
      close: server.close
    }
  },
  mysql: async () => {
    const server = await Servers.mysql()
    if (server === undefined) return undefined
    const url = Redacted.make(server.url)
    const status = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ Value: string }>`SHOW GLOBAL STATUS LIKE 'Innodb_os_log_written'`
    )
    return {
      name: "MySQL / MariaDB",
      layer: Mysql.layer({ url }),
      server: { url: server.url, at: (url) => Mysql.layer({ url: Redacted.make(url) }) },
      written: () =>
        Effect.runPromise(
          Effect.map(status, ([row]) => Number(row?.Value)).pipe(Effect.provide(MysqlClient.layer({ url })))
        ),
      close: server.close
    }
  },
  redis: async () => {
    const server = await Servers.redis()
    if (server === undefined) return undefined
    const client = new Redis(server.url)
    return {
      name: "Redis",
      layer: RedisStore.layer({ url: Redacted.make(server.url) }),
      server: { url: server.url, at: (url) => RedisStore.layer({ url: Redacted.make(url) }) },
      written: async () => Number(/aof_current_size:(\d+)/.exec(await client.info("persistence"))?.[1] ?? Number.NaN),
      close: async () => {
        client.disconnect()
        await server.close()
      }
    }
  }
}
