/**
 * The cost of checking the types of an agent: processor time and instantiations of the compiler over those of its imports, for
 * 20 flows of ten steps and for 40, against the declarations in `dist/`.
 *
 *   npm run bench -- types [--rounds=5]
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Given from "./support/Given.js"
import * as LargeDefinition from "./support/LargeDefinition.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const rounds = Given.number("rounds", 5)
const sizes = [20, 40]
const steps = 10

// In the folder of the package, so that what is imported is found.
const folder = fs.mkdtempSync(path.join(root, "bench/typed-"))

const compilerOptions = {
  target: "ES2022",
  lib: ["ES2023"],
  module: "NodeNext",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
  paths: { coxswain: ["../../dist/index.d.ts"] }
}

const write = (flows: number): void => {
  fs.writeFileSync(path.join(folder, `${flows}.ts`), LargeDefinition.source(flows, steps))
  fs.writeFileSync(path.join(folder, `${flows}.json`), JSON.stringify({ compilerOptions, files: [`${flows}.ts`] }))
}

interface Cost {
  readonly seconds: number
  readonly instantiations: number
}

/** Reports on standard error what the compiler took, which ends the process itself. */
const watch =
  "process.on('exit', () => { const { system, user } = process.cpuUsage(); console.error((user + system) / 1e6) })"

const check = (flows: number): Cost => {
  const { stderr, stdout } = spawnSync(process.execPath, [
    `--import=data:text/javascript,${encodeURIComponent(watch)}`,
    path.join(root, "node_modules/typescript/lib/tsc.js"),
    ...["-p", path.join(folder, `${flows}.json`), "--extendedDiagnostics"]
  ], { encoding: "utf8" })
  const instantiations = /^Instantiations:\s+(\d+)/m.exec(stdout)?.[1]
  if (stdout.includes("error TS") || instantiations === undefined) throw new Error(stdout + stderr)
  return { seconds: Number(stderr.trim().split("\n").at(-1)), instantiations: Number(instantiations) }
}

const least = (a: Cost | undefined, b: Cost): Cost => a === undefined || b.seconds < a.seconds ? b : a

const measure = (): void => {
  const all = [0, ...sizes]
  all.forEach(write)
  const best = new Map<number, Cost>()
  for (let round = 0; round < rounds; round++) {
    for (const flows of all) best.set(flows, least(best.get(flows), check(flows)))
  }
  const imports = best.get(0)!
  console.log("over the imports          s of CPU   instantiations")
  for (const flows of sizes) {
    const { instantiations, seconds } = best.get(flows)!
    const name = `${flows} flows of ${steps} steps`
    const more = (instantiations - imports.instantiations).toLocaleString("en-US")
    console.log(`${name.padEnd(24)} ${(seconds - imports.seconds).toFixed(2).padStart(9)}   ${more.padStart(14)}`)
  }
}

try {
  if (fs.existsSync(path.join(root, "dist/index.d.ts"))) measure()
  else {
    console.error("dist/ is missing: run npm run build first")
    process.exitCode = 1
  }
} finally {
  fs.rmSync(folder, { recursive: true })
}
