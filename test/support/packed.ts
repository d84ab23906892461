/**
 * The tarball of `npm pack`, made once for all tests that install it, and cached by a hash of its contents.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as limits from "../setup/limits.js"
import { type Ran, run } from "./Program.js"

const filesOf = (root: string, name: string): ReadonlyArray<string> => {
  const at = path.join(root, name)
  if (!fs.statSync(at).isDirectory()) return [name]
  return fs.readdirSync(at, { recursive: true, encoding: "utf8" }).map((inner) => path.join(name, inner))
    .filter((file) => fs.statSync(path.join(root, file)).isFile() && !file.startsWith(path.join("docs", "reference")))
}

const contents = (root: string): string => {
  const hash = createHash("sha256")
  const configured = [
    "package.json",
    "tsconfig.base.json",
    "tsconfig.build.json",
    "scripts/build.ts",
    "scripts/pure.ts"
  ]
  const names = [...configured, "README.md", "CHANGELOG.md", "LICENSE"]
  for (const file of [...names, "src", "docs", "examples"].flatMap((name) => filesOf(root, name)).sort()) {
    hash.update(`${file}\0`).update(fs.readFileSync(path.join(root, file))).update("\0")
  }
  return hash.digest("hex").slice(0, 16)
}

/** The tarball's path, and the output of `npm pack` when it was made. */
export const packed = async (root: string): Promise<Ran & { readonly tarball: string }> => {
  const cache = path.join(root, "node_modules", ".cache", "coxswain-pack")
  const folder = path.join(cache, contents(root))
  const find = () => fs.existsSync(folder) ? fs.readdirSync(folder).find((name) => name.endsWith(".tgz")) : undefined
  const before = find()
  if (before !== undefined) {
    return { status: 0, signal: null, stdout: "", stderr: "", tarball: path.join(folder, before) }
  }
  fs.rmSync(cache, { recursive: true, force: true })
  // Packs into a temporary folder, so that a killed run leaves no partial tarball.
  const temp = `${folder}-${process.pid}`
  fs.mkdirSync(temp, { recursive: true })
  const ran = await run("npm", ["pack", "--json", "--pack-destination", temp], root, limits.long)
  if (ran.status !== 0) {
    fs.rmSync(temp, { recursive: true, force: true })
    return { ...ran, tarball: "" }
  }
  fs.renameSync(temp, folder)
  return { ...ran, tarball: path.join(folder, find() ?? "") }
}

/** Whether npm could not reach the registry. */
export const isOffline = ({ stderr }: Ran): boolean =>
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(stderr)
