/** The report of an import: each part without a counterpart, with its position and advice. */
import type { Item } from "./Project.js"

export interface Note {
  readonly file: string
  readonly line: number
  readonly what: string
  readonly fix: string
}

/** Collects the notes of an import. */
export class Report {
  readonly notes: Array<Note> = []

  add(at: Pick<Item, "file" | "line">, what: string, fix: string): void {
    this.notes.push({ file: at.file, line: at.line, what, fix })
  }

  /** Reports each name in a map that is not among the known names. */
  others(of: Item, what: string, known: ReadonlyArray<string>): void {
    for (const [name, item] of of.entries) {
      if (!known.includes(name)) this.add(item, `${what}: ${name}`, "It is not known here, and was left out")
    }
  }
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s+/g, " ")

/** Renders the notes as a Markdown table, by file and line. */
export const render = (name: string, notes: ReadonlyArray<Note>): string => {
  const sorted = [...notes].sort((a, b) => a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)
  return [
    `# What was imported from ${name}`,
    "",
    sorted.length === 0
      ? "Everything has a counterpart."
      : `${sorted.length} parts have no counterpart, or need your decision. Everything else is in this folder.`,
    "",
    ...(sorted.length === 0 ? [] : ["| place | what | what to do |", "|---|---|---|"]),
    ...sorted.map(({ file, fix, line, what }) => `| \`${file}:${line}\` | ${cell(what)} | ${cell(fix)} |`),
    ""
  ].join("\n")
}
