/**
 * Bundles scripts with their imports into JavaScript, for processes that are started repeatedly: they start about ten times
 * as fast. Packages that load files of their own stay external.
 */
import { build, type Plugin } from "esbuild"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "../..")

/** Returns the file's path, which is in `node_modules` so that external packages are found. */
export const bundle = async (script: string): Promise<string> => {
  const fileOf = await bundleAll([script])
  return fileOf(path.basename(script, ".ts"))
}

/** Bundles scripts that share what they import. Returns the path of each bundle by the script's name. */
export const bundleAll = async (
  scripts: ReadonlyArray<string>,
  plugins: ReadonlyArray<Plugin> = []
): Promise<(name: string) => string> => {
  const outdir = path.join(root, "node_modules/.cache/coxswain-bundles", `${process.pid}-${count++}`)
  process.once("exit", () => fs.rmSync(outdir, { recursive: true, force: true }))
  await build({
    entryPoints: [...scripts],
    plugins: [...plugins],
    outdir,
    outExtension: { ".js": ".mjs" },
    splitting: true,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    tsconfig: path.join(root, "tsconfig.json"),
    // Scripts outside of the project use its packages too.
    nodePaths: [path.join(root, "node_modules")],
    external: ["better-sqlite3", "pg", "ioredis", "mysql2"],
    // CommonJS packages load Node's modules by `require`.
    banner: { js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);" },
    logLevel: "error"
  })
  return (name) => path.join(outdir, `${name}.mjs`)
}

let count = 0
