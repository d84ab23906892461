/**
 * Takes the version that `changeset version` writes into `package.json` over into what else names it: `create-coxswain`, the
 * lockfile, the pages that name the tarball, and the changelog. `npm run bump` does both.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The changelog with the unreleased changes under the version; unchanged if the version has a date already. */
export const released = (changelog: string, version: string, date: string): string => {
  const planned = `## [${version}] - unreleased\n\n`
  const without = changelog.replace(planned, "")
  return without.includes(`## [${version}]`)
    ? changelog
    : without.replace("## [Unreleased]\n", `## [Unreleased]\n\n## [${version}] - ${date}\n`)
}

/** A text with the name of the tarball of this version. */
export const packedAs = (text: string, version: string): string =>
  text.replaceAll(/coxswain-\d+\.\d+\.\d+(?:-[\w.]+)?\.tgz/g, `coxswain-${version}.tgz`)

/** The manifest of `create-coxswain` for a version: it depends on exactly this one. */
export const created = (manifest: string, version: string): string =>
  `${JSON.stringify({ ...JSON.parse(manifest), version, dependencies: { coxswain: version } }, undefined, 2)}\n`

/** The lockfile with the version. */
const locked = (lockfile: string, version: string): string => {
  const lock = JSON.parse(lockfile)
  return `${
    JSON.stringify(
      { ...lock, version, packages: { ...lock.packages, "": { ...lock.packages[""], version } } },
      undefined,
      2
    )
  }\n`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const change = (name: string, changed: (text: string) => string): void => {
    const file = path.join(root, name)
    fs.writeFileSync(file, changed(fs.readFileSync(file, "utf8")))
  }
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
  change("packages/create/package.json", (text) => created(text, version))
  change("package-lock.json", (text) => locked(text, version))
  for (const page of ["README.md", "docs/tutorial/1-first-agent.md"]) change(page, (text) => packedAs(text, version))
  change("CHANGELOG.md", (text) => released(text, version, new Date().toISOString().slice(0, 10)))
}
