/** The project that an import of a Rasa project writes: its tests pass, and the checker finds nothing. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-rasa-"))
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }))

const run = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, ["--import", "tsx", ...args], { cwd: root, encoding: "utf8", timeout: 100_000 })

const imported = "test/fixtures/rasa/imported"

it("an imported Rasa project passes its own tests, with scripted understanding", () => {
  const { status, stdout } = run("--test", "--test-reporter", "tap", `${imported}/test/imported.test.ts`)
  expect(stdout).toMatch(/^# pass 3$/m)
  expect(status).toBe(0)
}, 120_000)

it("an imported Rasa project passes the checker; an import writes over nothing", () => {
  expect(run("src/cli/main.ts", "check", imported).stdout).toMatch(/^bank: no findings/)
  const args = ["src/cli/main.ts", "import", "rasa", "test/fixtures/rasa/bank", "-o", path.join(temp, "bank")]
  expect(run(...args)).toMatchObject({ status: 0, stdout: expect.stringContaining("IMPORT.md lists each") })
  expect(run(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining("cannot be written") })
}, 120_000)
