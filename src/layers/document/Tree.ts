/** The values of a YAML or JSON text with their locations in it. */
import * as Yaml from "yaml"
import { isJson, type Json } from "../../domain/base/Json.js"

/** A text, with the name of its file for messages. */
export interface File {
  readonly name: string
  readonly text: string
  readonly lines: Yaml.LineCounter
}

/** A location: a character of a file. */
export interface Location {
  readonly file: File
  readonly offset: number
}

/** A value and its position in the file. The entries of a map also have the positions of their names. */
export interface Tree {
  readonly at: Location
  readonly entries?: ReadonlyMap<string, { readonly name: Location; readonly tree: Tree }>
  readonly items?: ReadonlyArray<Tree>
  readonly scalar?: { readonly value: unknown; readonly isBlock: boolean }
}

/** Largest number of values in a file, because aliases can repeat a part many times. */
const maxValues = 200_000

/** The file has too many values. */
export class TooLarge extends Error {}

const scalarOf = (node: Yaml.Node | null): NonNullable<Tree["scalar"]> =>
  Yaml.isScalar(node)
    ? { value: node.value, isBlock: node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED" }
    : { value: null, isBlock: false }

/** Makes the tree of a parsed text. */
export const make = (document: Yaml.Document.Parsed, file: File): Tree => {
  let count = 0
  /** The nodes of the anchors so far. The library would search the whole text for the anchor of each alias. */
  const anchors = new Map<string, Yaml.Node>()
  const at = (node: Yaml.Node | null | undefined, otherwise: number): Location => ({
    file,
    offset: node?.range?.[0] ?? otherwise
  })
  const of = (node: Yaml.Node | null, otherwise: number): Tree => {
    if (++count > maxValues) throw new TooLarge()
    const location = at(node, otherwise)
    if (Yaml.isAlias(node)) return of(anchors.get(node.source) ?? null, location.offset)
    if (node?.anchor !== undefined) anchors.set(node.anchor, node)
    if (Yaml.isSeq<Yaml.Node | null>(node)) {
      return {
        at: location,
        items: node.items.map((one) => of(one, location.offset))
      }
    }
    if (Yaml.isMap<Yaml.Node, Yaml.Node | null>(node)) {
      return {
        at: location,
        entries: new Map(node.items.map(({ key, value }) => {
          const name = at(key, location.offset)
          return [Yaml.isScalar(key) ? String(key.value) : String(key), { name, tree: of(value, name.offset) }]
        }))
      }
    }
    return { at: location, scalar: scalarOf(node) }
  }
  return of(document.contents, 0)
}

/** Returns the value of a tree as JSON. YAML values that JSON does not have, such as dates, become texts. */
export const valueOf = ({ entries, items, scalar }: Tree): Json => {
  if (items !== undefined) return items.map(valueOf)
  if (entries !== undefined) return Object.fromEntries(Array.from(entries, ([name, { tree }]) => [name, valueOf(tree)]))
  const value = scalar?.value ?? null
  return isJson(value) ? value : String(value)
}

interface Step {
  readonly tree: Tree
  readonly name?: Location
  readonly rest: string
}

/**
 * Returns the part to which the first step of a path leads. The step is an index, or a name, which may contain dots.
 */
const step = ({ entries, items }: Tree, path: string): Step | undefined => {
  const index = /^\[(\d+)\]/.exec(path)
  const item = index === null ? undefined : items?.[Number(index[1])]
  if (index !== null && item !== undefined) return { tree: item, rest: path.slice(index[0].length) }
  const bare = path.startsWith(".") ? path.slice(1) : path
  // The longest name with which the path begins.
  for (let end = bare.length; end > 0; end = Math.max(bare.lastIndexOf(".", end - 1), bare.lastIndexOf("[", end - 1))) {
    const found = entries?.get(bare.slice(0, end))
    if (found !== undefined) return { ...found, rest: bare.slice(end) }
  }
  return undefined
}

/** The deepest part of a tree to which a path leads, with the position of its name. */
interface TreeMatch {
  readonly tree: Tree
  readonly name?: Location | undefined
  /** True if the path leads exactly to this part, false if the rest of the path does not exist. */
  readonly isWhole: boolean
}

/** Finds the part to which a path leads, such as `flows[0].steps[2].if`. */
export const find = (tree: Tree, path: string): TreeMatch => {
  let here: TreeMatch = { tree, isWhole: path === "" }
  let rest = path
  while (rest !== "") {
    const next = step(here.tree, rest)
    if (next === undefined) return { ...here, isWhole: false }
    here = { tree: next.tree, name: next.name, isWhole: next.rest === "" }
    rest = next.rest
  }
  return here
}

/** Returns the position in the file of a character of a text value, which may be quoted or have several lines. */
export const inside = ({ at, scalar }: Tree, offset: number): Location => {
  const value = String(scalar?.value ?? "")
  const before = value.slice(0, offset)
  const { file, offset: start } = at
  if (scalar?.isBlock === true) return inBlock(at, value, before.split("\n"))
  const skip = /["']/.test(file.text[start] ?? "") ? 1 : 0
  return file.text.startsWith(before, start + skip) ? { file, offset: start + skip + offset } : at
}

/** Returns the position of a character in a YAML block text, whose lines are indented lines of the file. */
const inBlock = (at: Location, value: string, before: ReadonlyArray<string>): Location => {
  const line = value.split("\n")[before.length - 1] ?? ""
  const found = line === "" ? -1 : at.file.text.indexOf(line, at.offset)
  return found < 0 ? at : { file: at.file, offset: found + (before.at(-1) ?? "").length }
}
