/** The output of commands: results go to standard output, errors to standard error. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface Service {
  /** True if the output is a terminal. */
  readonly isTerminal: boolean
  /** True if the output may have colours. */
  readonly colours: boolean
  /** Characters per line. */
  readonly columns: number
  /** Writes text without ending the line. */
  readonly text: (said: string) => Effect.Effect<void>
  /** Ends the current line, if it has text. */
  readonly endLine: Effect.Effect<void>
  /** Writes text on its own lines. */
  readonly line: (said: string) => Effect.Effect<void>
  /** Writes a remark beside the conversation, dimmed on a terminal. */
  readonly note: (said: string) => Effect.Effect<void>
  /** Writes to standard error. */
  readonly complain: (said: string) => Effect.Effect<void>
}

export class Screen extends Context.Tag("coxswain/cli/Screen")<Screen, Service>() {}

/**
 * Removes characters that move the cursor or colour the terminal, because replies come from models, and ids from users.
 */
const plain = (said: string): string =>
  said.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, "")

/**
 * Escapes the control characters and line separators that `JSON.stringify` leaves as they are, because the screen
 * removes them otherwise.
 */
export const escaped = (code: string): string =>
  code.replace(/[\u007f-\u009f\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Like `plain`, in one line. */
export const oneLine = (said: string): string => plain(said.replace(/\s+/g, " "))

/** Makes a screen from two writers. It tracks whether a line has begun, so that remarks get lines of their own. */
export const make = (options: {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly isTerminal: boolean
  readonly colours: boolean
  /** Characters per line. Default 100. */
  readonly columns?: number | undefined
}): Service => {
  let begun = false
  const write = (said: string) => {
    if (said === "") return
    options.out(said)
    begun = !said.endsWith("\n")
  }
  const endLine = () => {
    if (begun) write("\n")
  }
  return {
    isTerminal: options.isTerminal,
    colours: options.colours,
    columns: options.columns ?? 100,
    text: (said) => Effect.sync(() => write(plain(said))),
    endLine: Effect.sync(endLine),
    line: (said) =>
      Effect.sync(() => {
        endLine()
        write(`${plain(said)}\n`)
      }),
    note: (said) =>
      Effect.sync(() => {
        endLine()
        const lines = plain(said).split("\n").map((line) => `  ${line}`).join("\n")
        write(options.colours ? `\x1b[2m${lines}\x1b[0m\n` : `${lines}\n`)
      }),
    complain: (said) =>
      Effect.sync(() => {
        endLine()
        options.err(`${plain(said)}\n`)
      })
  }
}

/** The screen of this process. It uses colours on a terminal, unless `NO_COLOR` is set. */
export const layer: Layer.Layer<Screen> = Layer.sync(Screen, () => {
  const isTerminal = process.stdout.isTTY === true
  return make({
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal,
    columns: process.stdout.columns,
    colours: isTerminal && !process.env["NO_COLOR"]
  })
})

/** Writes to the screen of the command. */
export const { complain, line, note } = Effect.serviceFunctions(Screen)

/** Writes JSON for a program to read. */
export const json = (value: unknown): Effect.Effect<void, never, Screen> =>
  line(escaped(JSON.stringify(value, undefined, 2)))

/** Formats a table with aligned columns. The first row has the names of the columns. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => oneLine(row[column] ?? "").length)))
  return rows.map((row) => row.map((cell, column) => oneLine(cell).padEnd(widths[column] ?? 0)).join("  ").trimEnd())
    .join("\n")
}
