import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as Sqlite from "coxswain/layers/sqlite"
import { Context, Effect, Fiber, Layer, Option, Tracer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Servers from "../../setup/servers.js"
import { sqlSuite, write } from "./sqlSuite.js"

const folder = Servers.folder("SQLite")
const filename = path.join(folder.path, "sessions.db")

describe("the SQLite store", () => {
  sqlSuite({
    name: "SQLite",
    client: SqliteClient.layer({ filename }),
    layer: (options) => Sqlite.layer({ filename, ...options }),
    turnLog: (options) => Sqlite.layerTurnLog({ filename, ...options }),
    // Renaming the tables simulates an outage.
    outage: (prefix) => {
      const rename = (from: string, to: string) =>
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            Effect.forEach(["sessions", "messages", "answers", "journal"], (table) =>
              sql.unsafe(`ALTER TABLE ${from}${table} RENAME TO ${to}${table}`))
        ).pipe(
          Effect.provide(SqliteClient.layer({ filename }))
        )
      return { begin: rename(prefix, `away_${prefix}`), end: rename(`away_${prefix}`, prefix) }
    },
    close: folder.close,
    address: ["sqlite", filename]
  })

  it.effect("fails with SessionStoreError if the file cannot be opened", () =>
    Effect.gen(function*() {
      const missing = path.join(folder.path, "no such folder", "sessions.db")
      const error = yield* Effect.flip(Layer.launch(Sqlite.layer({ filename: missing })))
      expect(error).toMatchObject({ _tag: "SessionStoreError", operation: "connect" })
    }))

  it.live("opens a file that another process locks meanwhile, as when both start together", () =>
    Effect.gen(function*() {
      const shared = path.join(folder.path, "started-together.db")
      const other = yield* SqliteClient.make({ filename: shared, disableWAL: true })
      yield* other.unsafe("BEGIN IMMEDIATE")
      const opening = yield* Effect.fork(Effect.void.pipe(Effect.provide(Sqlite.layer({ filename: shared }))))
      // The file cannot change its mode until the other one has committed.
      yield* Effect.sleep("50 millis")
      yield* other.unsafe("COMMIT")
      yield* Fiber.join(opening)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)))

  it.effect("loads with one statement and commits in one transaction", () => {
    const spans: Array<string> = []
    return Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      const native = yield* Effect.tracer
      const tracer = Tracer.make({
        ...native,
        span: (...args) => {
          spans.push(args[0])
          return native.span(...args)
        }
      })
      const message = (seq: number) => ({ seq, message: { role: "user" }, createdAt: "2026-01-01T00:00:00.000Z" })
      const counted = <A, E>(self: Effect.Effect<A, E>) => {
        spans.length = 0
        return Effect.as(Effect.withTracer(self, tracer), spans)
      }
      const answered = { messageId: "m", response: "hi" }
      expect(yield* counted(store.commit(write("n", 0, { messages: [message(1), message(2)], answered })))).toEqual(
        // The session, its messages, the answer, and the turn's journal.
        ["sql.transaction", "sql.execute", "sql.execute", "sql.execute", "sql.execute"]
      )
      expect(yield* counted(store.load("n", { messages: 20 }))).toEqual(["sql.execute"])
    }).pipe(Effect.provide(Sqlite.layer({ filename: ":memory:" })))
  })

  it.scoped("writes fewer than nine database pages of a kilobyte in a turn, however long the conversation is", () =>
    Effect.gen(function*() {
      const small = path.join(folder.path, "small.db")
      const store = Context.get(yield* Layer.build(Sqlite.layer({ filename: small })), SessionStore.SessionStore)
      const said = { role: "user", content: [{ type: "text", text: "a line of talk, as people write. ".repeat(3) }] }
      const turn = (version: number) =>
        store.lock!.withLock("s")(store.commit(write("s", version, {
          session: { id: "s", data: "x".repeat(600) },
          updatedAt: new Date(version * 1000).toISOString(),
          messages: [1, 2].map((n) => ({ seq: 2 * version + n, message: said, createdAt: "2026-01-01T00:00:00.000Z" })),
          endsTurn: true
        })))
      for (let version = 0; version < 20; version++) yield* turn(version)
      const log = () => fs.statSync(`${small}-wal`).size
      const before = log()
      for (let version = 20; version < 60; version++) yield* turn(version)
      // A page of the log has a header of 24 bytes; now and then the messages begin a new page.
      expect((log() - before) / 40 / (1024 + 24)).toBeLessThan(9)
    }))

  it.effect("migrates the tables of the first version, and keeps their rows", () =>
    Effect.gen(function*() {
      const old = path.join(folder.path, "old.db")
      const use = <A, E>(work: (store: SessionStore.Service) => Effect.Effect<A, E>) =>
        Effect.flatMap(SessionStore.SessionStore, work).pipe(Effect.provide(Sqlite.layer({ filename: old })))
      yield* use((store) => store.commit(write("s", 0, { answered: { messageId: "m", response: "kept" } })))
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.forEach([
          "DROP TABLE coxswain_journal",
          "DROP TABLE coxswain_locks",
          "DROP INDEX coxswain_sessions_wake",
          "DROP INDEX coxswain_sessions_waiting",
          "ALTER TABLE coxswain_sessions DROP COLUMN wake_at",
          "ALTER TABLE coxswain_sessions DROP COLUMN waits",
          "ALTER TABLE coxswain_sessions DROP COLUMN waiting",
          "DELETE FROM coxswain_migrations WHERE migration_id >= 2"
        ], (statement) => sql.unsafe(statement))).pipe(Effect.provide(SqliteClient.layer({ filename: old })))
      yield* use((store) =>
        Effect.gen(function*() {
          expect(yield* store.response("s", "m")).toEqual(Option.some("kept"))
          expect(yield* store.due({ before: "2030-01-01T00:00:00.000Z", limit: 5 })).toEqual([])
          const wakeAt = "2029-01-01T00:00:00.000Z"
          yield* store.commit(write("s", 1, { wakeAt }))
          const due = yield* store.due({ before: "2030-01-01T00:00:00.000Z", limit: 5 })
          expect(due).toEqual([{ sessionId: "s", wakeAt }])
        })
      )
    }))

  it.effect("uses an index for every list", () =>
    Effect.gen(function*() {
      yield* Layer.build(Sqlite.layer({ filename }))
      const sql = yield* SqlClient.SqlClient
      for (const where of ["1 = 1", "user_id = ?"]) {
        const plan = yield* sql.unsafe<{ detail: string }>(
          `EXPLAIN QUERY PLAN SELECT id, version FROM coxswain_sessions
          WHERE ${where} AND updated_at <= 'x' AND (updated_at < 'x' OR id < 'y') ORDER BY updated_at DESC, id DESC`,
          where.includes("?") ? ["u"] : []
        )
        expect(plan.map(({ detail }) => detail).join()).toMatch(/^SEARCH coxswain_sessions USING INDEX [^,]*$/)
      }
      for (
        const query of [
          "wake_at <= 'x' ORDER BY wake_at, id LIMIT 5",
          "waits = 1 AND updated_at <= 'x' AND (updated_at < 'x' OR id < 'y') ORDER BY updated_at DESC, id DESC",
          "updated_at < 'x' ORDER BY updated_at, id LIMIT 5"
        ]
      ) {
        const plan = yield* sql.unsafe<{ detail: string }>(
          `EXPLAIN QUERY PLAN SELECT id FROM coxswain_sessions WHERE ${query}`
        )
        expect(plan.map(({ detail }) => detail).join()).toMatch(
          /^SEARCH coxswain_sessions USING (COVERING )?INDEX [^,]*$/
        )
      }
    }).pipe(Effect.scoped, Effect.provide(SqliteClient.layer({ filename }))))
})
