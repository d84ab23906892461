/** This installation of the package: its manifest, its dependencies and its folder. */
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { optional } from "../domain/fields/Fields.js"

const Versions = Schema.Record({ key: Schema.String, value: Schema.String })

const Manifest = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  peerDependencies: Versions,
  devDependencies: Schema.optionalWith(Versions, { default: () => ({}) })
})

/** The root folder of this package: two folders above both `src/cli` and `dist/cli`. */
export const root: string = path.resolve(import.meta.dirname, "../..")

export const manifest: typeof Manifest.Type = Schema.decodeUnknownSync(Schema.parseJson(Manifest))(
  fs.readFileSync(path.join(root, "package.json"), "utf8")
)

/** Shortens a version range: "^0.97.2" to "0.97", "^2.10.3" to "2". */
const short = (range: string): string => /^\^(0\.\d+|\d+)/.exec(range)?.[1] ?? range

/**
 * Returns the command that installs packages in versions that work with this package. The newest version of a package
 * may require another version of Effect, for example `@effect/platform-node`.
 */
export const install = (packages: string): string => {
  const versioned = packages.split(" ").map((name) => {
    const range = manifest.peerDependencies[name]
    return range === undefined ? name : `${name}@${short(range)}`
  })
  return `npm install ${versioned.join(" ")}`
}

/** Returns the path of the module that `require` in a file loads; undefined if it is not installed there. */
export const resolvedIn = (file: string, module: string): string | undefined => {
  try {
    return createRequire(file).resolve(module)
  } catch {
    return undefined
  }
}

/**
 * Returns the root folder of the package `coxswain` that files in `folder` import; undefined if they cannot import it.
 */
export const rootFrom = (folder: string): string | undefined => {
  const found = resolvedIn(path.join(folder, "_"), `${manifest.name}/package.json`)
  return found && path.dirname(found)
}

const Lock = Schema.parseJson(Schema.Struct({
  packages: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ resolved: optional(Schema.String) })
  })
}))

/**
 * Returns the path of the archive from which this package was installed, or undefined if it came from a registry. A new
 * project depends on the same archive.
 */
const archive = (): string | undefined => {
  const modules = path.dirname(root)
  const lock = path.join(modules, ".package-lock.json")
  if (path.basename(modules) !== "node_modules" || !fs.existsSync(lock)) return undefined
  const read = Schema.decodeUnknownEither(Lock)(fs.readFileSync(lock, "utf8"))
  const resolved = read._tag === "Right" ? read.right.packages[`node_modules/${manifest.name}`]?.resolved : undefined
  return resolved?.startsWith("file:") === true
    ? path.resolve(path.dirname(modules), resolved.slice("file:".length))
    : undefined
}

/** Returns the version range or archive by which a new project in `folder` depends on this version of the package. */
export const dependencyFrom = (folder: string): string => {
  const file = archive()
  return file === undefined || !fs.existsSync(file)
    ? `^${manifest.version}`
    : `file:${path.relative(folder, file).split(path.sep).join("/")}`
}
