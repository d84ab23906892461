/** Formats the parser's help: wraps lines at words, and shows the whole names of commands. */

/** Maximum length of a line of help, also on wider terminals. */
const widest = 100

const colour = /\x1b\[[0-9;]*m/g

/** Removes colours from a text. */
export const bare = (text: string): string => text.replace(colour, "")

/** Wraps a line at words; further lines are indented by `indent`. */
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

/** Completes the command name in a usage: adds the words typed before it. */
const wholeName = (usage: string, words: ReadonlyArray<string>): string => {
  const [name = "", ...rest] = usage.split(" ")
  return ["coxswain", ...words.slice(0, words.indexOf(name) + 1), ...rest].join(" ")
}

/** Says after a missing argument how to see what the command takes; another complaint of the parser is returned unchanged. */
export const complaint = (text: string, args: ReadonlyArray<string>): string => {
  if (!bare(text).trimStart().startsWith("Missing argument")) return text
  const first = args.findIndex((arg) => arg.startsWith("-"))
  const words = first < 0 ? args : args.slice(0, first)
  return `${text.trimEnd()}\n${["coxswain", ...words].join(" ")} --help says what it takes.`
}

/** Sentences of the parser that the usage says already: the type of a value, and that it is optional. */
const said =
  /^\s+(?:A user-defined piece of text\.|A true or false value\.|An integer\.|A floating point number\.|This setting is optional\.)$/

/** Leaves out what the usage says, so that the description of an argument or option stands right below its name. */
const concise = (text: string): ReadonlyArray<string> => {
  const lines = text.replace(/^.*\n\n(?=.*\d\.\d)/, "").split("\n").filter((line) => !said.test(bare(line)))
  const isDescription = (line = "") => line.startsWith("  ") && !line.startsWith("  - ")
  return lines.filter((line, index) => {
    const next = lines.slice(index + 1).find((one) => bare(one).trim() !== "")
    const isBlank = bare(line).trim() === ""
    return !isBlank || (lines[index + 1] !== "" && !isDescription(next))
  })
}

/**
 * Formats the parser's help of a command for a screen of `columns`; `args` are the words typed after `coxswain`. A text
 * that is not help is returned unchanged.
 */
export const shown = (text: string, args: ReadonlyArray<string>, columns: number): string => {
  if (!bare(text).includes("\nUSAGE\n")) return text
  return concise(text).map((line) => {
    if (line.startsWith("$ ")) return folded(`$ ${wholeName(line.slice(2), args)}`, columns, 4)
    if (!line.startsWith("  - ")) return folded(line, columns, line.search(/\S|$/))
    const gap = line.indexOf("  ", 4)
    const [below, says] = gap < 0 ? [line.slice(4), ""] : [line.slice(4, gap), line.slice(gap).trimStart()]
    const command = `  ${["coxswain", ...args.filter((arg) => !arg.startsWith("-")), below].join(" ")}`
    return `${folded(command, columns, 6)}\n${folded(`    ${says}`, columns, 4)}`
  }).join("\n")
}
