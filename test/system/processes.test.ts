/** Two processes that answer the same sessions at the same time, on every engine that processes can share. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as Postgres from "coxswain/layers/postgres"
import * as RedisStore from "coxswain/layers/redis"
import * as Sqlite from "coxswain/layers/sqlite"
import { Effect, Option, Redacted } from "effect"
import { Redis } from "ioredis"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Servers from "../setup/servers.js"
import * as TurnProcesses from "../support/TurnProcesses.js"
import type { Line, Message, Options } from "./fixtures/turns.js"

const prefix = `p${randomBytes(4).toString("hex")}`

const layerOf = ({ address, engine, prefix }: Pick<Options, "address" | "engine" | "prefix">) =>
  engine === "sqlite"
    ? Sqlite.layer({ filename: address, tablePrefix: prefix })
    : engine === "postgres"
    ? Postgres.layer({ url: Redacted.make(address), tablePrefix: prefix })
    : RedisStore.layer({ url: Redacted.make(address), keyPrefix: prefix })

const turns = 40

const turnsOf = (name: string, message: Omit<Message, "messageId">): ReadonlyArray<Message> =>
  Array.from({ length: turns }, (_, n) => ({ ...message, messageId: `${name}-${n}` }))

/** The lines of both processes about one session. */
const ofSession = (lines: ReadonlyArray<Line>, sessionId: string) => ({
  answered: lines.flatMap((line) => "answered" in line && line.sessionId === sessionId ? [line] : []),
  failed: lines.flatMap((line) => "failed" in line && line.sessionId === sessionId ? [line] : []),
  begun: lines.flatMap((line) => "done" in line ? [line.done.begun[sessionId] ?? 0] : []).reduce((a, b) => a + b, 0)
})

type Answers = ReturnType<typeof ofSession>["answered"]

