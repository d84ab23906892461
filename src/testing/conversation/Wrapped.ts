/** Wraps long lines of a transcript, so that the terminal does not wrap them. */

/** Longest line in characters that is not wrapped; slightly too long lines are easier to read unwrapped. */
const most = 110

/** Width of wrapped rows in characters, which fits every terminal. */
const narrow = 78

/**
 * Wraps a line into rows; rows after the first are indented by `indent` characters. A word longer than a row stays
 * whole.
 */
export const wrapped = (line: string, indent: number): ReadonlyArray<string> => {
  if (line.length <= most) return [line]
  const [first = "", ...words] = line.slice(indent).split(" ")
  const rows: Array<string> = []
  let row = `${line.slice(0, indent)}${first}`
  for (const word of words) {
    const longer = `${row} ${word}`
    if (longer.length <= narrow) row = longer
    else {
      rows.push(row)
      row = `${" ".repeat(indent)}${word}`
    }
  }
  return [...rows, row]
}
