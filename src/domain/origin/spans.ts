/** Finds a value in a text: equal or normalised, and only as a whole word, number or address. */

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

/** The text in lower case, with normalised width, white space and apostrophes: phones write `’` for `'`. */
const normalised = (text: string): string => folded(text.normalize("NFKC").replaceAll("\u2019", "'"))

/**
 * The text of a value, in lower case and with normalised white space. A value with compatibility characters, such as
 * full width letters, is another value for its receiver than the same text in plain letters.
 */
const plainOf = (value: string): string => folded(value.normalize("NFC"))

export const textOf = (raw: string): Text => ({ raw, plain: normalised(raw) })

const wordly = /^[\p{L}\p{N}\p{M}_]$/u
const joins = new Set([".", ",", "@", "-", "+", "/", ":", "&", "%", "="])
/** Other characters that can be part of an address. */
const addressJoins = new Set([...joins, ..."!#$'*?^`{|}~\u2019"])

const isWord = (char: string): boolean => wordly.test(char)

/** Returns the character at a position, of which the position may be the second half; empty outside of the text. */
const charAt = (text: string, at: number): string => {
  const isSecondHalf = /^[\udc00-\udfff]$/.test(text[at] ?? "")
  const code = text.codePointAt(isSecondHalf ? Math.max(0, at - 1) : at)
  return code === undefined ? "" : String.fromCodePoint(code)
}

/** Letters of scripts without spaces between words. */
const unspaced = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]$/u

/** True if a word can end at the position without a sign after it, as in scripts without spaces. */
const isBoundary = (text: string, at: number): boolean => {
  const sides = [charAt(text, at - 1), charAt(text, at)]
  return sides.every(isWord) && sides.some((side) => unspaced.test(side)) &&
    new Intl.Segmenter(undefined, { granularity: "word" }).segment(text).containing(at)?.index === at
}

/**
 * Matches a group of digits before or after another group, as in an account number: the other group is then only a part
 * of the number.
 */
const groupBefore = /\d{4}[ -]$/
const groupAfter = /^[ -]\d{4}/

const isGroup = (text: string, start: number, end: number): boolean =>
  groupBefore.test(text.slice(Math.max(0, start - 5), start)) || groupAfter.test(text.slice(end, end + 5))

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
  const isEdge = !continues(start - 1, -1) || separates(start, charAt(value, 0))
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
        return !isGroup(plain, start, start + tokens.slice(first, i + 1).join("").length)
      }
    }
    return false
  })
}

/** Digits with signs between them, or with spaces between thousands: `5 000`. */
const amount = /(?<!\d ?)\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?! ?\d)|\d(?:[.,']*\d)*/g
/** A number with or without signs between thousands: `1,500.5`, and `1.500,5`. */
const english = /^(?:\d{1,3}(?:,\d{2,3})*,\d{3}|\d+)(?:\.\d+)?$/
const continental = /^(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/

/** Returns the numbers that digits can mean; none if a sign is not between thousands. */
const readings = (digits: string): ReadonlyArray<number> => {
  const given = digits.replace(/[' ](?=\d{3}(?!\d))/g, "")
  const meant = [
    ...(english.test(given) ? [Number(given.replaceAll(",", ""))] : []),
    ...(continental.test(given) ? [Number(given.replaceAll(".", "").replace(",", "."))] : [])
  ]
  return meant.length === 0 && given.includes(",") ? given.split(",").flatMap(readings) : meant
}

/** True if a text states the number: `1,500` and `1.500,00` state 1500. */
const states = ({ plain }: Text, wanted: number): boolean => {
  for (const { 0: digits, index } of plain.matchAll(amount)) {
    const end = index + digits.length
    const before = charAt(plain, index - 1)
    if (before === "@" || (isWord(before) && !isBoundary(plain, index)) || isGroup(plain, index, end)) continue
    const sign = before === "-" && !isWord(charAt(plain, index - 2)) ? -1 : 1
    if (readings(digits).some((one) => sign * one === wanted)) return true
  }
  return false
}

const spanIn = ({ raw }: Text, value: string): Span => {
  const from = raw.indexOf(value)
  return from < 0 ? {} : { from, to: from + value.length }
}

/** True if the text has a value, given as `plain`, in another form. */
const isRewritten = (text: Text, plain: string): boolean => {
  if (/^\d{1,15}(?:\.\d{1,6})?$/.test(plain) && states(text, Number(plain))) return true
  const solid = solidOf(plain)
  if (solid === undefined) return false
  const isSolid = solid === plain
  return (!isSolid && wholeIn(text.plain, solid) >= 0) || ((isSolid || phone.test(plain)) && isSpaced(text, solid))
}

/** Returns the position of the value in the text; undefined if the text does not contain the value. */
export const find = (text: Text, value: string | number): Span | undefined => {
  if (typeof value === "number") return states(text, value) ? spanIn(text, String(value)) : undefined
  const plain = plainOf(value)
  const isRaw = plain !== normalised(value)
  if (plain === "") return undefined
  if (wholeIn(isRaw ? text.raw : text.plain, isRaw ? value : plain) >= 0) return spanIn(text, value)
  return !isRaw && isRewritten(text, plain) ? {} : undefined
}

/** True if a value is a form of a known value. */
export const isSame = (value: string | number, known: string | number): boolean =>
  value === known || plainOf(String(value)) === normalised(String(known))

/** True if a text contains a known value, even inside a word. */
export const contains = ({ plain }: Text, known: string): boolean => {
  const part = normalised(known)
  return part !== "" && plain.includes(part)
}
