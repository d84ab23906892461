/**
 * Imported before all else by the processes in which tests run. Vitest fails a run when its main process does not answer a
 * message of theirs within a minute, as happens on a busy machine. That limit is no option, so this takes it away: the module
 * that sends the messages uses the timers which it finds when it is first imported.
 */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { pathToFileURL } from "node:url"

const folder = path.join(path.dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "dist/chunks")
const file = fs.readdirSync(folder).map((name) => path.join(folder, name))
  .find((name) => name.endsWith(".js") && fs.readFileSync(name, "utf8").includes("function createBirpc("))
if (file === undefined) throw new Error(`no module in ${folder} defines createBirpc: adapt ${import.meta.filename}`)

const { setTimeout } = globalThis
globalThis.setTimeout = () => undefined
try {
  await import(pathToFileURL(file).href)
} finally {
  globalThis.setTimeout = setTimeout
}
