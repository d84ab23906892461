/** Joins the files of a folder to one document. */
import type { Location, Tree } from "./Tree.js"

/** A name that occurs in two files, with both positions. */
interface Twice {
  readonly name: string
  readonly first: Location
  readonly again: Location
}

type Entries = NonNullable<Tree["entries"]>
type Entry = Entries extends ReadonlyMap<string, infer E> ? E : never

/** Returns a file as a document. A file with one flow becomes a document with this flow. */
export const asDocument = (tree: Tree): Tree => {
  const { at, entries } = tree
  return entries?.has("steps") === true && entries.has("title")
    ? { at, entries: new Map([["flows", { name: at, tree: { at, items: [tree] } }]]) }
    : tree
}

/** Joins documents: appends lists, and merges records. Reports each name that occurs in two documents. */
export const join = ([first, ...rest]: readonly [Tree, ...ReadonlyArray<Tree>], report: (twice: Twice) => void): Tree =>
  rest.reduce((all, one) => both(all, one, 2, "", report), first)

const both = (one: Tree, other: Tree, depth: number, within: string, report: (twice: Twice) => void): Tree => {
  if (one.items !== undefined && other.items !== undefined) return { at: one.at, items: [...one.items, ...other.items] }
  if (one.entries === undefined || other.entries === undefined) return one
  const entries = new Map<string, Entry>(one.entries)
  for (const [name, entry] of other.entries) {
    const known = entries.get(name)
    const path = within === "" ? name : `${within}.${name}`
    if (known === undefined) entries.set(name, entry)
    else if (depth > 1 && isSame(known.tree, entry.tree)) {
      entries.set(name, { ...known, tree: both(known.tree, entry.tree, depth - 1, path, report) })
    } else report({ name: path, first: known.name, again: entry.name })
  }
  return { at: one.at, entries }
}

const isSame = (one: Tree, other: Tree): boolean =>
  (one.items !== undefined && other.items !== undefined) || (one.entries !== undefined && other.entries !== undefined)
