/** Runs every bench, one after the other: `npm run bench`, or `npm run bench -- turns`. */
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL(".", import.meta.url))
const wanted = process.argv.slice(2)
const benches = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && file !== "main.ts")
  .map((file) => basename(file, ".ts"))
  .filter((name) => wanted.length === 0 || wanted.includes(name))

for (const name of benches) {
  console.log(`\n== ${name}`)
  const { status } = spawnSync(process.execPath, ["--import", "tsx", `${folder}${name}.ts`], { stdio: "inherit" })
  if (status !== 0) process.exitCode = 1
}
