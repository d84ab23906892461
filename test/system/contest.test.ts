/** A timer races the message or event that ends its wait, in two processes without a common lock: exactly one wins. */
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { Effect, Option } from "effect"
import { spawn } from "node:child_process"
import * as path from "node:path"
import * as Servers from "../setup/servers.js"
import { bundle } from "../support/Bundle.js"
import { inStore, type Line, makeAgent, type Options } from "./fixtures/contest.js"

const script = bundle(path.join(import.meta.dirname, "fixtures/contest.ts"))

/** By how many milliseconds the second side is later, so that both sides win some rounds. */
const leads = [-400, -10, 0, 10, 400]

const rounds = 30

/** Starts a side, which waits for the start time once it is ready, and returns what it got for each session. */
const start = (script: string, options: Options) => {
  const child = spawn(process.execPath, [script, JSON.stringify(options)])
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  let [said, complaint] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => said += chunk)
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => complaint += chunk)
  const ended = new Promise<ReadonlyMap<string, string>>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) => {
      process.off("exit", kill)
      if (code !== 0) return reject(new Error(`the process ended with ${code}: ${complaint}`))
      const lines = said.trim().split("\n").slice(1).map((line) => JSON.parse(line) as Line)
      resolve(new Map(lines.map(({ got, id }) => [id, got])))
    })
  })
  const ready = new Promise((resolve) => child.stdout.once("data", resolve))
  return { ready: Promise.race([ready, ended]), begin: (from: number) => void child.stdin.write(`${from}`), ended }
}

/** Plays all rounds, and returns for each what both sides got and what is stored. */
const contest = async (side: "message" | "event") => {
  const folder = Servers.folder("SQLite")
  const file = await script
  try {
    const store = { filename: path.join(folder.path, "sessions.db"), prefix: "contest_" }
    const ids = Array.from({ length: rounds }, (_, i) => `s${i}`)
    const begin = Effect.flatMap(
      makeAgent,
      (agent) => Effect.forEach(ids, (sessionId) => agent.respond({ sessionId, message: "hi" }))
    )
    await inStore({ ...store, side, sessions: [] }, begin)
    const due = Date.now() + 4_100
    const sessions = (lead: (i: number) => number) => ids.map((id, i) => ({ id, at: i * 60 + lead(i) }))
    const sides = [
      start(file, { ...store, side: "wake", sessions: sessions(() => 0) }),
      start(file, { ...store, side, sessions: sessions((i) => leads[i % leads.length]!) })
    ]
    await Promise.all(sides.map(({ ready }) => ready))
    const from = Math.max(due, Date.now() + 500)
    for (const { begin } of sides) begin(from)
    const [woken, told] = (await Promise.all(sides.map(({ ended }) => ended))) as [Got, Got]
    return await inStore(
      { ...store, side, sessions: [] },
      Effect.flatMap(
        SessionStore.SessionStore,
        ({ load }) =>
          Effect.forEach(ids, (id) =>
            Effect.map(load(id, { messages: 100 }), (found) => {
              const { messages, session, version } = Option.getOrThrow(found)
              const texts = messages.slice(2).map(({ message }) =>
                (message.content as ReadonlyArray<{ readonly text: string }>).map(({ text }) => text).join("")
              )
              return { woken: woken.get(id), told: told.get(id), texts, data: session.data, version }
            }))
      )
    )
  } finally {
    folder.close()
  }
}

type Got = ReadonlyMap<string, string>
type Round = Awaited<ReturnType<typeof contest>>[number]

const timerWon = ({ woken }: Round) => woken !== "none"

/** Whether both sides have won some rounds; otherwise there was no race. */
const isOpen = (all: ReadonlyArray<Round>) => new Set(all.map(timerWon)).size === 2

describe("a timer that fires in one process while another process ends the step", () => {
  it(
    "if a user message ends the step while a timer fires, the timer's reply is sent before the answer, or not at all",
    async () => {
      const all = await contest("message")
      for (const round of all) {
        const { version: _, ...rest } = round
        expect(rest).toEqual(
          timerWon(round)
            ? {
              woken: "last_step: Too late",
              told: "last_step: Too late",
              texts: ["Too late", "One moment", "Too late"],
              data: {}
            }
            : {
              woken: "none",
              told: "needs_input: Please pay",
              texts: ["One moment", "Please pay"],
              data: {}
            }
        )
      }
      expect(isOpen(all)).toBe(true)
    }
  )

  it(
    "if the awaited event ends the step while a timer fires, either the event is applied or the timer's reply is sent",
    async () => {
      const all = await contest("event")
      for (const round of all) {
        const { version: _, ...rest } = round
        expect(rest).toEqual(
          timerWon(round)
            ? { woken: "last_step: Too late", told: "handled: ", texts: ["Too late"], data: {} }
            : { woken: "none", told: "needs_input: Thanks", texts: ["Thanks"], data: { paid: 40 } }
        )
      }
      expect(isOpen(all)).toBe(true)
    }
  )
})
