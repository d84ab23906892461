/** A job as a workflow over a database: activities completed before a kill are not repeated. */
import { expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Servers from "../setup/servers.js"
import { bundle } from "../support/Bundle.js"

it("a job that runs as a workflow resumes at the interrupted activity after kill -9", async () => {
  const folder = Servers.folder("SQLite")
  try {
    const log = path.join(folder.path, "log")
    fs.writeFileSync(log, "")
    const script = await bundle(path.join(import.meta.dirname, "fixtures/workflow.ts"))
    const run = () => {
      const { signal, status, stdout } = spawnSync(
        process.execPath,
        [script, path.join(folder.path, "sessions.db"), log],
        { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], timeout: 60_000, killSignal: "SIGTERM" }
      )
      return { signal, status, said: stdout }
    }
    expect(run()).toEqual({ signal: "SIGKILL", status: null, said: "" })
    expect(run()).toEqual({ signal: null, status: 0, said: expect.stringContaining("ALL ABOUT ROME") })
    expect(fs.readFileSync(log, "utf8").trim().split("\n")).toEqual(["find", "write", "write"])
  } finally {
    folder.close()
  }
}, 150_000)
