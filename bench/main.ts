/**
 * Runs every bench, one after the other: `npm run bench`, or `npm run bench -- turns`. With `--write`, what they print is
 * kept in `bench/results.json`, from which `docs/numbers.md` is written. Other options go to the benches:
 * `npm run bench -- wakes --sessions=2000`.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { file, page, type Results, stored } from "../scripts/numbers.js"

const folder = fileURLToPath(new URL(".", import.meta.url))
const root = fileURLToPath(new URL("..", import.meta.url))
const given = process.argv.slice(2)
const isWriting = given.includes("--write")
const options = given.filter((one) => one.startsWith("--") && one !== "--write")
const wanted = given.filter((one) => !one.startsWith("--"))
const benches = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && file !== "main.ts")
  .map((file) => basename(file, ".ts"))
  .filter((name) => wanted.length === 0 || wanted.includes(name))

const printed: Record<string, ReadonlyArray<string>> = {}
for (const name of benches) {
  console.log(`\n== ${name}`)
  const { status, stdout } = spawnSync(process.execPath, ["--import", "tsx", `${folder}${name}.ts`, ...options], {
    stdio: ["inherit", "pipe", "inherit"],
    encoding: "utf8"
  })
  process.stdout.write(stdout)
  // Lines of the log are no results.
  printed[name] = stdout.trimEnd().split("\n").filter((line) => !line.startsWith("timestamp="))
  if (status !== 0) process.exitCode = 1
}

if (isWriting && process.exitCode === undefined) {
  const on = `Node ${process.versions.node}, ${cpus().length} cores`
  const results: Results = { on, benches: { ...stored(root)?.benches, ...printed } }
  writeFileSync(`${root}${file}`, `${JSON.stringify(results, undefined, 2)}\n`)
  writeFileSync(`${root}docs/numbers.md`, page(results))
}
