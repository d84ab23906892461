/** Draws what a terminal program prints as an SVG. */

const columns = 96
const lineHeight = 19
const charWidth = 8.1
const margin = 18

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Breaks a line at words, so that it fits the width; what follows is indented as the line is. */
const wrapped = (line: string): ReadonlyArray<string> => {
  if (line.length <= columns) return [line]
  const at = line.lastIndexOf(" ", columns)
  const indent = /^ */.exec(line)![0]
  return at <= indent.length
    ? [line.slice(0, columns), ...wrapped(indent + line.slice(columns))]
    : [line.slice(0, at), ...wrapped(indent + line.slice(at + 1))]
}

/** The user types behind a prompt; the program's notes are indented; all else is an answer. */
const colourOf = (line: string): string =>
  line.startsWith("> ") ? "#7ee787" : line.startsWith("  ") ? "#8b949e" : "#e6edf3"

/** A picture of a terminal with `title` above what was printed. */
export const terminal = (title: string, printed: string): string => {
  const lines = printed.trimEnd().split("\n").flatMap((line) =>
    wrapped(line).map((text) => ({ text, colour: colourOf(line) }))
  )
  const width = Math.ceil(columns * charWidth + 2 * margin)
  const top = 40
  const height = top + lines.length * lineHeight + margin
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`,
    " font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"13.5\">",
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    `<text x="${width / 2}" y="24" fill="#8b949e" text-anchor="middle">${escape(title)}</text>`,
    ...lines.map(({ colour, text }, index) =>
      `<text x="${margin}" y="${top + (index + 1) * lineHeight - 5}" fill="${colour}" xml:space="preserve">${
        escape(text)
      }</text>`
    ),
    "</svg>",
    ""
  ].join("\n")
}
