/**
 * Makes `dist/`: types file by file, and code in as few files as the entry points allow. A process that imports the core
 * would else find, read and link some 240 files, which takes longer than running what is in them.
 *
 * `dist/modules/` holds the code once more, file by file. Bundlers take it, by the condition `module` of the exports: an
 * application gets the modules that it uses, where a file of many modules is kept whole.
 */
import { build, type Plugin } from "esbuild"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { install } from "./install.js"
import { page } from "./page.js"
import { pure } from "./pure.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const file = (name: string) => path.join(root, name)

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly import: string }>>
}

/** The files that are imported or started from outside; the program is also looked for in another installation of the package. */
const entries = (): ReadonlyArray<string> => {
  const { bin, exports } = JSON.parse(fs.readFileSync(file("package.json"), "utf8")) as Manifest
  const published = Object.values(exports).flatMap((to) => typeof to === "string" ? [] : [to.import])
  return [...new Set([...published, ...Object.values(bin), "dist/cli/Program.js"])]
    .map((emitted) => path.posix.normalize(emitted).replace(/^dist\//, "src/").replace(/\.js$/, ".ts"))
}

await install("scripts")
fs.rmSync(file("dist"), { recursive: true, force: true })
const tsc = file("scripts/node_modules/typescript-7/bin/tsc")
const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" })
if (status !== 0) process.exit(1)

await page()

const format = { format: "esm", platform: "node", target: "es2022", logLevel: "warning" } as const

const marked: Plugin = {
  name: "pure",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: pure(path, await fs.promises.readFile(path, "utf8")),
      loader: "ts"
    }))
}

const sources = fs.readdirSync(file("src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !/^(cli|page)\b/.test(name))
await build({
  entryPoints: sources.map((name) => path.join(file("src"), name)),
  outdir: file("dist/modules"),
  outbase: file("src"),
  plugins: [marked],
  ...format
})

await build({
  entryPoints: entries().map(file),
  outdir: file("dist"),
  outbase: file("src"),
  // As deep as the folders of the entry points, so that what lies beside `dist/` is found from a shared file too.
  chunkNames: "shared/[hash]",
  bundle: true,
  splitting: true,
  packages: "external",
  ...format,
  // The sources are in the package.
  sourcemap: true,
  sourcesContent: false
})
