/**
 * The same turns written for other libraries, each with a double of its own that answers at once: CPU of a turn, in
 * microseconds, and how often that is the bare calls of `@effect/ai`. The peers have a `package.json` of their own:
 * `npm install --prefix bench`.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const contenders = {
  "@effect/ai, bare": "./bare.ts",
  Coxswain: "./ours.ts",
  ...(existsSync(file("./node_modules")) && {
    "AI SDK": "./ai-sdk.mjs",
    "OpenAI Agents": "./openai-agents.mjs",
    "LangGraph.js": "./langgraph.mjs"
  })
}

const run = (contender: string, times: string): Record<string, number> => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ["--import", "tsx", file("./peers/contest.ts"), contender, times],
    { encoding: "utf8", timeout: 600_000 }
  )
  if (status !== 0) throw new Error(`${contender}: ${stderr}`)
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Record<string, number>
}

/** The best of several runs, in turn, so that a busy moment of the machine is not held against one of them. */
const [times = "200", rounds = "2"] = process.argv.slice(2)
const best: Record<string, Record<string, number>> = {}
for (let round = 0; round < Number(rounds); round++) {
  for (const [name, contender] of Object.entries(contenders)) {
    const measured = run(contender, times)
    const before = best[name] ?? {}
    best[name] = Object.fromEntries(
      Object.entries(measured).map(([scenario, took]) => [scenario, Math.min(took, before[scenario] ?? Infinity)])
    )
  }
}

const names = Object.keys(contenders)
const bare = best[names[0]!]!
console.log(["µs of CPU", ...names].map((name) => name.padStart(18)).join(""))
for (const scenario of Object.keys(bare)) {
  const cells = names.map((name) => {
    const took = best[name]![scenario]!
    const ratio = took / bare[scenario]!
    return `${took.toFixed(took < 100 ? 1 : 0)} ${`(${ratio.toFixed(ratio < 10 ? 2 : 0)} ×)`.padStart(9)}`
  })
  console.log([scenario, ...cells].map((cell) => cell.padStart(18)).join(""))
}
if (names.length < 3) console.log("Not measured: the peers. Install them with: npm install --prefix bench")
