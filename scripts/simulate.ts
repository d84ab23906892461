/**
 * Lets made-up users talk to the demo and to the agents of all examples, one program after the other, and says how long it
 * took, what never came up, and what broke.
 *
 *     npm run simulate
 *     npm run simulate -- demo 26-retail-desk --turns 500
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"

const root = fileURLToPath(new URL("..", import.meta.url))
const own = fileURLToPath(import.meta.url)

/** Returns whether a program makes an agent of a definition in TypeScript. Agents of documents do not use the watched kit. */
const makesAgent = (file: string): boolean => {
  const source = fs.readFileSync(path.join(root, "examples", file), "utf8")
  return source.includes("Agent.define(") && !source.includes("coxswain/layers/document")
}

/** The demo, and the examples that make an agent of a definition in TypeScript. */
export const programs: ReadonlyArray<string> = [
  "demo",
  ...fs.readdirSync(path.join(root, "examples")).filter((file) => file.endsWith(".ts") && makesAgent(file))
]

/** The world of an agent, by the example's number: the values that are said in it, and the failures that may occur. */
const expected: Readonly<Record<string, object>> = {
  "03": { failures: ["NoVacancy"], values: { city: ["Lisbon", "Atlantis"] } },
  "04": { failures: ["NoVacancy"], values: { city: ["Lisbon", "Atlantis"] } },
  "06": { context: { tier: "gold" } },
  "07": { openEnded: ["book-a-room"], values: { city: ["Lisbon", "Porto"] } },
  "08": { failures: ["Closed"], values: { city: ["Lisbon", "Atlantis"] } },
  "26": { values: { email: ["ann@example.com", "eve@example.com"], order: ["W1001", "W1002"] } }
}

/** The findings of one agent: what the checker says, or what came of the made-up users. */
export interface Found {
  readonly program: string
  readonly checked?: string
  readonly broken?: string
  readonly turns?: number
  readonly seconds?: number
  readonly never?: ReadonlyArray<string>
  /** "equal" if the agent can be a document that makes the same agent; else why not. */
  readonly document?: string
  /** The schemas of a model's requests: that of what is understood of a message, and those of the tools. */
  readonly schemas?: { readonly answer: object; readonly tools: ReadonlyArray<object> }
}

const isFound = (line: string): boolean => line.startsWith("{\"program\":")

/** Tries the programs in one process of their own. `said` is all that it printed besides. */
export const tried = (
  names: ReadonlyArray<string>,
  turns: number,
  limit: number
): Promise<{ readonly found: ReadonlyArray<Found>; readonly said: string }> =>
  new Promise((resolve) => {
    const folder = "./scripts/trying"
    const env = { ...process.env, COXSWAIN_TURNS: String(turns), COXSWAIN_EXPECTED: JSON.stringify(expected) }
    const args = ["--import", "tsx", "--import", `${folder}/register.mjs`, `${folder}/all.ts`, ...names]
    const child = spawn(process.execPath, args, {
      cwd: root,
      env,
      timeout: limit,
      stdio: ["ignore", "ignore", "pipe"]
    })
    let told = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (told += text))
    child.on("close", () => {
      const lines = told.split("\n")
      resolve({
        found: lines.filter(isFound).map((line) => JSON.parse(line) as Found),
        said: lines.filter((line) => !isFound(line)).join("\n").trim()
      })
    })
  })

const told = (name: string, { broken, checked, never = [], seconds = 0, turns = 0 }: Found): string => {
  if (checked !== undefined) return `${name}: ${checked}`
  if (broken !== undefined) return `${name}: ${broken}`
  const row = [
    name.padEnd(32),
    `${turns} turns`.padStart(12),
    `${seconds.toFixed(1)} s`.padStart(8),
    "  everything held"
  ]
  return `${row.join("")}${never.length === 0 ? "" : `; never: ${never.join(", ")}`}`
}

const isWrong = ({ broken, checked }: Found): boolean =>
  broken !== undefined || (checked !== undefined && !checked.includes("no findings"))

const main = async () => {
  const { positionals, values } = parseArgs({
    args: process.argv.slice(2),
    allowPositionals: true,
    options: { turns: { type: "string", default: "10000" } }
  })
  const turns = Number(values.turns)
  const names = programs.filter((name) => positionals.length === 0 || positionals.some((one) => name.startsWith(one)))
  if (!Number.isInteger(turns) || turns < 1 || names.length === 0) {
    console.error(`Nothing to simulate: --turns is at least 1, and the programs are ${programs.join(", ")}`)
    process.exit(2)
  }
  let wrong = 0
  for (const name of names) {
    const { found, said } = await tried([name], turns, 10 * 60_000 + turns * 100)
    const simulated = found.filter(({ checked }) => checked === undefined)
    for (const one of found) if (one.checked === undefined || isWrong(one)) console.log(told(name, one))
    if (simulated.length === 0) console.log(`${name}: no agent was made\n${said}`)
    wrong += simulated.length === 0 || found.some(isWrong) ? 1 : 0
  }
  console.log(wrong === 0 ? `${names.length} programs: everything held` : `${wrong} of ${names.length} programs broke`)
  process.exit(wrong === 0 ? 0 : 1)
}

if (pathToFileURL(process.argv[1] ?? "").href === pathToFileURL(own).href) await main()
