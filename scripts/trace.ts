/**
 * Counts what a reader of the plainest turn has to follow: the files that it enters, the functions, their calls, and how often
 * a call is in another file than the one before. No figure may be above the one in `scripts/tracing/figures.json`:
 * `npm run trace -- --write` lowers them. `npm run trace -- --files` prints the calls of each file, `--calls` every call.
 * Counts, too, how many files of the turn name a feature.
 */
import { build } from "esbuild"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { calls, plugin } from "./tracing/Instrument.js"
import * as Names from "./tracing/Names.js"
import type { traced as Traced } from "./tracing/turn.js"

interface Figures {
  readonly files: number
  readonly functions: number
  readonly calls: number
  readonly changesOfFile: number
  /** Files of the pipeline that name a feature. */
  readonly naming: Readonly<Record<Names.Feature, number>>
}

const root = fileURLToPath(new URL("..", import.meta.url))
const kept = path.join(root, "scripts/tracing/figures.json")

const fileOf = (call: string): string => call.split("\t")[0] ?? call

const record = async (): Promise<ReadonlyArray<string>> => {
  // Beside this file, so that the bundle finds the packages.
  const folder = fs.mkdtempSync(path.join(root, "scripts/tracing/run-"))
  try {
    const outfile = path.join(folder, "turn.mjs")
    await build({
      entryPoints: [path.join(root, "scripts/tracing/turn.ts")],
      outfile,
      alias: { coxswain: path.join(root, "src/index.ts"), "coxswain/testing": path.join(root, "src/testing.ts") },
      plugins: [plugin(path.join(root, "src/"))],
      bundle: true,
      packages: "external",
      format: "esm",
      platform: "node",
      target: "es2022",
      logLevel: "error"
    })
    // Safe: it is the bundle of this module.
    const { traced } = await import(pathToFileURL(outfile).href) as { readonly traced: typeof Traced }
    // Safe: the record is the only property of the global object that is read or written here.
    return await traced(globalThis as unknown as Parameters<typeof Traced>[0], calls)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

const figuresOf = (log: ReadonlyArray<string>): Omit<Figures, "naming"> => {
  const files = log.map(fileOf)
  return {
    files: new Set(files).size,
    functions: new Set(log).size,
    calls: log.length,
    changesOfFile: files.filter((file, at) => file !== files[at - 1]).length
  }
}

const printFiles = (log: ReadonlyArray<string>): void => {
  const counts = new Map<string, number>()
  for (const call of log) counts.set(fileOf(call), (counts.get(fileOf(call)) ?? 0) + 1)
  for (const [file, count] of [...counts].sort(([, a], [, b]) => b - a)) {
    console.log(`${String(count).padStart(6)}  ${file}`)
  }
}

const log = await record()
const figures: Figures = { ...figuresOf(log), naming: Names.count(root) }
if (process.argv.includes("--files")) printFiles(log)
if (process.argv.includes("--calls")) { for (const call of log) console.log(call) }
// Safe: this script writes the file.
const before = JSON.parse(fs.readFileSync(kept, "utf8")) as Figures
/** Figures by name. */
const flat = ({ naming, ...figures }: Figures): Readonly<Record<string, number>> => ({
  ...figures,
  ...Object.fromEntries(Object.entries(naming).map(([feature, files]) => [`filesNaming:${feature}`, files]))
})

const [now, most] = [flat(figures), flat(before)]
const names = Object.keys(now)
for (const name of names) console.log(`${name.padEnd(22)} ${now[name]}, at most ${most[name] ?? 0}`)
const above = names.filter((name) => now[name]! > (most[name] ?? 0))
if (above.length > 0) {
  console.error(
    `More ${above.join(", ")} than before; find out why: --files and --calls print the calls of the plain turn`
  )
  process.exitCode = 1
} else if (process.argv.includes("--write")) {
  fs.writeFileSync(kept, `${JSON.stringify(figures, null, 2)}\n`)
}
