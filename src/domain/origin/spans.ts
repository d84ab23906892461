/** Finds a value in a text: equal or normalised, and only as a whole word, number or address. */

/** A text in which values are searched. */
export interface Text {
  readonly raw: string
  /** The text in lower case, with normalised width and white space. */
  readonly plain: string
}

/**
 * The position of a value in the raw text: from the character `from`, up to and without the character `to`. Empty if the
 * raw text writes the value in another form.
 */
export interface Span {
  readonly from?: number
  readonly to?: number
}

const normalised = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim()

export const textOf = (raw: string): Text => ({ raw, plain: normalised(raw) })

const alphanumeric = /^[\p{L}\p{N}_]$/u
const joins = new Set([".", ",", "@", "-", "+", "/", ":", "&", "%", "="])

const isWord = (char: string | undefined): boolean => char !== undefined && alphanumeric.test(char)

/**
 * True if no character next to the value continues it. A sign such as `.` continues it if a letter or digit follows:
 * `b@x.org` is not in `a.b@x.org`, and is in "write to b@x.org."
 */
const isWhole = (text: string, start: number, end: number): boolean => {
  const continues = (at: number, away: 1 | -1): boolean => {
    const next = text[at]
    return isWord(next) || (next !== undefined && joins.has(next) && isWord(text[at + away]))
  }
  return !continues(start - 1, -1) && !continues(end, 1)
}

const wholeIn = (text: string, value: string): number => {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (isWhole(text, at, at + value.length)) return at
  }
  return -1
}

/** Numbers of accounts, phones and orders, which are written with and without separators. */
const numbered = /^[\p{L}\p{N}][\p{L}\p{N} \-/()+]*$/u
const separators = /[ \-/()+]/g

/**
 * Returns the value without separators if it is the number of an account, a phone or an order, with at least four
 * digits.
 */
const solidOf = (plain: string): string | undefined =>
  numbered.test(plain) && plain.replace(/\P{Nd}/gu, "").length >= 4 ? plain.replace(separators, "") : undefined

/** True if the text writes the solid value with separators: `DE89 3704` for `de893704`. */
const isSpaced = ({ plain }: Text, solid: string): boolean => {
  const tokens = plain.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]+/gu) ?? []
  return tokens.some((_, first) => {
    let joined = ""
    for (let i = first; i < tokens.length && solid.startsWith(joined); i++) {
      const token = tokens[i]!
      if (isWord(token[0])) joined += token
      else if (i === first || token.length > 2 || token.replace(separators, "") !== "") return false
      if (joined === solid) return true
    }
    return false
  })
}

/** The part from the first digit to the last one, without apostrophes; empty without a digit. */
const numeral = (text: string): string => (/\d(?:[.,']*\d)*/.exec(text)?.[0] ?? "").replaceAll("'", "")

/** True if a text states the number: `1,500` and `1.500,00` state 1500. */
const states = ({ plain }: Text, wanted: number): boolean => {
  for (const { 0: digits, index } of plain.matchAll(/[\d.,']+/g)) {
    const before = plain[index - 1]
    if (before === "@" || (isWord(before) && !/^\p{Nd}$/u.test(before!))) continue
    const given = numeral(digits)
    if (given === "") continue
    const sign = before === "-" && !isWord(plain[index - 2]) ? -1 : 1
    const readings = [given.replaceAll(",", ""), given.replaceAll(".", "").replaceAll(",", ".")]
    if (readings.some((one) => sign * Number(one) === wanted)) return true
  }
  return false
}

const spanIn = ({ raw }: Text, value: string): Span => {
  const from = raw.indexOf(value)
  return from < 0 ? {} : { from, to: from + value.length }
}

/** Returns the position of the value in the text; undefined if the text does not contain the value. */
export const find = (text: Text, value: string | number): Span | undefined => {
  if (typeof value === "number") return states(text, value) ? spanIn(text, String(value)) : undefined
  const plain = normalised(value)
  if (plain === "") return undefined
  if (wholeIn(text.plain, plain) >= 0) return spanIn(text, value)
  if (/^\d{1,15}(?:\.\d{1,6})?$/.test(plain) && states(text, Number(plain))) return {}
  const solid = solidOf(plain)
  if (solid === undefined) return undefined
  const isFound = solid === plain ? isSpaced(text, solid) : wholeIn(text.plain, solid) >= 0
  return isFound ? {} : undefined
}

/** True if both are forms of the same value. */
export const isSame = (a: string | number, b: string | number): boolean =>
  normalised(String(a)) === normalised(String(b))
