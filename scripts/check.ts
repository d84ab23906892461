/**
 * Checks the types of everything with the native TypeScript compiler, into which `effect-tsgo` puts the diagnostics of Effect.
 * TypeScript 5 stays beside it for the tools that need its programming interface; it gets the same diagnostics.
 * Arguments are the projects to check; without, all are.
 */
import { spawn, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { install } from "./install.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const tools = `${root}scripts/node_modules`

await install("scripts")
await install("test")

const run = (cwd: string, file: string, ...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [`${tools}/${file}`, ...args], { cwd, encoding: "utf8" })

run(root, "@effect/language-service/cli.js", "patch")
const native = ["patch", "--typescript-package", "typescript-7"]
const patched = run(`${root}scripts`, "@effect/tsgo/dist/effect-tsgo.cjs", ...native)
if (patched.status !== 0) {
  // The lock file may lack the binary of this platform. Continuous integration has it.
  console.warn(`The diagnostics of Effect are not checked here, only the types: ${patched.stderr.trim()}`)
}

/** Checks a project. Each of its checkers works out all types that it needs, also those that another one needs too. */
const check = (project: string, checkers: number): void => {
  const info = `node_modules/.cache/check/${project.replaceAll("/", "-")}.tsbuildinfo`
  const args = ["-p", project, "--checkers", String(checkers), "--incremental", "--tsBuildInfoFile", info]
  spawn(process.execPath, [`${tools}/typescript-7/bin/tsc`, ...args], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    // Nearly all that the compiler makes lives until it ends: looking for garbage rarely finds any.
    env: { GOGC: "300", ...process.env }
  }).once("close", (status) => {
    if (status !== 0) process.exitCode = 1
  })
}

const projects = { "tsconfig.json": 2, "src/page/tsconfig.json": 1, "site/playground/tsconfig.json": 1 }
const asked = process.argv.slice(2)
for (const [project, checkers] of Object.entries(projects)) {
  if (asked.length === 0 || asked.includes(project)) check(project, checkers)
}
