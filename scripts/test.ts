/**
 * Everything `npm test` means, in order: the types, the lint, the architecture, the documentation, the tests.
 * The last line it prints is `N passed, N failed, N skipped`, where each stage before the tests counts as one.
 * Arguments are handed to vitest: `npm test -- Session`. What comes after a failure is skipped, and counts as one.
 */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** The stages before the tests, in order; each has rows of scripts, which run side by side. The check uses all cores by itself. */
const stages = [[["check"]], [["lint"], ["arch", "docs", "page"]]]
const projects = ["unit", "system"]

let passed = 0
let failed = 0
let skipped = 0

// No stdin in what follows: nothing here may wait for somebody to type.

/** Runs a script whose output is shown when it ends, because others run beside it. */
const run = (script: string): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => output += text)
    }
    child.once("close", (status) => {
      console.log(`\n> ${script}\n${output}`.trimEnd())
      resolve(status === 0)
    })
  })

const runAll = async (scripts: ReadonlyArray<string>): Promise<void> => {
  for (const script of scripts) {
    if (failed > 0) skipped++
    else if (await run(script)) passed++
    else failed++
  }
}

const tests = (project: string): void => {
  const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-test-"))
  const report = path.join(temp, "report.json")
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  // A path that is asked for may have tests in one project only.
  const args = ["--passWithNoTests", ...reporters, ...process.argv.slice(2)]
  console.log(`\n> ${project}`)
  const { status } = spawnSync("npm", ["run", "--silent", project, "--", ...args], {
    stdio: ["ignore", "inherit", "inherit"]
  })
  if (fs.existsSync(report)) {
    const { numFailedTests, numPassedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
      fs.readFileSync(report, "utf8")
    )
    const unloaded = testResults.filter((file: { status: string; assertionResults: ReadonlyArray<unknown> }) =>
      file.status === "failed" && file.assertionResults.length === 0
    )
    passed += numPassedTests
    failed += numFailedTests + unloaded.length
    skipped += numPendingTests + numTodoTests
  }
  fs.rmSync(temp, { recursive: true })
  // An unhandled error fails the run without a failed test.
  if (status !== 0 && failed === 0) failed++
}

for (const rows of stages) await Promise.all(rows.map(runAll))

const before = passed
for (const project of projects) {
  if (failed > 0) skipped++
  else tests(project)
}
if (failed === 0 && passed === before) {
  console.error("No test ran.")
  failed++
}

console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed > 0 ? 1 : 0
