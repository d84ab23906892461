/** Reads the YAML files of a Rasa project, with the line of each value. */
import * as Predicate from "effect/Predicate"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Yaml from "yaml"

interface File {
  readonly name: string
  readonly lines: Yaml.LineCounter
}

/** A value of a file. */
export class Item {
  constructor(private readonly source: File, private readonly node: unknown, private readonly from?: number) {}

  /** The name of the file, relative to the project's folder. */
  get file(): string {
    return this.source.name
  }

  /** The line, from 1. */
  get line(): number {
    const own = Yaml.isNode(this.node) ? this.node.range?.[0] : undefined
    return this.source.lines.linePos(this.from ?? own ?? 0).line
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

  /** The entries of a map; their lines are those of their names. */
  get entries(): ReadonlyArray<readonly [string, Item]> {
    if (!Yaml.isMap(this.node)) return []
    return this.node.items.map(({ key, value }) => {
      const at = Yaml.isNode(key) ? key.range?.[0] : undefined
      return [String(Yaml.isScalar(key) ? key.value : key), new Item(this.source, value, at)]
    })
  }

  /** The items of a list; a single value is a list of one. */
  get items(): ReadonlyArray<Item> {
    if (Yaml.isSeq(this.node)) return this.node.items.map((item) => new Item(this.source, item))
    return this.value === undefined || this.value === null ? [] : [this]
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

/** A file that is no YAML. */
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

const filesIn = (folder: string): ReadonlyArray<string> =>
  fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1).flatMap((entry) => {
    if (entry.name.startsWith(".") || left.has(entry.name)) return []
    const name = path.join(folder, entry.name)
    if (entry.isDirectory()) return filesIn(name)
    return /\.ya?ml$/.test(entry.name) ? [name] : []
  })

/** Reads all YAML files of a folder. */
export const read = (folder: string): Project => {
  const broken: Array<Broken> = []
  const files = filesIn(folder).flatMap((name) => {
    const lines = new Yaml.LineCounter()
    const document = Yaml.parseDocument(fs.readFileSync(name, "utf8"), { lineCounter: lines, prettyErrors: false })
    const file = { name: path.relative(folder, name).split(path.sep).join("/"), lines }
    const [error] = document.errors
    if (error === undefined) return [new Item(file, document.contents)]
    broken.push({ file: file.name, line: lines.linePos(error.pos[0]).line, why: error.message })
    return []
  })
  return { files, broken }
}
