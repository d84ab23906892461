/**
 * Runs every bench, one after the other: `npm run bench -- all`, or some: `npm run bench -- turns stores`. With `--write`, what they
 * print is kept in `bench/results.json`, beside what the others printed before, and `bench/README.md` is written from it. Other
 * options go to the benches: `npm run bench -- wakes --only=sqlite --sessions=2000`,
 * `npm run bench -- understanding --provider openai --model gpt-4o-mini`. A bench that fails is not written.
 */
import { buildSync } from "esbuild"
import { spawnSync } from "node:child_process"
import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { file, type Results, stored, write } from "../scripts/numbers.js"

const folder = fileURLToPath(new URL(".", import.meta.url))
const root = fileURLToPath(new URL("..", import.meta.url))
/** Options with a value of their own, which may stand behind them: `--provider openai`. */
const valued = ["--provider", "--model", "--base-url", "--temperature", "--max-tokens", "--svg", "--record", "--replay"]
const given = process.argv.slice(2).reduce<ReadonlyArray<string>>(
  (read, one) => valued.includes(read.at(-1) ?? "") ? [...read.slice(0, -1), `${read.at(-1)}=${one}`] : [...read, one],
  []
)
const isWriting = given.includes("--write")
const options = given.filter((one) => one.startsWith("--") && one !== "--write")
/** Names of benches; `all` is the same as none. */
const wanted = given.filter((one) => !one.startsWith("--") && one !== "all")
const all = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && file !== "main.ts")
  .map((file) => basename(file, ".ts"))
const unknown = wanted.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}. Choose of: ${all.join(", ")}.`)
  process.exit(1)
}
/** Needs the folder of another checkout. */
const byNameOnly = ["compare"]
const benches = wanted.length === 0 ? all.filter((name) => !byNameOnly.includes(name)) : wanted

/**
 * Runs a bench in a process of its own, as JavaScript that is like what is published. `tsx` gives every function its name
 * whenever one is made, which takes longer than much of what is measured.
 */
const run = (name: string) => {
  // They take no time of this process, and load or bundle files from where the sources lie.
  if (name === "understanding" || name === "cluster") {
    return spawnSync(process.execPath, ["--import", "tsx", `${folder}${name}.ts`, ...options], {
      stdio: ["inherit", "pipe", "inherit"],
      encoding: "utf8"
    })
  }
  const outfile = `${folder}${name}.bundle.mjs`
  try {
    buildSync({
      entryPoints: [`${folder}${name}.ts`],
      outfile,
      bundle: true,
      packages: "external",
      format: "esm",
      platform: "node",
      target: "es2022",
      sourcemap: "inline",
      logLevel: "error"
    })
    return spawnSync(process.execPath, ["--enable-source-maps", outfile, ...options], {
      stdio: ["inherit", "pipe", "inherit"],
      encoding: "utf8"
    })
  } finally {
    rmSync(outfile, { force: true })
  }
}

const printed: Record<string, ReadonlyArray<string>> = {}
for (const name of benches) {
  console.log(`\n== ${name}`)
  const began = performance.now()
  const { status, stdout } = run(name)
  process.stdout.write(stdout)
  console.log(`(${((performance.now() - began) / 1000).toFixed(0)} s)`)
  // Lines of the log are no results.
  if (status === 0) printed[name] = stdout.trimEnd().split("\n").filter((line) => !line.startsWith("timestamp="))
  else process.exitCode = 1
}

if (isWriting) {
  const on = `Node ${process.versions.node}, ${cpus().length} cores`
  const results: Results = { on, benches: { ...stored(root)?.benches, ...printed } }
  writeFileSync(`${root}${file}`, `${JSON.stringify(results, undefined, 2)}\n`)
  write(root, results)
}
