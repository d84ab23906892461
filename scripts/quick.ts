/**
 * What a small repair needs while it is made: the types, the architecture, and the unit tests nearest to what changed since
 * the branch began. Prints a line for each, and what it left to `npm test`.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Imports from "./imports.js"
import { run } from "./install.js"
import * as Progress from "./test/Progress.js"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The nearest tests show most faults, and nearly every test reaches a file that much rests on. */
const maxFiles = 10

const git = (...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" })
  return status === 0 ? stdout.split("\n").filter((line) => line !== "") : []
}

const [base = "HEAD"] = [...git("merge-base", "HEAD", "origin/HEAD"), ...git("merge-base", "HEAD", "main")]
const changed = [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")]

const touches = (...folders: ReadonlyArray<string>) =>
  changed.some((file) => folders.some((folder) => file.startsWith(folder)))

/** The page and the playground have types of their own, which rest on the sources. */
const projects = [
  ["tsconfig.json", true],
  ["src/page/tsconfig.json", touches("src/page/", "test/page/")],
  ["site/playground/tsconfig.json", touches("site/playground/")]
] as const

const tsx = ["--import", "tsx"]

const stage = async (name: string, does: string, ...args: ReadonlyArray<string>): Promise<void> => {
  const took = Progress.stopwatch()
  try {
    await run(process.execPath, args, root)
    console.log(`${name}: passed, ${does} (${took()})`)
  } catch (error) {
    process.exitCode = 1
    console.log(`${name}: FAILED, ${does} (${took()})\n${error instanceof Error ? error.message : error}`)
  }
}

const count = (files: ReadonlyArray<string>, what: string) => `${files.length} ${what}${files.length === 1 ? "" : "s"}`

const checked = projects.filter(([, is]) => is).map(([project]) => project)
console.log(`${count(changed, "file")} changed since ${base === "HEAD" ? base : base.slice(0, 8)}`)
const sources = stage("types", checked.join(", "), ...tsx, "scripts/check.ts", ...checked)
  .then(() => stage("arch", "src", ...tsx, "scripts/arch.ts"))

const related = Imports.relatedTests(root, changed).filter((file) => !file.startsWith("test/fixtures/"))
const [system = [], unit = []] = [true, false].map((is) =>
  related.filter((file) => file.startsWith("test/system/") === is)
)
const tests = unit.slice(0, maxFiles)
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "unit", "--no-isolate", "--maxWorkers=1"]
if (tests.length === 0) console.log("tests: no unit test imports what changed")
else await stage("tests", count(tests, "file"), ...vitest, "--reporter=dot", ...tests)
await sources

const left = [
  ...["lint", "docs", "page", "trace", "api"],
  ...projects.filter(([, is]) => !is).map(([project]) => `types of ${project}`),
  count(unit.slice(maxFiles), "further unit test file"),
  `${count(system, "system test file")} that import what changed`
]
console.log(`not run: ${left.join(", ")}; \`npm test\` runs all`)
for (const file of system.slice(0, 3)) console.log(`  npm run system -- ${file}`)
