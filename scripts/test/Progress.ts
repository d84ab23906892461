/** One line that says how far something is: it moves on a terminal, and is printed once a minute in a log. */

export interface Progress {
  /** Removes the line from a terminal, before something else is printed. */
  readonly clear: () => void
  /** Draws it anew on a terminal. */
  readonly draw: () => void
  /** Removes it for good. */
  readonly end: () => void
}

export interface Output {
  /** Whether the line moves. */
  readonly isTTY?: boolean
  readonly columns?: number
  readonly write: (text: string) => unknown
}

/** The output of this process. In continuous integration, even a terminal is read as a log. */
const terminal: Output = {
  isTTY: process.stdout.isTTY && process.env.CI === undefined,
  columns: process.stdout.columns,
  write: (text) => process.stdout.write(text)
}

/** `line` is called each time that the line is drawn. `every` is how often a log has it, in milliseconds. */
export const begin = (line: () => string, out: Output = terminal, every = 60_000): Progress => {
  const isMoving = out.isTTY === true
  const clear = () => void (isMoving && out.write("\r\x1b[K"))
  const draw = () => {
    clear()
    out.write(isMoving ? line().slice(0, (out.columns || 80) - 1) : `${line()}\n`)
  }
  const timer = setInterval(draw, isMoving ? 1_000 : every).unref()
  return {
    clear,
    draw: () => void (isMoving && draw()),
    end: () => {
      clearInterval(timer)
      clear()
    }
  }
}

/** The time since it was made, as "34 s" or "3 min 20 s". */
export const stopwatch = (): () => string => {
  const start = performance.now()
  return () => {
    const seconds = Math.round((performance.now() - start) / 1_000)
    return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  }
}
