/** A customer's approval across processes that share an SQLite file: requested in one, given in another, counted once. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as limits from "../setup/limits.js"
import { bundle } from "../support/Bundle.js"
import type { Line, Options } from "./fixtures/confirming.js"

const script = await bundle(path.join(import.meta.dirname, "fixtures/confirming.ts"))
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-confirming-"))
const running = new Set<ChildProcess>()
afterAll(() => {
  for (const child of running) child.kill("SIGKILL")
  fs.rmSync(folder, { recursive: true, force: true })
})

/** A desk with its own database file, and the effects of its handler. */
const make = (name: string) => {
  const effects = path.join(folder, name)
  fs.mkdirSync(effects)
  const base = { filename: path.join(effects, "desk.db"), effects }

  /** Runs a process to its end; one with `hangs` is killed when it hangs. */
  const run = (options: Pick<Options, "message" | "messageId" | "hangs">): Promise<ReadonlyArray<Line>> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [script, JSON.stringify({ ...base, ...options })], {
        stdio: ["ignore", "pipe", "pipe"],
        timeout: limits.child
      })
      running.add(child)
      let [out, complaint] = ["", ""]
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => complaint += chunk)
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        out += chunk
        if (options.hangs !== undefined && out.includes(`{"at":"${options.hangs}"}\n`)) child.kill("SIGKILL")
      })
      child.once("error", reject)
      child.once("close", (code, signal) => {
        running.delete(child)
        const lines = out.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Line)
        const wasKilled = signal === "SIGKILL" && options.hangs !== undefined
        if (code === 0 || wasKilled) resolve(lines)
        else reject(new Error(`the process ended with ${code ?? signal}: ${complaint}`))
      })
    })

  return {
    ask: () => run({ message: "Pay 5 euros", messageId: "m-1" }),
    yes: (hangs?: Options["hangs"], messageId = "m-2") =>
      run({ message: "Yes, please", messageId, ...(hangs !== undefined && { hangs }) }),
    /** How often the handler ran, and how many payments there are. */
    done: () => ({
      ran: fs.readFileSync(path.join(effects, "ran.log"), "utf8").trim().split("\n").length,
      paid: fs.readdirSync(effects).filter((file) => file.startsWith("paid-")).length
    })
  }
}

const asked = { said: "Shall I pay 5 euros?", stopped: "needs_approval", outcomes: [] }
const paid = { said: "It is paid.", stopped: "completed", outcomes: ["ok"] }

describe("a customer's approval of a tool call", () => {
  it("can be handled by another process; sending the approval again changes nothing", async () => {
    const { ask, done, yes } = make("plain")
    expect((await ask()).at(-1)).toEqual(asked)
    expect((await yes()).at(-1)).toEqual(paid)
    expect((await yes()).at(-1)).toEqual(paid)
    expect(done()).toEqual({ ran: 1, paid: 1 })
  })

  it("runs the tool once if the process dies after the tool has run and the approval is sent again", async () => {
    const { ask, done, yes } = make("answer")
    await ask()
    expect((await yes("answer")).at(-1)).toEqual({ at: "answer" })
    expect((await yes()).at(-1)).toEqual(paid)
    // The result comes from the journal.
    expect(done()).toEqual({ ran: 1, paid: 1 })
  })

  it("has one effect, by an idempotency key, if the process dies inside the tool", async () => {
    const { ask, done, yes } = make("handler")
    await ask()
    expect((await yes("handler")).at(-1)).toEqual({ at: "handler" })
    expect((await yes()).at(-1)).toEqual(paid)
    // The handler ran again with the same approval id, so that its effect was not repeated.
    expect(done()).toEqual({ ran: 2, paid: 1 })
  })

  it("runs the tool once if two processes receive the approval at the same time", async () => {
    const { ask, done, yes } = make("both")
    await ask()
    const both = (await Promise.all([yes(undefined, "m-2"), yes(undefined, "m-3")])).map((lines) => lines.at(-1))
    expect(both).toContainEqual(paid)
    expect(done()).toEqual({ ran: 1, paid: 1 })
  })
})
