/**
 * The cost of importing: milliseconds of processor time in a process of its own, the best of several, and what of it is the
 * dependencies'. Time of the processor and not of the clock, so that a busy machine changes it less.
 */
import { build } from "esbuild"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const core = path.join(root, "dist/index.js")
// In the folder of the package, so that what they import is found.
const made = fs.mkdtempSync(path.join(root, "bench/imported-"))
const bundled = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-imports-"))

/** Some packages that are bundled are CommonJS and call `require`. */
const banner = "import { createRequire } from \"node:module\"; const require = createRequire(import.meta.url);"

const bundle = async (module: string, name: string): Promise<string> => {
  const outfile = path.join(bundled, `${name}.mjs`)
  await build({
    stdin: { contents: `export * from ${JSON.stringify(module)}`, resolveDir: root },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    banner: { js: banner },
    logLevel: "error"
  })
  return outfile
}

/** A module that imports what the core imports of other packages, and nothing else. */
const dependencies = async (): Promise<string> => {
  const { metafile } = await build({
    entryPoints: [core],
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    write: false,
    metafile: true,
    logLevel: "error"
  })
  const [output] = Object.values(metafile.outputs)
  const file = path.join(made, "dependencies.mjs")
  const imported = new Set(output?.imports.map(({ path }) => path))
  fs.writeFileSync(file, [...imported].map((name) => `import ${JSON.stringify(name)}\n`).join(""))
  return file
}

/** A module that imports the layer of OpenAI, and what that loads when it is built. */
const withClient = async (): Promise<string> => {
  const file = path.join(made, "client.mjs")
  const layer = path.join(root, "dist/layers/models/OpenAi.js")
  fs.writeFileSync(file, `import ${JSON.stringify(layer)}\nimport "@effect/ai-openai/OpenAiClient"\n`)
  return file
}

const once = (module: string): number => {
  const program = `const at = process.cpuUsage(); await import(${
    JSON.stringify(module)
  }); const { system, user } = process.cpuUsage(at); console.log((user + system) / 1000)`
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd: root, encoding: "utf8" }))
}

const rounds = 7

const measure = async (): Promise<void> => {
  const modules: ReadonlyArray<readonly [name: string, module: string]> = [
    ["fast-check", "fast-check"],
    ["effect/Schema", "effect/Schema"],
    ["effect", "effect"],
    ["what the core imports", await dependencies()],
    ["coxswain", core],
    ["coxswain, in one file", await bundle(core, "coxswain")],
    ["coxswain/layers/openai", path.join(root, "dist/layers/models/OpenAi.js")],
    ["… and its client", await withClient()],
    ["AI SDK", "ai"],
    ["AI SDK, in one file", await bundle("ai", "ai")]
  ]
  const best = new Map<string, number>()
  for (let round = 0; round < rounds; round++) {
    for (const [name, module] of modules) best.set(name, Math.min(best.get(name) ?? Infinity, once(module)))
  }
  const whole = best.get("coxswain")!
  console.log("import                     ms   of the core's")
  for (const [name, ms] of best) {
    console.log(`${name.padEnd(22)} ${ms.toFixed(0).padStart(6)}   ${(ms / whole * 100).toFixed(0).padStart(11)} %`)
  }
}

try {
  if (fs.existsSync(core)) await measure()
  else {
    console.error("dist/ is missing: run npm run build first")
    process.exitCode = 1
  }
} finally {
  for (const folder of [made, bundled]) fs.rmSync(folder, { recursive: true })
}
