/**
 * A script of the tests and all it imports as one file of JavaScript, for processes that are started again and again: what is
 * read once starts in a tenth of the time. Packages that are bound to their files stay outside.
 */
import { build } from "esbuild"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "../..")

/** Gives the path of the file, which is in `node_modules`, so that the packages that stay outside are found. */
export const bundle = async (script: string): Promise<string> => {
  const name = path.basename(script, ".ts")
  const outfile = path.join(root, "node_modules/.cache/coxswain-bundles", `${name}-${process.pid}.mjs`)
  process.once("exit", () => fs.rmSync(outfile, { force: true }))
  await build({
    entryPoints: [script],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    tsconfig: path.join(root, "tsconfig.json"),
    external: ["better-sqlite3", "pg", "ioredis", "mysql2"],
    // Packages of the older kind ask for Node's modules by `require`.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    logLevel: "error"
  })
  return outfile
}
