/**
 * The parser's help as it is shown: broken at words, and with the whole names of commands.
 *
 * @since 0.2.0
 */

/** No line of help is longer, however wide the terminal is. */
const widest = 100

const colour = /\x1b\[[0-9;]*m/g

/** The text without colours. */
export const bare = (text: string): string => text.replace(colour, "")

/** A line broken at words; what does not fit is indented by `indent` on the next one. */
export const folded = (line: string, columns: number, indent: number): string => {
  const width = Math.min(columns, widest)
  const [, before = "", said = ""] = /^(\s*)(.*)$/s.exec(line) ?? []
  const lines = [before]
  for (const word of said.split(" ")) {
    const now = lines.at(-1)!
    const isFirst = now.trim() === ""
    if (!isFirst && bare(`${now} ${word}`).length > width) lines.push(" ".repeat(indent) + word)
    else lines[lines.length - 1] = isFirst ? now + word : `${now} ${word}`
  }
  return lines.join("\n")
}

/** The command of a usage by its whole name: the words that were typed up to it. */
const wholeName = (usage: string, words: ReadonlyArray<string>): string => {
  const [name = "", ...rest] = usage.split(" ")
  return ["coxswain", ...words.slice(0, words.indexOf(name) + 1), ...rest].join(" ")
}

/**
 * The help of a command for a screen of `columns`; `args` is what was typed after `coxswain`. What is no help stays as it is.
 */
export const shown = (text: string, args: ReadonlyArray<string>, columns: number): string => {
  if (!bare(text).includes("\nUSAGE\n")) return text
  return text.split("\n").map((line) => {
    if (line.startsWith("$ ")) return folded(`$ ${wholeName(line.slice(2), args)}`, columns, 4)
    if (!line.startsWith("  - ")) return folded(line, columns, line.search(/\S|$/))
    const gap = line.indexOf("  ", 4)
    const [below, says] = gap < 0 ? [line.slice(4), ""] : [line.slice(4, gap), line.slice(gap).trimStart()]
    const command = `  ${["coxswain", ...args.filter((arg) => !arg.startsWith("-")), below].join(" ")}`
    return `${folded(command, columns, 6)}\n${folded(`    ${says}`, columns, 4)}`
  }).join("\n")
}
