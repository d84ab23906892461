/** Two schedulers over one database, killed repeatedly: every timer fires exactly once. */
import { expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { Effect, Option } from "effect"
import { spawn } from "node:child_process"
import * as path from "node:path"
import * as Servers from "../setup/servers.js"
import { bundle } from "../support/Bundle.js"
import { layerOf, makeAgent, type Options } from "./fixtures/scheduler.js"

/** Runs a scheduler; `after` kills it so many milliseconds after it was ready. Returns how it ended. */
const run = (script: string, options: Options, after?: number): Promise<"killed" | "ended"> =>
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

it(
  "every timer fires once, even if two processes share no lock and are killed repeatedly",
  async () => {
    const folder = Servers.folder("SQLite")
    const script = await bundle(path.join(import.meta.dirname, "fixtures/scheduler.ts"))
    const options: Options = {
      filename: path.join(folder.path, "sessions.db"),
      prefix: "timers_",
      sessions: Array.from({ length: 10 }, (_, n) => `s${n}`),
      ticks: 12
    }
    const inStore = <A, E>(effect: Effect.Effect<A, E, SessionStore.SessionStore>) =>
      Effect.runPromise(Effect.provide(effect, layerOf(options)))
    try {
      await Effect.runPromise(
        Effect.gen(function*() {
          const agent = yield* makeAgent(options)
          yield* Effect.forEach(options.sessions, (sessionId) => agent.notify({ sessionId, event: "tick", payload: 1 }))
        }).pipe(Effect.provide(layerOf(options)))
      )
      let kills = 0
      for (const [a, b] of [[40, 90], [150, 20], [70, 110], [10, 60]]) {
        const ends = await Promise.all([run(script, options, a), run(script, options, b)])
        kills += ends.filter((end) => end === "killed").length
      }
      expect(kills).toBeGreaterThan(0)
      expect(await Promise.all([run(script, options), run(script, options)])).toEqual(["ended", "ended"])

      const stored = await inStore(
        Effect.flatMap(
          SessionStore.SessionStore,
          (store) =>
            Effect.forEach(options.sessions, (id) => Effect.map(store.load(id, { messages: 1000 }), Option.getOrThrow))
        )
      )
      for (const { messages, session, version } of stored) {
        const said = messages.map(({ message }) => JSON.stringify(message).match(/tick \d+/)?.[0])
        expect(said).toEqual(Array.from({ length: options.ticks }, (_, i) => `tick ${i + 1}`))
        expect([version, session.data]).toEqual([options.ticks, { ticks: options.ticks }])
      }
      expect(
        await inStore(
          Effect.flatMap(
            SessionStore.SessionStore,
            (store) => store.due({ before: "2999-01-01T00:00:00.000Z", limit: 10 })
          )
        )
      ).toEqual([])
    } finally {
      folder.close()
    }
  }
)
