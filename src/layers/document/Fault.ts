/** Faults of documents, each with its location in a file. */
import * as Schema from "effect/Schema"
import { said, say } from "../../domain/base/error/ErrorMessage.js"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import type { File, Location } from "./Tree.js"

/** A fault of a document. */
export class DocumentFault extends Schema.Class<DocumentFault>("coxswain/DocumentFault")({
  /** Name of the file, as it was given to `parse` or `read`. */
  file: Schema.String,
  /** Line, from 1. */
  line: Schema.Number,
  /** Column in characters, from 1. */
  column: Schema.Number,
  /** Path in the document, such as `flows[0].steps[2].if`. */
  path: Schema.String,
  /** The line with the fault and the lines around it, with line numbers and a mark at the column. */
  excerpt: Schema.String,
  ...said
}) {
  /** The fault in one line, and the lines around it. */
  get text(): string {
    const where = this.path === "" || this.what.includes(this.path) ? "" : ` (${this.path})`
    const line = say("DocumentError", { ...this, what: `${this.what}${where}` })
    return `${this.file}:${this.line}:${this.column} ${line}\n${this.excerpt}`
  }
}

/** Number of faults that the message shows. */
const maxShown = 50

/**
 * A document is wrong, or cannot be read. Contains all faults in the order of the files; its message shows the first
 * 50.
 */
export class DocumentError extends Schema.TaggedError<DocumentError>()("DocumentError", {
  faults: Schema.NonEmptyArray(DocumentFault)
}) {
  override get message(): string {
    const texts = this.faults.slice(0, maxShown).map(({ text }) => text)
    const more = this.faults.length - texts.length
    return [...texts, ...(more > 0 ? [`and ${more} more faults`] : [])].join("\n\n")
  }
}

/** Number of lines shown before and after the line with the fault, and the largest length of a line. */
const around = 1
const maxLine = 120

const excerptOf = ({ lines: { lineStarts }, text }: File, line: number, column: number): string => {
  const from = Math.max(1, line - around)
  const to = Math.min(lineStarts.length, line + around)
  const width = String(to).length
  const shown: Array<string> = []
  for (let n = from; n <= to; n++) {
    const [content = ""] = text.slice(lineStarts[n - 1], lineStarts[n]).split("\n")
    shown.push(`${n === line ? ">" : " "} ${String(n).padStart(width)} | ${Excerpt.start(content, maxLine)}`.trimEnd())
    if (n === line && column <= maxLine) shown.push(`  ${" ".repeat(width)} | ${" ".repeat(column - 1)}^`)
  }
  return shown.join("\n")
}

/** Makes a fault at a location. */
export const at = (
  { file, offset }: Location,
  { fix, path, what, why }: { readonly path: string; readonly what: string; readonly why: string; readonly fix: string }
): DocumentFault => {
  const { col, line } = file.lines.linePos(offset)
  const [row, column] = [Math.max(1, line), Math.max(1, col)]
  return new DocumentFault({
    file: file.name,
    line: row,
    column,
    path,
    what,
    why,
    fix,
    excerpt: excerptOf(file, row, column)
  })
}

/** Makes the error of several faults, in the order of their locations. */
export const error = (faults: readonly [DocumentFault, ...ReadonlyArray<DocumentFault>]): DocumentError => {
  const files = [...new Set(faults.map(({ file }) => file))]
  const [first, ...rest] = faults.toSorted((one, other) =>
    files.indexOf(one.file) - files.indexOf(other.file) || one.line - other.line || one.column - other.column
  )
  return new DocumentError({ faults: [first ?? faults[0], ...rest] })
}
