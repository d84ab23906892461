/** Processes killed around a summary: no message is lost, and the next turn makes the summary again. */
import { SessionStore } from "coxswain"
import * as Sqlite from "coxswain/layers/sqlite"
import { Effect, Option } from "effect"
import * as path from "node:path"
import { expect, it } from "vitest"
import * as Servers from "../setup/servers.js"
import { bundle } from "../support/Bundle.js"
import { run as program } from "../support/Program.js"
import type { Options } from "./fixtures/summing.js"

const script = await bundle(path.join(import.meta.dirname, "fixtures/summing.ts"))

const run = (options: Options) => program(process.execPath, [script, JSON.stringify(options)])

it("no message is lost if the process is killed before, during or after the writing of a summary", async () => {
  const folder = Servers.folder("SQLite")
  const filename = path.join(folder.path, "sessions.db")
  const stored = () =>
    Effect.runPromise(
      Effect.flatMap(SessionStore.SessionStore, (store) => store.load("s", { messages: 1_000 })).pipe(
        Effect.map(Option.getOrThrow),
        Effect.provide(Sqlite.layer({ filename }))
      )
    )
  try {
    expect(await run({ filename, dies: "between", messages: 30 })).toMatchObject({ signal: "SIGKILL" })
    const first = await stored()
    expect(first.session.summary).toBeUndefined()
    expect(first.messages.length).toBe(Number(first.session.messageCount))
    let count = first.messages.length
    // Each further turn starts the summary again, which is killed again.
    for (const dies of ["during", "storing"] as const) {
      expect(await run({ filename, dies, messages: 1 })).toMatchObject({ signal: "SIGKILL" })
      const { messages, session } = await stored()
      expect([dies, session.summary, messages.length]).toEqual([dies, undefined, count += 2])
      expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, i) => i + 1))
    }
    expect(await run({ filename, dies: "never", messages: 1 })).toMatchObject({ status: 0, stderr: "" })
    const { messages, session } = await stored()
    expect(session.summary).toEqual({ text: "what was said before", upTo: count + 2 - 4 })
    expect(messages.length).toBe(count + 2)
  } finally {
    folder.close()
  }
})
