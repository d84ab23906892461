/** The project that an import of a Rasa project writes: its tests pass, and the checker finds nothing. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { run as program } from "../support/Program.js"

const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-rasa-"))
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }))

const run = (...args: ReadonlyArray<string>) => program(process.execPath, ["--import", "tsx", ...args])

const fixture = (name: string): string => `test/fixtures/rasa/${name}`

const projects = [
  { name: "bank", imported: fixture("imported"), tests: 3 },
  { name: "clinic", imported: fixture("imported-clinic"), tests: 4 }
]

describe.each(projects)("the imported Rasa project $name", ({ imported, name, tests }) => {
  it("passes its own tests, with scripted understanding", async () => {
    const { status, stdout } = await run("--test", "--test-reporter", "tap", `${imported}/test/imported.test.ts`)
    expect(stdout).toContain(`\n# pass ${tests}\n`)
    expect(status).toBe(0)
  })

  it("passes the checker; a second import overwrites no file", async () => {
    expect((await run("src/cli/main.ts", "check", imported)).stdout).toMatch(new RegExp(`^${name}: no findings`))
    const args = ["src/cli/main.ts", "import", "rasa", fixture(name), "-o", path.join(temp, name)]
    expect(await run(...args)).toMatchObject({ status: 0, stdout: expect.stringContaining("IMPORT.md lists each") })
    expect(await run(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining("cannot be written") })
  })
})
