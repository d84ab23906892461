/**
 * Long lines of a transcript, broken so that a terminal does not break them anywhere.
 *
 * @since 0.1.0
 */

/** A line that is a little too long for a narrow terminal reads better whole. */
const most = 110

/** What is broken fits every terminal. */
const narrow = 78

/** The rows of a line, of which further ones begin `indent` characters in; a word that is longer than a row stays whole. */
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