const suite = (on: Pick<Options, "engine" | "address">): void => {
  const base = { ...on, prefix }

  /** The texts of a session, after checking that each turn was one commit. */
  const transcript = (sessionId: string) =>
    Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      const { messages, session, version } = Option.getOrThrow(yield* store.load(sessionId, { messages: 10_000 }))
      expect(session).toMatchObject({ version, messageCount: 2 * version, data: { turns: version } })
      expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 2 * version }, (_, i) => i + 1))
      return messages.map(({ message }) =>
        (message.content as ReadonlyArray<{ readonly text: string }>).map(({ text }) => text).join("")
      )
    }).pipe(Effect.provide(layerOf(base)), Effect.runPromise)

  /** The transcript that these answers must have produced. */
  const expected = (answers: Answers) =>
    [...answers].sort((a, b) => a.version - b.version).flatMap(({ answered }) => [answered, `reply to ${answered}`])

  it(
    "without a lock, no update is lost, because a turn is repeated or fails on a conflict",
    async () => {
      const side = (name: string) =>
        TurnProcesses.start({
          ...base,
          unlocked: true,
          messages: [
            ...turnsOf(name, { sessionId: "retry", onConflict: "retry" }),
            ...turnsOf(name, { sessionId: "fail", onConflict: "fail" }),
            ...turnsOf("both", { sessionId: "same", onConflict: "fail", persistent: true })
          ]
        })
      const [a, b] = (await TurnProcesses.runAll([side("a"), side("b")])).map(({ lines }) => lines) as [Lines, Lines]
      const both = [...a, ...b]

      for (const sessionId of ["retry", "fail"]) {
        const { answered, failed } = ofSession(both, sessionId)
        expect(answered.length + failed.length).toBe(2 * turns)
        expect(new Set(failed.map(({ error }) => error))).toEqual(new Set(failed.length > 0 ? ["SessionConflict"] : []))
        // Confirmed turns are stored in order; failed ones left nothing.
        expect(await transcript(sessionId)).toEqual(expected(answered))
      }
      // There were conflicts: with "fail" the turn fails immediately, with "retry" it begins again.
      const fail = ofSession(both, "fail")
      expect(fail.failed.length).toBeGreaterThan(0)
      expect(fail.begun).toBe(2 * turns)
      const retry = ofSession(both, "retry")
      expect(retry.begun).toBeGreaterThan(2 * turns)
      expect(retry.begun).toBeLessThanOrEqual(4 * turns)

      // A message that both processes got has one answer, which both return.
      const byId = (lines: Lines) =>
        ofSession(lines, "same").answered.map(({ answered, version }) => [answered, version]).sort()
      expect(byId(a)).toHaveLength(turns)
      expect(byId(a)).toEqual(byId(b))
      expect(await transcript("same")).toEqual(expected(ofSession(a, "same").answered))
    }
  )

  it(
    "with the store's lock, a slow process gets turns beside a fast process, and no turn is repeated",
    async () => {
      const side = (name: string, count: number, pause: readonly [number, number]) =>
        TurnProcesses.start({
          ...base,
          pause,
          messages: turnsOf(name, { sessionId: "queue", onConflict: "fail" }).slice(0, count)
        })
      const sides = [side("slow", 8, [300, 310]), side("fast", 40, [20, 25])]
      const lines = (await TurnProcesses.runAll(sides)).flatMap(({ lines }) => lines)
      const { answered, begun, failed } = ofSession(lines, "queue")
      expect(failed).toEqual([])
      expect(answered).toHaveLength(48)
      expect(begun).toBe(48)
      expect(await transcript("queue")).toEqual(expected(answered))
      // The lock is fair: while the slow process has messages, the two alternate.
      const order = [...answered].sort((a, b) => a.version - b.version).map(({ answered }) =>
        answered.startsWith("slow")
      )
      expect(order.slice(0, 16).filter((slow) => slow).length).toBeGreaterThanOrEqual(6)
    }
  )

  for (const unlocked of [false, true]) {
    it(
      `one of two simultaneous decisions on an approval is applied, ${unlocked ? "without a lock" : "with the lock"}`,
      async () => {
        const effects = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-decisions-"))
        try {
          const rounds = Array.from({ length: 30 }, (_, n) => `${unlocked ? "free" : "locked"}-${n}`)
          const here: Omit<Options, "messages"> = { ...base, unlocked, asks: true, effects }
          const [first] = await TurnProcesses.runAll([
            TurnProcesses.start({
              ...here,
              messages: rounds.map((sessionId) => ({ sessionId, messageId: `m-${sessionId}` }))
            })
          ])
          const asked = first!.lines.flatMap((line) => "asked" in line ? [line] : [])
          expect(asked.map(({ sessionId }) => sessionId).sort()).toEqual([...rounds].sort())
          // Both have started by then. In every other round their decisions differ.
          const from = Date.now() + 4_000
          const side = (name: string) =>
            TurnProcesses.start({
              ...here,
              messages: [],
              decisions: asked.map(({ asked, sessionId }, i) => ({
                sessionId,
                request: asked,
                approved: name === "a" || i % 2 === 0,
                at: from + i * 100
              }))
            })
          const lines = (await TurnProcesses.runAll([side("a"), side("b")])).flatMap(({ lines }) => lines)
          for (const { sessionId } of asked) {
            const ran = lines.filter((line) => "ran" in line && line.ran === `m-${sessionId}`).length
            const decided = lines.flatMap((line) => "decided" in line && line.decided === sessionId ? [line] : [])
            const refused = lines.flatMap((line) => "refused" in line && line.refused === sessionId ? [line] : [])
            expect([sessionId, decided.length, refused.length]).toEqual([sessionId, 1, 1])
            const [{ approved, outcomes }] = decided as [typeof decided[number]]
            expect([sessionId, ran, ...outcomes]).toEqual([sessionId, ...(approved ? [1, "ok"] : [0, "denied"])])
            expect(["SessionConflict", "InvalidRequest"]).toContain(refused[0]!.error)
          }
        } finally {
          fs.rmSync(effects, { recursive: true })
        }
      }
    )
  }

  it("a session can be used after the process that held its lock is killed", async () => {
    const messages = turnsOf("killed", { sessionId: "orphan", onConflict: "fail" }).slice(0, 3)
    const [killed] = await TurnProcesses.runAll([
      TurnProcesses.start(
        { ...base, pause: [1000, 1010], messages },
        (lines) => lines.some((line) => "answered" in line)
      )
    ])
    expect(killed!.killed).toBe(true)
    const [next] = await TurnProcesses.runAll([TurnProcesses.start({ ...base, messages })])
    const { answered, failed } = ofSession(next!.lines, "orphan")
    expect(failed).toEqual([])
    expect(answered).toHaveLength(3)
  })
}

type Lines = ReadonlyArray<Line>

describe("two processes on SQLite", () => {
  const folder = Servers.folder("SQLite")
  afterAll(folder.close)
  suite({ engine: "sqlite", address: path.join(folder.path, "sessions.db") })
})

const postgres = await Servers.postgres()
describe("two processes on PostgreSQL", () => {
  if (postgres === undefined) return it.skip("no update is lost", () => {})
  afterAll(postgres.close)
  suite({ engine: "postgres", address: postgres.url })
})

const redis = await Servers.redis()
describe("two processes on Redis", () => {
  if (redis === undefined) return it.skip("no update is lost", () => {})
  afterAll(async () => {
    const client = new Redis(redis.url)
    const left = await client.keys(`${prefix}:*`)
    if (left.length > 0) await client.del(...left)
    client.disconnect()
    await redis.close()
  })
  suite({ engine: "redis", address: redis.url })
})
