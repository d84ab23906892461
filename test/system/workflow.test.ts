/** A job as a workflow over a database: activities completed before a kill are not repeated. */
import { expect, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Servers from "../setup/servers.js"
import { bundle } from "../support/Bundle.js"
import { run } from "../support/Program.js"

it("a job that runs as a workflow resumes at the interrupted activity after kill -9", async () => {
  const folder = Servers.folder("SQLite")
  try {
    const log = path.join(folder.path, "log")
    fs.writeFileSync(log, "")
    const script = await bundle(path.join(import.meta.dirname, "fixtures/workflow.ts"))
    const start = () => run(process.execPath, [script, path.join(folder.path, "sessions.db"), log])
    expect(await start()).toMatchObject({ signal: "SIGKILL", stdout: "" })
    expect(await start()).toMatchObject({ status: 0, stdout: expect.stringContaining("ALL ABOUT ROME") })
    expect(fs.readFileSync(log, "utf8").trim().split("\n")).toEqual(["find", "write", "write"])
  } finally {
    folder.close()
  }
})
