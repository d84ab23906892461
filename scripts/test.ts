/**
 * Everything `npm test` means: the types, the lint, the architecture, the documentation, the public surface, the tests. What
 * fails keeps nothing else from running. The last line is `N passed, N failed, N skipped`, where each script before the
 * tests counts as one. Arguments are handed to Vitest: `npm test -- Session`.
 */
import { spawn } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Counts from "./test/Counts.js"
import * as Progress from "./test/Progress.js"
import * as Scope from "./test/Scope.js"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Each script with what it does. The rows of a stage run side by side; the check uses all cores by itself. */
const stages: ReadonlyArray<ReadonlyArray<ReadonlyArray<readonly [script: string, does: string]>>> = [
  [[["check", "checks the types of sources, tests, examples and scripts"]]],
  [
    [["lint", "looks for lint and checks the formatting"]],
    [
      ["arch", "checks the architecture"],
      ["docs", "compiles the code blocks of the documentation"],
      ["page", "builds the page"],
      ["trace", "counts the calls of a plain turn"],
      ["api -- --check", "compares the public surface with api/"]
    ]
  ]
]

const projects = [
  ["unit", "tests that need nothing but the process"],
  ["system", "tests with processes, servers, browsers and examples"],
  ["alone", "tests of which one file runs at a time"]
] as const

// Until it ran, a part has no counts.
const parts = new Map<string, Counts.Part>()
const record = (name: string, isProject: boolean, counts?: Counts.Counts) =>
  parts.set(name, { name, isProject, counts })
for (const [script] of stages.flat(2)) record(script, false)
for (const [project] of projects) record(project, true)

let isDone = false
const finish = (): void => {
  isDone = true
  const { counts, lines } = Counts.summary([...parts.values()])
  console.log(["", ...lines].join("\n"))
  if (counts.failed > 0) process.exitCode = 1
}

Scope.begin((ended) => {
  // An interrupted run ends everything that it was doing.
  if (!isDone) finish()
  else if (ended.length > 0) console.error(["Still ran, and was ended:", ...ended].join("\n  "))
})

// No stdin in what follows: nothing here may wait for somebody to type.

/** Runs a script. Returns its exit code and its output, which is shown when it ends, because others run beside it. */
const run = (script: string): Promise<{ readonly status: number | null; readonly output: string }> =>
  new Promise((resolve) => {
    const child = spawn("npm", ["run", "--silent", ...script.split(" ")], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => output += text)
    }
    child.once("close", (status) => resolve({ status, output }))
  })

for (const rows of stages) {
  for (const [script, does] of rows.flat()) console.log(`> ${script}: ${does}`)
  const running = new Set<string>()
  const elapsed = Progress.stopwatch()
  const progress = Progress.begin(() => `${[...running].join(", ")}: running (${elapsed()})`)
  await Promise.all(rows.map(async (row) => {
    for (const [script] of row) {
      running.add(script)
      progress.draw()
      const took = Progress.stopwatch()
      const { output, status } = await run(script)
      running.delete(script)
      record(script, false, { ...Counts.none, [status === 0 ? "passed" : "failed"]: 1 })
      progress.clear()
      console.log(`${script}: ${status === 0 ? "passed" : "FAILED"} (${took()})\n${output.trim()}`.trim())
    }
  }))
  progress.end()
}

/** Runs the tests of a project. */
const test = (project: string): Promise<Counts.Counts> =>
  new Promise((resolve) => {
    const reporter = path.join(root, "scripts/test/Reporter.ts")
    // A path that is asked for may have tests in one project only.
    const options = ["--project", project, "--no-isolate", "--passWithNoTests", `--reporter=${reporter}`]
    const child = spawn(
      process.execPath,
      [path.join(root, "node_modules/vitest/vitest.mjs"), "run", ...options, ...process.argv.slice(2)],
      { cwd: root, stdio: ["ignore", "inherit", "inherit", "ipc"] }
    )
    let counts: Counts.Counts | undefined
    child.once("message", (sent: Counts.Counts) => counts = sent)
    child.once("close", (status) => resolve(Counts.ofProject(counts, status)))
  })

for (const [project, does] of projects) {
  console.log(`\n> ${project}: ${does}`)
  record(project, true, await test(project))
}

finish()
