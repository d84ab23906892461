/** Writes generated files into a folder, and nothing outside of it. */
import * as fs from "node:fs"
import * as path from "node:path"

/** The allowed names of files and of folders: no hidden file, no path, nothing that a shell or an editor reads. */
const allowed = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/

/** True if there is something at the path; a link that leads nowhere is something, too. */
const has = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined

/** Returns the path of a file. Throws if the name leads elsewhere, or if something is in its place or its way. */
const placeOf = (root: string, name: string): string => {
  const file = path.resolve(root, name)
  const parts = path.relative(root, file).split(path.sep)
  if (name.split("/").join(path.sep) !== parts.join(path.sep) || !parts.every((part) => allowed.test(part))) {
    throw new Error(`${JSON.stringify(name)} is no name of a file in the folder`)
  }
  if (has(file)) throw new Error(`${name} exists`)
  for (let folder = path.dirname(file); folder !== root; folder = path.dirname(folder)) {
    const stat = fs.lstatSync(folder, { throwIfNoEntry: false })
    if (stat !== undefined && !stat.isDirectory()) throw new Error(`${path.relative(root, folder)} is no folder`)
  }
  return file
}

/** Writes files by their names in the folder, none of which exists yet. Writes none if one cannot be written. */
export const write = (folder: string, files: ReadonlyMap<string, string>): void => {
  const root = path.resolve(folder)
  const placed = Array.from(files, ([name, text]) => ({ file: placeOf(root, name), text }))
  for (const { file, text } of placed) {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text, { flag: "wx" })
  }
}
