/**
 * Makes `dist/`. Code is in as few files as the entry points allow: a process that imports the core would else find, read and
 * link some 240 files, which takes longer than running what is in them. Constants are marked as pure, so that an
 * application's bundler takes out of these files only what is used. Types stay file by file, as far as a public module
 * reaches them: types of a bundle could not be named in the declarations of an application.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { importsOf } from "./imports.js"
import { install } from "./install.js"
import { page } from "./page.js"
import { pure } from "./pure.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const file = (name: string) => path.join(root, name)

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly import: string }>>
}

const { bin, exports } = JSON.parse(fs.readFileSync(file("package.json"), "utf8")) as Manifest

/** The name of an emitted file: "./dist/layers/stores/Redis.js" is `layers/stores/Redis`. */
const nameOf = (emitted: string): string => path.posix.normalize(emitted).replace(/^dist\/|\.js$/g, "")

const published = Object.values(exports).flatMap((to) => typeof to === "string" ? [] : [nameOf(to.import)])

/** What is started from outside. The program is also looked for in another installation of the package. */
const started = [...Object.values(bin).map(nameOf), "cli/Program"]

/** Adds the files of types that a module reaches. */
const reached = (entry: string, found: Set<string>): Set<string> => {
  if (found.has(entry)) return found
  found.add(entry)
  const source = ts.createSourceFile(entry, fs.readFileSync(entry, "utf8"), ts.ScriptTarget.Latest)
  for (const { specifier } of importsOf(source).filter(({ specifier }) => specifier.startsWith("."))) {
    reached(path.join(path.dirname(entry), specifier.replace(/\.js$/, ".d.ts")), found)
  }
  return found
}

const types = (): void => {
  const tsc = file("scripts/node_modules/typescript-7/bin/tsc")
  const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" })
  if (status !== 0) process.exit(1)
  const kept = published.reduce((found, name) => reached(file(`dist/${name}.d.ts`), found), new Set<string>())
  for (const name of fs.readdirSync(file("dist"), { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".d.ts") && !kept.has(file(`dist/${name}`))) fs.rmSync(file(`dist/${name}`))
  }
}

/**
 * What the core exports and also loads later has files of its own, because bundlers that split code load a file whole:
 * the recognition of answers has 125 kB.
 */
const apart = ["domain/language/consent/Consent", "domain/language/consent/Recognition"]

const code = async (): Promise<void> => {
  const { rolldown } = await import("./node_modules/rolldown/dist/index.mjs")
  const bundle = await rolldown({
    input: Object.fromEntries(
      [...new Set([...published, ...started, ...apart])].map((name) => [name, file(`src/${name}.ts`)])
    ),
    platform: "node",
    external: (id) => !id.startsWith(".") && !path.isAbsolute(id),
    resolve: { extensionAlias: { ".js": [".ts"] } },
    plugins: [{
      name: "pure",
      transform: { filter: { id: /\.ts$/ }, handler: (text, id) => ({ code: pure(id, text) }) }
    }]
  })
  // As deep as the folders of the entry points, so that what lies beside `dist/` is found from a shared file too.
  await bundle.write({ dir: file("dist"), format: "esm", chunkFileNames: "shared/[hash].js" })
  await bundle.close()
}

const step = async (does: string, run: () => void | Promise<unknown>): Promise<void> => {
  console.log(`> ${does}`)
  await run()
}

await install("scripts")
fs.rmSync(file("dist"), { recursive: true, force: true })
await step("writes the types", types)
await step("builds the page", page)
await step("bundles the code", code)
