/**
 * Where commands write: answers to standard output, everything else that a person reads to standard error when a program
 * reads the answers.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Whether a person sees what is written. */
  readonly isTerminal: boolean
  /** Whether it may be coloured. */
  readonly colours: boolean
  /** How many characters a line has. */
  readonly columns: number
  /** Text as it comes; the line may go on. */
  readonly text: (said: string) => Effect.Effect<void>
  /** Ends the line that is begun, if one is. */
  readonly endLine: Effect.Effect<void>
  /** Text on lines of its own. */
  readonly line: (said: string) => Effect.Effect<void>
  /** A remark beside the conversation, paler than it on a terminal. */
  readonly note: (said: string) => Effect.Effect<void>
  /** To standard error. */
  readonly complain: (said: string) => Effect.Effect<void>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Screen extends Context.Tag("coxswain/cli/Screen")<Screen, Service>() {}

/**
 * The text without what would move the cursor or colour the terminal: replies are written by models, and ids by users.
 *
 * @since 0.1.0
 * @category rendering
 */
export const plain = (said: string): string =>
  said.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, "")

/** The same characters as JSON and JavaScript write them inside a string, so that nothing of what was said is lost. */
export const escaped = (code: string): string =>
  code.replace(/[\u007f-\u009f\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The same in one line. */
export const oneLine = (said: string): string => plain(said.replace(/\s+/g, " "))

/**
 * A screen over two writers; it knows whether a line is begun, so that remarks get lines of their own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly isTerminal: boolean
  readonly colours: boolean
  /** Default 100. */
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

/**
 * The screen of this process. Colours only on a terminal, and not when `NO_COLOR` is set.
 *
 * @since 0.1.0
 * @category layers
 */
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

/**
 * What a program reads.
 *
 * @since 0.1.0
 * @category rendering
 */
export const json = (value: unknown): Effect.Effect<void, never, Screen> =>
  Effect.flatMap(Screen, ({ line }) => line(escaped(JSON.stringify(value, undefined, 2))))

/**
 * Columns of equal width, the first row as their names.
 *
 * @since 0.1.0
 * @category rendering
 */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => oneLine(row[column] ?? "").length)))
  return rows.map((row) => row.map((cell, column) => oneLine(cell).padEnd(widths[column] ?? 0)).join("  ").trimEnd())
    .join("\n")
}
