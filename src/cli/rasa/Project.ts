/** Reads the YAML files of a Rasa project, with the line of each value. */
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Yaml from "yaml"

interface File {
  readonly name: string
  readonly lines: Yaml.LineCounter
  /** The nodes for which aliases stand. */
  readonly aliases: ReadonlyMap<Yaml.Alias, unknown>
}

/** Finds the nodes for which the aliases of a document stand: each is the last one before it with the anchor. */
const aliasesOf = (document: Yaml.Document): File["aliases"] => {
  const anchors = new Map<string, unknown>()
  const aliases = new Map<Yaml.Alias, unknown>()
  Yaml.visit(document, {
    Alias: (_, alias) => void aliases.set(alias, anchors.get(alias.source)),
    Value: (_, node) => void (node.anchor !== undefined && anchors.set(node.anchor, node))
  })
  return aliases
}

/** Largest number of maps that are merged into one another. An anchor may be merged into itself. */
const maxMerges = 5

/** A value of a file. */
export class Item {
  private readonly node: unknown

  constructor(private readonly source: File, node: unknown, private readonly from?: number) {
    this.node = Yaml.isAlias(node) ? source.aliases.get(node) : node
    if (from === undefined && Yaml.isAlias(node)) this.from = node.range?.[0]
  }

  /** A value without content, at the place of another one. */
  static none(at: Item): Item {
    return new Item(at.source, undefined, at.offset)
  }

  /** A text of the import's own, at the place of another value. */
  static written(at: Item, text: string): Item {
    return new Item(at.source, new Yaml.Scalar(text), at.offset)
  }

  /** The name of the file, relative to the project's folder. */
  get file(): string {
    return this.source.name
  }

  private get offset(): number | undefined {
    return this.from ?? (Yaml.isNode(this.node) ? this.node.range?.[0] : undefined)
  }

  /** The line, from 1. */
  get line(): number {
    return this.source.lines.linePos(this.offset ?? 0).line
  }

  /** The value as JSON. */
  get value(): unknown {
    const node = this.node
    if (Yaml.isScalar(node)) return node.value
    if (Yaml.isSeq(node)) return node.items.map((item) => new Item(this.source, item).value)
    return Yaml.isMap(node) ? Object.fromEntries(this.entries.map(([key, item]) => [key, item.value])) : undefined
  }

  /** The text of a scalar, with numbers and booleans as texts. */
  get text(): string | undefined {
    const { value } = this
    return value === undefined || value === null || Predicate.isObject(value) ? undefined : String(value)
  }

  get isTrue(): boolean {
    return this.value === true || this.text?.toLowerCase() === "true"
  }

  /** The entries of a map, with those that `<<` adds; their lines are those of their names. */
  get entries(): ReadonlyArray<readonly [string, Item]> {
    return this.entriesTo(maxMerges)
  }

  private entriesTo(merges: number): ReadonlyArray<readonly [string, Item]> {
    if (!Yaml.isMap(this.node)) return []
    const own = this.node.items.map(({ key, value }): readonly [string, Item] => {
      const at = Yaml.isNode(key) ? key.range?.[0] : undefined
      return [String(Yaml.isScalar(key) ? key.value : key), new Item(this.source, value, at)]
    })
    const [plain, merged] = Arr.partition(own, ([name]) => name === "<<")
    const added = merges === 0
      ? []
      : merged.flatMap(([, { items }]) => items).flatMap((one) => one.entriesTo(merges - 1))
    return merged.length === 0 ? plain : Arr.dedupeWith([...plain, ...added], ([one], [other]) => one === other)
  }

  /** The items of a list; a single value is a list of one. */
  get items(): ReadonlyArray<Item> {
    if (Yaml.isSeq(this.node)) return this.node.items.map((item) => new Item(this.source, item))
    return this.isMap || this.text !== undefined ? [this] : []
  }

  get isList(): boolean {
    return Yaml.isSeq(this.node)
  }

  get isMap(): boolean {
    return Yaml.isMap(this.node)
  }

  get(name: string): Item | undefined {
    return this.entries.find(([key]) => key === name)?.[1]
  }

  /** The text with this name. */
  at(name: string): string | undefined {
    return this.get(name)?.text
  }

  /** The items with this name. */
  each(name: string): ReadonlyArray<Item> {
    return this.get(name)?.items ?? []
  }

  /** True if the value with this name is true. */
  is(name: string): boolean {
    return this.get(name)?.isTrue === true
  }
}

/** A file that is not read, because it is no YAML, too large or a link. */
interface Broken {
  readonly file: string
  readonly line: number
  readonly why: string
}

/** The files of a project. */
export interface Project {
  readonly files: ReadonlyArray<Item>
  readonly broken: ReadonlyArray<Broken>
}

const left = new Set(["node_modules", "models", "venv", "__pycache__", "results"])

/** The YAML files of a folder, and the links in it, which may lead out of the project. */
const filesIn = (folder: string): ReadonlyArray<{ readonly name: string; readonly isLink: boolean }> =>
  fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1).flatMap((entry) => {
    if (entry.name.startsWith(".") || left.has(entry.name)) return []
    const name = path.join(folder, entry.name)
    if (entry.isDirectory()) return filesIn(name)
    const isLink = entry.isSymbolicLink()
    return isLink || (entry.isFile() && /\.ya?ml$/.test(entry.name)) ? [{ name, isLink }] : []
  })

/** Largest depth of a value, and largest number of values in a file, where an alias counts as what it stands for. */
const maxDepth = 100
const maxValues = 100_000

/** Returns the reason why a file is too large; undefined if it is not. */
const sizeOf = (root: Item): string | undefined => {
  let count = 0
  const isDeep = (item: Item, depth: number): boolean =>
    ++count > maxValues || depth > maxDepth ||
    (item.isMap ? item.entries.map(([, one]) => one) : item.isList ? item.items : []).some((one) =>
      isDeep(one, depth + 1)
    )
  if (!isDeep(root, 0)) return undefined
  return count > maxValues ? `it has more than ${maxValues} values` : `its values are nested deeper than ${maxDepth}`
}

const readFile = (name: string, text: string): Item | Broken => {
  const lines = new Yaml.LineCounter()
  const read = Either.try(() => {
    const document = Yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false })
    return { document, aliases: aliasesOf(document) }
  })
  // The parser has no limit of its own: it runs out of stack, or reports that it has.
  const isDeep = Either.isLeft(read) || read.right.document.errors.some(({ message }) => message.includes("call stack"))
  if (isDeep) return { file: name, line: 1, why: "its values are nested too deep" }
  const { aliases, document } = read.right
  const [error] = document.errors
  if (error !== undefined) {
    return { file: name, line: lines.linePos(error.pos[0]).line, why: `no YAML: ${error.message}` }
  }
  const root = new Item({ name, lines, aliases }, document.contents)
  const why = sizeOf(root)
  return why === undefined ? root : { file: name, line: 1, why }
}

/** Reads all YAML files of a folder. Links are not followed. */
export const read = (folder: string): Project => {
  const all = filesIn(folder).map(({ isLink, name }): Item | Broken => {
    const file = path.relative(folder, name).split(path.sep).join("/")
    return isLink
      ? { file, line: 1, why: "it is a link, and may lead out of the project" }
      : readFile(file, fs.readFileSync(name, "utf8"))
  })
  const [broken, files] = Arr.partition(all, (one) => one instanceof Item)
  return { files, broken }
}
