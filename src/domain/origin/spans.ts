/** Finds a value in a text: equal or normalised, and only as a whole word, number or address. */
import * as Memo from "../base/Memo.js"
import { charAt, isBoundary, isWord, unspaced } from "./characters.js"
import { isGroup, numbersIn } from "./numbers.js"

/** A text in which values are searched. */
export interface Text {
  readonly raw: string
  /** The text in lower case, with normalised width and white space. */
  readonly plain: string
}

/**
 * The position of a value in the raw text: from the character `from`, up to but not including the character `to`. Empty
 * if the raw text has the value in another form.
 */
export interface Span {
  readonly from?: number
  readonly to?: number
}

const folded = (text: string): string => text.toLowerCase().replace(/\s+/gu, " ").trim()

/**
 * The text in lower case, with normalised width, white space and apostrophes: phones write `’` for `'`. Characters such as
 * `²` and `½` stay: with their usual digits, `10²` would be 102.
 */
const normalised = (text: string): string =>
  folded(text.replace(/\P{No}+/gu, (run) => run.normalize("NFKC")).replaceAll("\u2019", "'"))

/**
 * The text of a value, in lower case and with normalised white space. A value with compatibility characters, such as
 * full width letters, is another value for its receiver than the same text in plain letters.
 */
const plainOf = (value: string): string => folded(value.normalize("NFC"))

export const textOf = (raw: string): Text => ({ raw, plain: normalised(raw) })

const joins = new Set([".", ",", "@", "-", "+", "/", ":", "&", "%", "="])
/** Other characters that can be part of an address. */
const addressJoins = new Set([...joins, ..."!#$'*?^`{|}~\u2019"])

/** True if digits at the position are the decimals of a number without digits before its sign: `.50`. */
const isAfterDecimal = (text: string, start: number): boolean =>
  /\d/.test(charAt(text, start)) && /[.,]/.test(charAt(text, start - 1)) && !/[\p{L}.,]/u.test(charAt(text, start - 2))

/**
 * True if no character next to the value is a continuation of the value. A sign such as `.` continues it if a letter or
 * digit follows: `b@x.org` is not in `a.b@x.org`, and is in "write to b@x.org." Several signs in a row continue an
 * address.
 */
const isWhole = (text: string, start: number, end: number): boolean => {
  const value = text.slice(start, end)
  const isAddress = value.includes("@")
  const continues = (at: number, away: 1 | -1): boolean => {
    let next = at
    if (isAddress) { while (addressJoins.has(text[next] ?? "")) next += away }
    else if (joins.has(text[next] ?? "")) next += away
    return isWord(charAt(text, next))
  }
  const isJoined = Array.from(value).some((char) => joins.has(char))
  const separates = (at: number, own: string): boolean => isBoundary(text, at) && !(isJoined && unspaced.test(own))
  const isEdge = (!continues(start - 1, -1) && !isAfterDecimal(text, start)) || separates(start, charAt(value, 0))
  const isEnd = !continues(end, 1) || separates(end, charAt(value, value.length - 1))
  return isEdge && isEnd && !(isDigits(value) && isGroup(text, start, end))
}

const wholeIn = (text: string, value: string): number => {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (isWhole(text, at, at + value.length)) return at
  }
  return -1
}

/** Numbers of accounts, phones and orders, which are written with and without separators. */
const numbered = /^[\p{L}\p{N}][\p{L}\p{N} \-/()+]*$/u
/** An international phone number: its digits are the number, however they are separated. */
const phone = /^\+\d[\d \-/()]*$/
const separators = /[ \-/()+]/g

const isDigits = (value: string): boolean => /^[\d \-]+$/.test(value)

/**
 * Returns the value without separators if it is the number of an account, a phone or an order, with at least four
 * digits.
 */
const solidOf = (plain: string): string | undefined =>
  (phone.test(plain) || numbered.test(plain)) && plain.replace(/\P{Nd}/gu, "").length >= 4
    ? plain.replace(separators, "")
    : undefined

/** True if the text has the number with separators: `DE89 3704` for `de893704`. */
const isSpaced = ({ plain }: Text, solid: string): boolean => {
  const tokens = plain.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]+/gu) ?? []
  return tokens.some((_, first) => {
    let joined = ""
    for (let i = first; i < tokens.length && solid.startsWith(joined); i++) {
      const token = tokens[i]!
      if (isWord(charAt(token, 0))) joined += token
      else if (i === first || token.length > 2 || token.replace(separators, "") !== "") return false
      if (joined === solid) {
        const start = tokens.slice(0, first).join("").length
        const end = start + tokens.slice(first, i + 1).join("").length
        return isWhole(plain, start, end) && !isGroup(plain, start, end)
      }
    }
    return false
  })
}

const numbers = Memo.weak(({ raw }: Text) => numbersIn(raw))

/** Numbers of a text and of a value can differ by the error of a multiplication. */
const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b))

/** True if a text states the number: `1,500` and `1.500,00` state 1500, `5k` states 5000. */
const states = (text: Text, wanted: number): boolean =>
  numbers(text).some(({ values }) => values.some((one) => isNear(one, wanted)))

/** A text that is a number; with zeros in front it is not the same number, but a code. */
const numeric = /^-?(?:0|[1-9]\d{0,14})?(?:(?<=\d)\.\d{1,6}|(?<!\d)\.\d{1,6})?$/

/** True if a text of digits is written in the text, or the text states its number. */
const isCounted = (text: Text, plain: string): boolean =>
  numbers(text).some(({ values, written }) =>
    written === plain ||
    (numeric.test(plain) && !/^-?0\d/.test(written) && values.some((one) => isNear(one, Number(plain))))
  )

const spanIn = ({ raw }: Text, value: string): Span => {
  const from = raw.indexOf(value)
  return from < 0 ? {} : { from, to: from + value.length }
}

/** True if the text has a value, given as `plain`, in another form. */
const isRewritten = (text: Text, plain: string): boolean => {
  const solid = solidOf(plain)
  if (solid === undefined) return false
  const isSolid = solid === plain
  return (!isSolid && wholeIn(text.plain, solid) >= 0) || ((isSolid || phone.test(plain)) && isSpaced(text, solid))
}

/** Returns the position of the value in the text; undefined if the text does not contain the value. */
export const find = (text: Text, value: string | number): Span | undefined => {
  if (typeof value === "number") return states(text, value) ? spanIn(text, String(value)) : undefined
  const plain = plainOf(value)
  // A sign such as `*` means something else in each text.
  if (!/[\p{L}\p{N}]/u.test(plain)) return undefined
  if (plain !== normalised(value)) return wholeIn(text.raw, value) >= 0 ? spanIn(text, value) : undefined
  const isFound = /^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(plain) ? isCounted(text, plain) : wholeIn(text.plain, plain) >= 0
  if (isFound) return spanIn(text, value)
  return isRewritten(text, plain) ? {} : undefined
}

/** True if a value is a form of a known value. */
export const isSame = (value: string | number, known: string | number): boolean =>
  value === known || plainOf(String(value)) === normalised(String(known))

/** True if a text contains a known value, even inside a word. */
export const contains = ({ plain }: Text, known: string): boolean => {
  const part = normalised(known)
  return part !== "" && plain.includes(part)
}
