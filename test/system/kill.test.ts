/** Processes killed during turns: the store stays consistent, and unanswered messages can be sent again. */
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { expect, it } from "@effect/vitest"
import { Session, SessionStore } from "coxswain"
import * as Sqlite from "coxswain/layers/sqlite"
import { Effect, Layer, Option, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as limits from "../setup/limits.js"
import * as Servers from "../setup/servers.js"
import * as TurnProcesses from "../support/TurnProcesses.js"
import type { Line, Options } from "./fixtures/turns.js"

const sessions = Array.from({ length: 25 }, (_, n) => `s${n}`)
const messages = sessions.flatMap((sessionId) =>
  Array.from({ length: 8 }, (_, n) => ({ sessionId, messageId: `${sessionId}-m${n}` }))
)

/** The text of every message of a session, with its role. */
const Stored = Schema.Struct({
  role: Schema.String,
  content: Schema.Union(Schema.String, Schema.Array(Schema.Struct({ text: Schema.optional(Schema.String) })))
})
const textOf = ({ content }: typeof Stored.Type) =>
  typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("")

/** Checks the invariants of every session in the file. Returns the answered messageIds. */
const inspect = (options: Options) =>
  Effect.gen(function*() {
    const store = yield* SessionStore.SessionStore
    const sql = yield* SqlClient.SqlClient
    const rows = (yield* sql.unsafe<{ session_id: string; message_id: string; response: string }>(
      `SELECT session_id, message_id, response FROM ${options.prefix}answers`
    )).map(({ message_id, response, session_id }) => ({
      sessionId: session_id,
      messageId: message_id,
      response: JSON.parse(response) as { readonly message: string; readonly session: { readonly version: number } }
    }))
    const { items } = yield* store.list({ limit: 1000 })
    for (const { id, messageCount, version } of items) {
      const stored = Option.getOrThrow(yield* store.load(id, { messages: 10_000 }))
      const session = yield* Schema.decode(Session.Session)(stored.session)
      const answers = rows.filter(({ sessionId }) => sessionId === id)
      // One commit is one answer: the version is the number of answers.
      expect(stored.version).toBe(version)
      expect(session).toMatchObject({ id, version, messageCount, data: { turns: version } })
      expect(answers.map(({ response }) => response.session.version).sort((a, b) => a - b)).toEqual(
        Array.from({ length: version }, (_, i) => i + 1)
      )
      // A turn is four messages: the user's, the call, its result, the reply. None is missing or duplicated.
      expect(stored.messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 4 * version }, (_, i) => i + 1))
      expect(messageCount).toBe(4 * version)
      const said = yield* Effect.forEach(stored.messages, ({ message }) => Schema.decodeUnknown(Stored)(message))
      for (const { messageId, response } of answers) {
        const turn = said.slice(4 * (response.session.version - 1), 4 * response.session.version)
        expect(turn.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"])
        expect(textOf(turn[0]!)).toBe(messageId)
        expect(textOf(turn[3]!)).toBe(`reply to ${messageId}`)
        expect(response.message).toBe(`reply to ${messageId}`)
      }
    }
    // Every answer has its session.
    expect(new Set(rows.map(({ sessionId }) => sessionId))).toEqual(new Set(items.map(({ id }) => id)))
    return new Set(rows.map(({ messageId }) => messageId))
  }).pipe(
    Effect.provide(Layer.merge(
      Sqlite.layer({ filename: options.address, tablePrefix: options.prefix }),
      SqliteClient.layer({ filename: options.address })
    )),
    Effect.runPromise
  )

/** The messages whose tool result is in the journal. */
const journal = (options: Options) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql.unsafe<{ turn_key: string }>(`SELECT turn_key FROM ${options.prefix}journal`)
    return new Set(rows.map(({ turn_key }) => turn_key))
  }).pipe(Effect.provide(SqliteClient.layer({ filename: options.address })), Effect.runPromise)

const answeredIn = (lines: ReadonlyArray<Line>) => lines.flatMap((line) => "answered" in line ? [line.answered] : [])
const ranIn = (lines: ReadonlyArray<Line>) => lines.flatMap((line) => "ran" in line ? [line.ran] : [])

