/**
 * Processes and database servers that die during turns: a tool without an idempotency key runs once per message, and once
 * more for each process that died before the handler's result was in the journal. `COXSWAIN_KILLS` sets the number of kills
 * per engine; the default is a few kills, on engines that start fast.
 */
import { describe, expect, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as limits from "../setup/limits.js"
import * as Servers from "../setup/servers.js"
import * as TurnProcesses from "../support/TurnProcesses.js"
import type { Line, Message, Options } from "./fixtures/turns.js"

const kills = Number(process.env.COXSWAIN_KILLS ?? 3)
const isLong = process.env.COXSWAIN_KILLS !== undefined

const ranIn = (lines: ReadonlyArray<Line>) => lines.flatMap((line) => "ran" in line ? [line.ran] : [])
const keptIn = (lines: ReadonlyArray<Line>) => lines.flatMap((line) => "kept" in line ? [line.kept] : [])
const answeredIn = (lines: ReadonlyArray<Line>) => lines.flatMap((line) => "answered" in line ? [line.answered] : [])
const sum = (numbers: Iterable<number>) => [...numbers].reduce((a, b) => a + b, 0)

/** Counts the runs and answers of one engine's messages, and checks them. */
const book = () => {
  const runs = new Map<string, number>()
  /** By message, how often a process died between the start of its handler and the journal entry. */
  const excused = new Map<string, number>()
  const answered = new Set<string>()
  let sent = 0
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  let open: ReadonlyArray<Message> = []
  return {
    answered,
    /** The unanswered messages and new ones, in eight sessions. */
    messages: (fresh: number): ReadonlyArray<Message> => {
      const left = open.filter(({ messageId }) => !answered.has(messageId))
      for (let n = 0; n < fresh; n++) {
        left.push({ sessionId: `s${sent % 8}`, messageId: `m${sent++}`, persistent: true })
      }
      open = left
      return left
    },
    take: (lines: ReadonlyArray<Line>, died: boolean) => {
      for (const messageId of ranIn(lines)) add(runs, messageId)
      for (const messageId of answeredIn(lines)) answered.add(messageId)
      const kept = new Set(keptIn(lines))
      if (died) { for (const messageId of ranIn(lines)) if (!kept.has(messageId)) add(excused, messageId) }
    },
    check: (what: string) => {
      expect(answered.size).toBe(sent)
      const twice = [...runs].filter(([messageId, times]) => times > 1 + (excused.get(messageId) ?? 0))
      console.log(
        `${what}, ${sent} messages, ${sum(runs.values())} runs of the tool, ` +
          `${sum(excused.values())} deaths before the journal had a result, ${twice.length} runs too many`
      )
      expect([...runs].filter(([, times]) => times < 1)).toEqual([])
      expect(twice).toEqual([])
    }
  }
}

type On = Pick<Options, "engine" | "address">

const optionsOf = (on: On) => {
  const folder = Servers.folder("SQLite")
  const effects = path.join(folder.path, "effects")
  fs.mkdirSync(effects)
  const prefix = `d${randomBytes(4).toString("hex")}${on.engine === "redis" ? "" : "_"}`
  return { folder, options: { ...on, prefix, effects } }
}

/** Kills processes when they print a line, so that some kills come just after a handler. */
const killProcesses = async (on: On) => {
  const { folder, options } = optionsOf(on)
  const { answered, check, messages, take } = book()
  try {
    for (let killed = 0; killed < kills;) {
      const moment = 1 + Math.floor(Math.random() * 60)
      const life = TurnProcesses.start({ ...options, messages: messages(16) }, (lines) => lines.length > moment)
      const [end] = await TurnProcesses.runAll([life])
      if (end!.killed) killed++
      take(end!.lines, end!.killed)
    }
    const [last] = await TurnProcesses.runAll([TurnProcesses.start({ ...options, messages: messages(1) })])
    take(last!.lines, false)
    expect(answered.size).toBeGreaterThan(0)
    check(`${on.engine}: ${kills} kills of the process`)
  } finally {
    folder.close()
  }
}

/** Kills the server while the process keeps running. */
const killServer = async (on: On, { kill, start }: NonNullable<Servers.Server["process"]>) => {
  const { folder, options } = optionsOf(on)
  const { check, messages, take } = book()
  try {
    let killed = 0
    let isOver = false
    let said = 0
    // Enough messages to last until the last kill; the process ends when all are answered.
    const life = TurnProcesses.start(
      { ...options, messages: messages(15 * kills) },
      undefined,
      () => void said++
    )
    const ended = TurnProcesses.runAll([life]).finally(() => isOver = true)
    while (killed < kills && !isOver) {
      // At a printed line, so that some kills come just after a handler.
      const moment = said + 1 + Math.floor(Math.random() * 12)
      while (said < moment && !isOver) await new Promise((resolve) => setImmediate(resolve))
      if (isOver) break
      await kill()
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 200))
      await start()
      killed++
    }
    const [end] = await ended
    take(end!.lines, false)
    check(`${on.engine}: ${killed} kills of the server`)
  } finally {
    folder.close()
  }
}

const onServer = (
  name: string,
  engine: "postgres" | "mysql" | "redis",
  start: () => Promise<Servers.Server | undefined>,
  isShort: boolean
) =>
  describe.skipIf(!isShort && !isLong)(`a tool call of a message, with ${name}`, () => {
    const using = (use: (server: Servers.Server) => Promise<void>) => async (ctx: { skip: (why: string) => void }) => {
      const server = await start()
      if (server === undefined) return ctx.skip(`no ${name} could be started`)
      try {
        await use(server)
      } finally {
        await server.close()
      }
    }
    it(
      "runs once, even if the agent's process is killed at any moment",
      using(({ url }) => killProcesses({ engine, address: url })),
      limits.long
    )
    it(
      "runs once, even if the database server is killed at any moment",
      using(async ({ process, url }) => process && killServer({ engine, address: url }, process)),
      limits.long
    )
  })

describe("a tool call of a message, with SQLite", () => {
  it("runs once, even if the agent's process is killed at any moment", async () => {
    const folder = Servers.folder("SQLite")
    try {
      await killProcesses({ engine: "sqlite", address: path.join(folder.path, "sessions.db") })
    } finally {
      folder.close()
    }
  }, limits.long)
})
onServer("Redis", "redis", Servers.redis, true)
onServer("PostgreSQL", "postgres", Servers.postgres, false)
onServer("MySQL", "mysql", Servers.mysql, false)
