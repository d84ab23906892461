/**
 * Everything `npm test` means, in order: the types, the lint, the architecture, the documentation, the tests.
 * The last line it prints is `N passed, N failed, N skipped`, where each stage before the tests counts as one.
 * Arguments are handed to vitest: `npm test -- Session`. What comes after a failure is skipped, and counts as one.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const stages = ["check", "lint", "arch", "docs", "page"]
const projects = ["unit", "system"]

let passed = 0
let failed = 0
let skipped = 0

const run = (script: string, args: ReadonlyArray<string> = []): boolean => {
  console.log(`\n> ${script}`)
  // No stdin: nothing here may wait for somebody to type.
  return spawnSync("npm", ["run", "--silent", script, "--", ...args], { stdio: ["ignore", "inherit", "inherit"] })
    .status === 0
}

const tests = (project: string): void => {
  const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-test-"))
  const report = path.join(temp, "report.json")
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  // A path that is asked for may have tests in one project only.
  const succeeded = run(project, ["--passWithNoTests", ...reporters, ...process.argv.slice(2)])
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
  if (!succeeded && failed === 0) failed++
}

for (const stage of stages) {
  if (failed > 0) skipped++
  else if (run(stage)) passed++
  else failed++
}

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
