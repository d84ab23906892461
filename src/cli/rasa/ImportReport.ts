/** The report of an import: each part without a counterpart, with its position and advice. */
import { faultOf } from "./Names.js"
import type { Item } from "./Project.js"

export interface Note {
  readonly file: string
  readonly line: number
  readonly what: string
  readonly fix: string
}

/** The project has names that no generated file may have. */
export class Refused extends Error {
  constructor(readonly places: ReadonlyArray<string>) {
    super(places.join("; "))
  }
}

/** Collects the notes of an import. */
export class Report {
  readonly notes: Array<Note> = []
  private readonly known = new Set<string>()
  private readonly refused: Array<string> = []

  /** Checks a name of the project. `kind` says what it names. */
  name(at: Pick<Item, "file" | "line">, kind: string, name: string): string {
    const fault = faultOf(name)
    if (fault !== undefined) this.refused.push(`${at.file}:${at.line} ${kind} ${JSON.stringify(name)}: ${fault}`)
    return name
  }

  /** Throws if a name was refused. */
  check(): void {
    if (this.refused.length > 0) throw new Refused([...new Set(this.refused)])
  }

  add(at: Pick<Item, "file" | "line">, what: string, fix: string): void {
    const { file, line } = at
    const key = JSON.stringify([file, line, what])
    if (this.known.has(key)) return
    this.known.add(key)
    this.notes.push({ file, line, what, fix })
  }

  /** Reports each name in a map that is not among the known names. */
  others(of: Item, what: string, known: ReadonlyArray<string>): void {
    for (const [name, item] of of.entries) {
      if (!known.includes(name)) this.add(item, `${what}: ${name}`, "It is not known here, and was left out")
    }
  }
}

/** Writes a text for a cell: no part of it ends the cell, the line or the table, or is read as HTML. */
const cell = (text: string): string => text.replace(/\s+/g, " ").replace(/[\\|<]/g, (one) => `\\${one}`)

/** Renders the notes as a Markdown table, by file and line. */
export const render = (name: string, notes: ReadonlyArray<Note>): string => {
  const sorted = [...notes].sort((a, b) => a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)
  return [
    `# What was imported from ${cell(name)}`,
    "",
    sorted.length === 0
      ? "Everything has a counterpart."
      : `${sorted.length} parts have no counterpart, or need your decision. Everything else is in this folder.`,
    "",
    ...(sorted.length === 0 ? [] : ["| place | what | what to do |", "|---|---|---|"]),
    ...sorted.map(({ file, fix, line, what }) =>
      `| \`${cell(file).replaceAll("`", "'")}:${line}\` | ${cell(what)} | ${cell(fix)} |`
    ),
    ""
  ].join("\n")
}
