/**
 * Checks the types of everything with the native TypeScript compiler, into which `effect-tsgo` puts the diagnostics of Effect.
 * TypeScript 5 stays beside it for the tools that need its programming interface; it gets the same diagnostics.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

const run = (stdio: "pipe" | "inherit", file: string, ...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [`node_modules/${file}`, ...args], { cwd: root, encoding: "utf8", stdio })

run("pipe", "@effect/language-service/cli.js", "patch")
const patched = run("pipe", "@effect/tsgo/dist/effect-tsgo.cjs", "patch", "--typescript-package", "typescript-7")
if (patched.status !== 0) {
  // The lock file may lack the binary of this platform. Continuous integration has it.
  console.warn(`The diagnostics of Effect are not checked here, only the types: ${patched.stderr.trim()}`)
}

for (const project of ["tsconfig.json", "src/page/tsconfig.json", "site/playground/tsconfig.json"]) {
  if (run("inherit", "typescript-7/bin/tsc", "-p", project).status !== 0) process.exitCode = 1
}
