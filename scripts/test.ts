/**
 * Everything `npm test` means, in order: the types, the lint, the architecture, the documentation, the tests.
 * The last line it prints is `N passed, N failed, N skipped`, where each stage before the tests counts as one.
 * Arguments are handed to vitest: `npm test -- Session`.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const stages = ["check", "lint", "arch", "docs"]

let passed = 0
let failed = 0
let skipped = 0

const run = (script: string, args: ReadonlyArray<string> = []): boolean => {
  console.log(`\n> ${script}`)
  // No stdin: nothing here may wait for somebody to type.
  return spawnSync("npm", ["run", "--silent", script, "--", ...args], { stdio: ["ignore", "inherit", "inherit"] })
    .status === 0
}

const unit = (): void => {
  const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-test-"))
  const report = path.join(temp, "report.json")
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  const succeeded = run("unit", [...reporters, ...process.argv.slice(2)])
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
  // An unhandled error, or no test at all, fails the run without a failed test.
  if (!succeeded && failed === 0) failed++
}

for (const stage of stages) {
  if (failed > 0) skipped++
  else if (run(stage)) passed++
  else failed++
}

if (failed > 0) skipped++
else unit()

console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed > 0 ? 1 : 0
