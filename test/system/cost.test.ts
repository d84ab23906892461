/** On SQLite: the reads and writes of a turn, and the rows that remain after a session is cleared. */
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as Sqlite from "coxswain/layers/sqlite"
import { Effect, Layer, Option } from "effect"
import * as path from "node:path"
import * as Servers from "../setup/servers.js"
import * as EventLoop from "../support/EventLoop.js"
import * as Script from "../support/Script.js"
import * as ScriptedUnderstanding from "../support/ScriptedUnderstanding.js"
import { kit } from "../support/Stage.js"

/** Runs with a store and a client on a new file. */
const onFile = <A, E>(work: Effect.Effect<A, E, SessionStore.SessionStore | SqlClient.SqlClient>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => Servers.folder("SQLite")),
    (folder) => {
      const filename = path.join(folder.path, "sessions.db")
      return Effect.provide(work, Layer.merge(Sqlite.layer({ filename }), SqliteClient.layer({ filename })))
    },
    (folder) => Effect.sync(folder.close)
  )

const agent = kit.make({
  name: "Bot",
  signals: [kit.signal({ id: "each", phase: "pre", handler: () => undefined })],
  flows: [
    {
      title: "Booking",
      when: "the guest wants a room",
      steps: [{
        id: "talk",
        prompt: "Talk",
        until: () => false,
        prepare: ({ message }) => ({ dataUpdate: { note: message } })
      }]
    },
    {
      title: "Hours",
      when: "the guest asks when we are open",
      reentrant: true,
      steps: [{ id: "tell", prompt: "Tell" }]
    }
  ]
})

const services = Layer.merge(
  Script.make(() => "We are open from 8 to 22, every day of the week").layer,
  ScriptedUnderstanding.make(({ message }) => ({
    flowScores: message.startsWith("When") ? { hours: 90 } : { booking: 90 }
  })).layer
)

const booking = "A room with a view, please"
const hours = "When are you open? I forgot"

/** The characters of JSON that each turn of a conversation reads from the store and writes to it. */
const converse = (messages: ReadonlyArray<string>, turns: number) =>
  Effect.gen(function*() {
    const store = yield* SessionStore.SessionStore
    const loads: Array<number> = []
    const writes: Array<SessionStore.SessionWrite> = []
    const counting: SessionStore.Service = {
      ...store,
      load: (id, options) =>
        Effect.tap(store.load(id, options), (stored) => Effect.sync(() => loads.push(JSON.stringify(stored).length))),
      commit: (write) => Effect.suspend(() => (writes.push(write), store.commit(write)))
    }
    const bot = yield* Effect.provide(agent, [services, Layer.succeed(SessionStore.SessionStore, counting)])
    for (let turn = 0; turn < turns; turn++) {
      const message = messages[turn % messages.length]!
      yield* bot.respond({ sessionId: "s", messageId: String(1000 + turn), message })
      yield* EventLoop.turn
    }
    expect(loads).toHaveLength(turns)
    expect(writes).toHaveLength(turns)
    // Each turn writes exactly two messages.
    expect(writes.every((write) => write.messages.length === 2)).toBe(true)
    const { session } = Option.getOrThrow(yield* store.load("s"))
    expect(session).toMatchObject({ version: turns, messageCount: 2 * turns })
    const written = writes.map((write) => JSON.stringify(write).length)
    /** The sum of two turns in a row at this number of messages, because `messages` may have two kinds. */
    return (count: number) => ({
      loaded: loads[count / 2]! + loads[count / 2 + 1]!,
      written: written[count / 2]! + written[count / 2 + 1]!
    })
  })

describe("a turn on SQLite", () => {
  it.effect(
    "writes as much after 10 as after 1,000 messages, and loads as much after 100 as after 1,000",
    () =>
      onFile(Effect.gen(function*() {
        const costs = yield* converse([booking], 502)
        const [first, middle, last] = [costs(10), costs(100), costs(1000)]
        expect(middle.written / first.written).toBeLessThan(1.06)
        expect(last.written / first.written).toBeLessThan(1.06)
        // The loaded tail is bounded.
        expect(last.loaded / middle.loaded).toBeLessThan(1.02)
      }))
  )

  it.effect(
    "writes as much after 200 as after 1,000 messages that alternate between two flows",
    () =>
      onFile(Effect.gen(function*() {
        // Every other message enters a flow again; the flow history is bounded, too.
        const costs = yield* converse([booking, hours], 502)
        const [middle, last] = [costs(200), costs(1000)]
        expect(last.written / middle.written).toBeLessThan(1.02)
        expect(last.loaded / middle.loaded).toBeLessThan(1.02)
      }))
  )

  it.effect("does not change the session if the message is repeated", () =>
    onFile(Effect.gen(function*() {
      const bot = yield* Effect.provide(agent, services)
      const sql = yield* SqlClient.SqlClient
      /** The lock has its own table; only the session must not change. */
      const version = sql.unsafe<{ version: number }>("SELECT version FROM coxswain_sessions")
      const request = { sessionId: "s", messageId: "m", message: booking }
      const first = yield* bot.respond(request)
      const before = yield* version
      expect(yield* bot.respond(request)).toEqual(first)
      expect(yield* version).toEqual(before)
      yield* bot.respond({ ...request, messageId: "m2" })
      expect(yield* version).not.toEqual(before)
    })))
})

describe("`clear` of a session", () => {
  it.effect("removes the session's rows from every table, and no other rows", () =>
    onFile(Effect.gen(function*() {
      const bot = yield* Effect.provide(agent, services)
      const sql = yield* SqlClient.SqlClient
      const ids = ["mine", "mine2", "min%", "other"]
      for (const sessionId of ids) {
        for (const [n, message] of [booking, hours].entries()) {
          yield* bot.respond({ sessionId, message, messageId: `m${n}` })
        }
      }
      yield* bot.dispatch("mine", "Booking")
      const tables = yield* sql.unsafe<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%migrations%' AND name NOT LIKE 'sqlite_%' AND name NOT IN ('coxswain_journal', 'coxswain_locks')"
      )
      expect(tables.map(({ name }) => name).sort()).toEqual([
        "coxswain_answers",
        "coxswain_messages",
        "coxswain_sessions"
      ])
      /** How many rows name a session in any column. */
      const rows = (id: string) =>
        Effect.map(
          Effect.forEach(tables, ({ name }) => sql.unsafe<Record<string, unknown>>(`SELECT * FROM ${name}`)),
          (all) =>
            all.map((rows) => rows.filter((row) => JSON.stringify(Object.values(row)).includes(`"${id}"`)).length)
        )
      const before = yield* Effect.forEach(ids, rows)
      for (const counted of before) expect(Math.min(...counted)).toBeGreaterThan(0)
      yield* bot.session("mine").clear
      expect(yield* Effect.forEach(ids, rows)).toEqual([[0, 0, 0], ...before.slice(1)])
      // The session begins again, and answers a message that it had answered.
      expect(yield* bot.session("mine").history).toEqual([])
      const again = yield* bot.respond({ sessionId: "mine", message: booking, messageId: "m0" })
      expect(again.session).toMatchObject({ version: 1, messageCount: 2 })
    })))
})
