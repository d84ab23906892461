/**
 * What importing costs: milliseconds of processor time in a process of its own, the best of several, and what of it is a
 * dependency's. Time of the processor and not of the clock, so that a busy machine changes it less.
 */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const core = existsSync(`${root}dist/index.js`) ? `${root}dist/index.js` : undefined
if (core === undefined) console.log("dist/ is missing, so the core is left out: run npm run build first")

const modules: ReadonlyArray<readonly [name: string, module: string]> = [
  ["fast-check", "fast-check"],
  ["effect/Schema", "effect/Schema"],
  ["effect", "effect"],
  ["@effect/ai", "@effect/ai"],
  ...(core === undefined ? [] : [["coxswain", core] as const])
]

const once = (module: string): number => {
  const program = `const at = process.cpuUsage(); await import(${
    JSON.stringify(module)
  }); const { system, user } = process.cpuUsage(at); console.log((user + system) / 1000)`
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd: root, encoding: "utf8" }))
}

const best = (module: string): number => Math.min(...Array.from({ length: 5 }, () => once(module)))

const found = modules.map(([name, module]) => [name, best(module)] as const)
const whole = found.at(-1)![1]
console.log("import            ms   part of the last line")
for (const [name, ms] of found) {
  console.log(`${name.padEnd(14)} ${ms.toFixed(0).padStart(5)}   ${(ms / whole * 100).toFixed(0).padStart(3)} %`)
}
