/**
 * How docstrings begin, and how often they say what is not. A sentence that begins with a question word, or turns on "nobody", is a
 * riddle to a reader who has English as a second language. Pure over texts, so the tests run it on a few lines.
 */

const first = /^(?:What|Who|Whom|Whose|Whoever|Whatever|Where|Those|Nothing|Nobody|Neither|None|That)\b/
const negation = /\b(?:nobody|nothing|neither|nowhere|none of|no one)\b/i

/** Of a hundred docstrings. */
const maxNegations = 1

export interface Docstring {
  readonly line: number
  readonly text: string
}

/** The docstrings of a source file that have words besides tags. */
export const docstringsOf = (source: string): ReadonlyArray<Docstring> =>
  Array.from(source.matchAll(/\/\*\*([\s\S]*?)\*\//g), ({ 1: body = "", index }) => ({
    line: source.slice(0, index).split("\n").length,
    text: body.replace(/^\s*\* ?/gm, "").trim()
  })).filter(({ text }) => text !== "")

export interface Finding {
  readonly file: string
  readonly line: number
  readonly what: string
}

/** Docstrings that begin with a question word or a negation; and all with a negation, if there are too many. */
export const check = (files: ReadonlyMap<string, string>): ReadonlyArray<Finding> => {
  const all = [...files].flatMap(([file, source]) => docstringsOf(source).map((one) => ({ ...one, file })))
  const begun = all.flatMap(({ file, line, text }) => {
    const word = first.exec(text)?.[0]
    return word === undefined ? [] : [{ file, line, what: `begins its docstring with "${word}"` }]
  })
  const negated = all.flatMap(({ file, line, text }) => {
    const word = negation.exec(text)?.[0]
    return word === undefined ? [] : [{ file, line, what: `says "${word}" in its docstring` }]
  })
  return negated.length * 100 > all.length * maxNegations ? [...begun, ...negated] : begun
}
