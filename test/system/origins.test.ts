/** Code that a process loads with the first turn that needs it. */
import { describe, expect, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as limits from "../setup/limits.js"
import { run } from "../support/Program.js"

describe("an agent that keeps origins", () => {
  it(
    "traces a value in the first turn of a process, also if this turn resumes another one after an approval",
    async () => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-origins-"))
      try {
        const play = async (...args: ReadonlyArray<string>): Promise<unknown> => {
          const program = ["--import", "tsx", "test/system/fixtures/origins.ts", folder, ...args]
          const { status, stderr, stdout } = await run(process.execPath, program)
          expect(status, stderr).toBe(0)
          return JSON.parse(stdout)
        }
        expect(await play(String(await play()))).toMatchObject({
          message: "Filed.",
          note: [{ kind: "tool", tool: "read" }]
        })
      } finally {
        fs.rmSync(folder, { recursive: true })
      }
    },
    limits.long
  )
})