it(
  "kill -9 during 200 concurrent turns leaves no commit incomplete or lost, and repeats no answered turn",
  async () => {
    const folder = Servers.folder("SQLite")
    try {
      const effects = path.join(folder.path, "effects")
      fs.mkdirSync(effects)
      const options: Options = {
        engine: "sqlite",
        address: path.join(folder.path, "sessions.db"),
        prefix: "kill_",
        effects,
        messages
      }
      /** How often the tool has run, by messageId. */
      const runs = () => {
        const counted = new Map<string, number>()
        const log = path.join(effects, "log")
        for (const line of fs.existsSync(log) ? fs.readFileSync(log, "utf8").split("\n") : []) {
          const messageId = line.slice(line.indexOf(".") + 1)
          if (line !== "") counted.set(messageId, (counted.get(messageId) ?? 0) + 1)
        }
        return counted
      }
      let answered: ReadonlySet<string> = new Set()
      /** By answered message, how often its tool had run when it was found answered. */
      const settled = new Map<string, number>()
      let cutOff = 0
      /** By message, how often its tool had run when its result was found in the journal of a killed process. */
      const journaled = new Map<string, number>()
      /** By message, how often its tool ran in a process that died before the result was journaled. */
      const lost = new Map<string, number>()
      let before = runs()

      const check = async (confirmed: ReadonlyArray<string>) => {
        const found = await inspect(options)
        const counted = runs()
        // Answers that the process confirmed are stored, and earlier ones are still there.
        expect(confirmed.filter((messageId) => !found.has(messageId))).toEqual([])
        expect([...answered].filter((messageId) => !found.has(messageId))).toEqual([])
        // An answered message never runs its tool again.
        for (const [messageId, times] of settled) {
          expect([messageId, counted.get(messageId)]).toEqual([
            messageId,
            times
          ])
        }
        for (const messageId of found) if (!settled.has(messageId)) settled.set(messageId, counted.get(messageId) ?? 0)
        // Nor does one whose result was journaled.
        for (const [messageId, times] of journaled) {
          expect([messageId, counted.get(messageId)]).toEqual([messageId, times])
        }
        const kept = await journal(options)
        for (const [messageId, times] of counted) {
          if (found.has(messageId)) continue
          if (kept.has(messageId)) journaled.set(messageId, times)
          else if (times > (before.get(messageId) ?? 0)) lost.set(messageId, (lost.get(messageId) ?? 0) + 1)
        }
        before = counted
        // No answer reports an effect that did not happen.
        expect([...found].filter((messageId) => !counted.has(messageId))).toEqual([])
        cutOff += [...counted.keys()].filter((messageId) => !found.has(messageId)).length
        answered = found
      }

      const moments: ReadonlyArray<(lines: ReadonlyArray<Line>) => boolean> = [
        (lines) => ranIn(lines).length >= 3,
        (lines) => answeredIn(lines).length >= answered.size + 1,
        (lines) => ranIn(lines).length >= 30,
        (lines) => answeredIn(lines).length >= answered.size + 40
      ]
      for (const moment of moments) {
        const [killed] = await TurnProcesses.runAll([TurnProcesses.start(options, moment)])
        expect(killed!.killed).toBe(true)
        await check(answeredIn(killed!.lines))
      }
      expect(answered.size).toBeLessThan(messages.length)
      // Some turns were cut off between their tool and their commit, as intended.
      expect(cutOff).toBeGreaterThan(0)

      // Send all again to a process that is not killed.
      const [last] = await TurnProcesses.runAll([TurnProcesses.start(options)])
      expect(answeredIn(last!.lines)).toHaveLength(messages.length)
      await check(answeredIn(last!.lines))
      expect([...answered].sort()).toEqual(messages.map(({ messageId }) => messageId).sort())
      // Some turns took their tool's result from the journal.
      expect(journaled.size).toBeGreaterThan(0)
      // One run per answer, and one more for each death inside the handler or before its result was journaled.
      for (const [messageId, times] of runs()) {
        expect([messageId, times]).toEqual([messageId, 1 + (lost.get(messageId) ?? 0)])
      }
      const again = [...lost.values()].reduce((a, b) => a + b, 0)
      console.log(`${messages.length} answers; ${journaled.size} from the journal; ${again} deaths inside the handler`)
      // With its key, each message had one effect.
      expect(fs.readdirSync(effects).filter((name) => name !== "log").sort()).toEqual(
        messages.map(({ messageId, sessionId }) => `${sessionId}.${messageId}`).sort()
      )

      // Once more: all are answered, so no model call, tool run or write happens.
      const [idle] = await TurnProcesses.runAll([TurnProcesses.start(options)])
      expect(idle!.lines.at(-1)).toEqual({ done: { begun: {} } })
      expect(ranIn(idle!.lines)).toEqual([])
      expect(new Set(answeredIn(idle!.lines))).toEqual(answered)
      await check([])
    } finally {
      folder.close()
    }
  },
  limits.long
)
