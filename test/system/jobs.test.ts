/**
 * Processes that run timers and jobs over one database, killed at random: nothing is lost, no timer fires twice, and every
 * result is delivered once. `COXSWAIN_KILLS` sets the number of kills per engine; the default is a few, on SQLite.
 */
import { expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { Effect, Option } from "effect"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as limits from "../setup/limits.js"
import * as Servers from "../setup/servers.js"
import { bundle } from "../support/Bundle.js"
import { run } from "../support/Program.js"
import { layerOf, makeAgent, type Options } from "./fixtures/worker.js"

const fixture = (name: string) => bundle(path.join(import.meta.dirname, `fixtures/${name}.ts`))
const kills = Number(process.env.COXSWAIN_KILLS ?? 6)

/**
 * Runs a process with timers and jobs. With `after`, kills it this many milliseconds after it was ready. Returns how it
 * ended.
 */
const work = (script: string, options: Options, after?: number): Promise<"killed" | "ended"> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, JSON.stringify(options)])
    const kill = () => void child.kill("SIGKILL")
    process.once("exit", kill)
    let complaint = ""
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => complaint += chunk)
    child.stdout.once("data", () => after !== undefined && setTimeout(kill, after))
    child.once("error", reject)
    child.once("close", (code, signal) => {
      process.off("exit", kill)
      if (signal === "SIGKILL") resolve("killed")
      else if (code === 0) resolve("ended")
      else reject(new Error(`the process ended with ${code}: ${complaint}`))
    })
  })

const suite = async (engine: Options["engine"], address: string, runs: string): Promise<void> => {
  const options: Options = {
    engine,
    address,
    runs,
    prefix: `jobs_${randomBytes(4).toString("hex")}_`,
    sessions: Array.from({ length: 4 }, (_, n) => `s${n}`),
    rounds: Math.max(6, kills)
  }
  fs.writeFileSync(runs, "")
  const script = await fixture("worker")
  const inStore = <A, E>(effect: Effect.Effect<A, E, SessionStore.SessionStore>) =>
    Effect.runPromise(Effect.provide(effect, layerOf(options)))
  await Effect.runPromise(
    Effect.gen(function*() {
      const agent = yield* makeAgent(options)
      yield* Effect.forEach(options.sessions, (sessionId) => agent.notify({ sessionId, event: "tick", payload: 1 }))
    }).pipe(Effect.provide(layerOf(options)))
  )
  let killed = 0
  while (killed < kills) {
    const ends = await Promise.all([0, 1].map(() => work(script, options, Math.random() * 400)))
    const now = ends.filter((end) => end === "killed").length
    killed += now
    // The work is done: nothing is left to interrupt.
    if (now === 0) break
  }
  expect(await Promise.all([work(script, options), work(script, options)])).toEqual(["ended", "ended"])

  const stored = await inStore(
    Effect.flatMap(
      SessionStore.SessionStore,
      (store) =>
        Effect.forEach(options.sessions, (id) => Effect.map(store.load(id, { messages: 10_000 }), Option.getOrThrow))
    )
  )
  const expected = Array.from({ length: options.rounds }, (_, i) => [`tick ${i + 1}`, `done ${i + 1}`]).flat()
  for (const { messages, session } of stored) {
    expect(messages.map(({ message }) => JSON.stringify(message).match(/(?:tick|done) \d+/)?.[0])).toEqual(expected)
    expect(session.data).toEqual({ done: options.rounds })
  }
  const lines = fs.readFileSync(runs, "utf8").trim().split("\n")
  const jobs = options.sessions.length * options.rounds
  expect(new Set(lines).size).toBe(jobs)
  console.log(`${engine}: ${killed} kills, ${jobs} jobs, ${lines.length} runs of handlers, each result told once`)
}

it("SQLite: if processes are killed, no timer or job is lost, and each result is delivered once", async () => {
  const folder = Servers.folder("SQLite")
  try {
    await suite("sqlite", path.join(folder.path, "sessions.db"), path.join(folder.path, "runs.txt"))
  } finally {
    folder.close()
  }
}, limits.long)

for (const [name, engine] of [["PostgreSQL", "postgres"], ["MySQL", "mysql"], ["Redis", "redis"]] as const) {
  it.skipIf(process.env.COXSWAIN_KILLS === undefined)(
    `${name}: if processes are killed, no timer or job is lost (runs only with COXSWAIN_KILLS)`,
    async (ctx) => {
      const server = await Servers[engine]()
      if (server === undefined) return ctx.skip(`no ${name} could be started`)
      const folder = Servers.folder("SQLite")
      try {
        await suite(engine, server.url, path.join(folder.path, "runs.txt"))
      } finally {
        folder.close()
        await server.close()
      }
    },
    limits.long
  )
}

it(
  "a job that kills its process twice fails, and the failure is delivered to the conversation",
  async () => {
    const folder = Servers.folder("SQLite")
    try {
      // The job of this process ends it.
      const script = await fixture("poison")
      const poisoned = () => run(process.execPath, [script, path.join(folder.path, "sessions.db")])
      expect(await poisoned()).toMatchObject({ status: 3, stdout: "" })
      expect(await poisoned()).toMatchObject({ status: 3, stdout: "" })
      expect(await poisoned()).toMatchObject({
        status: 0,
        stdout: expect.stringContaining("lost: 2 runs of it came to no end")
      })
    } finally {
      folder.close()
    }
  }
)
