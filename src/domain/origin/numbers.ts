/** Reads the numbers that a text states, in the notations of several languages. */
import { isBoundary, isWord } from "./characters.js"

/** A number in a text, with the values that it can mean; none if it is a part of something else. */
interface Stated {
  readonly values: ReadonlyArray<number>
  /** The digits and the signs between them, as ASCII characters. */
  readonly written: string
}

/** Returns the value of a decimal digit of any script. The digits of a script stand in a row, from 0 to 9. */
const digitOf = (char: string): number => {
  const code = char.codePointAt(0)!
  let zero = code
  while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--
  return (code - zero) % 10
}

const zeroOf = (char: string): number => char.codePointAt(0)! - digitOf(char)

/** Digits as ASCII characters; digits of several scripts in a row are no number. */
const inAscii = (digits: string): string => {
  const chars = Array.from(digits)
  return new Set(chars.map(zeroOf)).size > 1 ? "_".repeat(chars.length) : chars.map(digitOf).join("")
}

/**
 * Returns the text with the usual forms of digits, signs and white space. Characters such as `½` and `²` stay, because
 * their meaning depends on what is before them.
 */
const prepared = (text: string): string =>
  text.replace(/\P{No}+/gu, (run) => run.normalize("NFKC"))
    .replace(/[\u066b]/g, ".")
    .replace(/[\u066c]/g, ",")
    .replace(/[\u066a]/g, "%")
    .replace(/[\u2212\ufe63]/g, "-")
    .replaceAll("\u2019", "'")
    .replace(/\s+/gu, " ")
    .replace(/\p{Nd}+/gu, inAscii)
    // 5M are millions, and 5m can be metres, but not beside a currency.
    .replace(
      /(\d) ?(?:M(?![\p{L}\p{N}])|m(?= ?\p{Sc}))|(\p{Sc} ?\d[\d.,']*)m(?![\p{L}\p{N}])/gu,
      (_, big = "", money = "") => `${big}${money} million`
    )
    .toLowerCase()

/** Digits with signs between them, with spaces between thousands (`5 000`), or after a decimal sign (`.50`). */
const digitsIn = /(?<!\d ?)\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?! ?\d)|\d(?:[.,']*\d)*|(?<![\p{L}\p{N}\p{M}_.,])[.,]\d+/gu

/** A number with or without signs between thousands: `1,500.5`, and `1.500,5`. */
const english = /^(?:\d{1,3}(?:,\d{2,3})*,\d{3}|\d+)(?:\.\d+)?$/
const continental = /^(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/

/** Returns the numbers that digits can mean; none if a sign is not between thousands. */
const readings = (digits: string): ReadonlyArray<number> => {
  if (/^[.,]/.test(digits)) return [Number(`0.${digits.slice(1)}`)]
  const given = digits.replace(/[' ](?=\d{3}(?!\d))/g, "")
  const meant = [
    ...(english.test(given) ? [Number(given.replaceAll(",", ""))] : []),
    ...(continental.test(given) ? [Number(given.replaceAll(".", "").replace(",", "."))] : [])
  ]
  return meant.length === 0 && given.includes(",") ? given.split(",").flatMap(readings) : meant
}

/**
 * Matches a group of digits before or after another group, as in an account number: the other group is then only a part
 * of the number.
 */
const groupBefore = /\d{4}[ -]$/
const groupAfter = /^[ -]\d{4}/

/** True if digits are a group of a longer number. */
export const isGroup = (text: string, start: number, end: number): boolean =>
  groupBefore.test(text.slice(Math.max(0, start - 5), start)) || groupAfter.test(text.slice(end, end + 5))

const scaled = (factor: number, words: string): ReadonlyArray<readonly [word: string, factor: number]> =>
  words.split(" ").map((word) => [word, factor])

/** Words after a number that multiply it, in the languages of the library. */
const scales: ReadonlyMap<string, number> = new Map([
  ...scaled(1e2, "hundred hundert honderd 百"),
  ...scaled(
    1e3,
    "k thousand tsd tausend mille millier milliers mil mila duizend tys tysiąc tysiące tysięcy тыс тысяча тысячи тысяч тис тисяча " +
      "тисячі тисяч אלף אלפים ألف الف آلاف 千 천 tusen tusind tuhat tuhatta tisíc tisíce ezer χιλιάδες ribu nghìn ngàn हज़ार हजार"
  ),
  ...scaled(1e4, "万 萬 만"),
  ...scaled(1e5, "lakh lakhs लाख"),
  ...scaled(
    1e6,
    "million millions mio mln millionen millón millon millones milhão milhões milhao milhoes milione milioni miljoen milion " +
      "miliony milionów миллион миллиона миллионов млн мільйон мільйони мільйонів מיליון مليون ملايين miljon miljoner millioner " +
      "miljoonaa milionů millió εκατομμύρια milyon juta triệu"
  ),
  ...scaled(1e7, "crore crores करोड़ करोड"),
  ...scaled(1e8, "億 亿 억"),
  ...scaled(
    1e9,
    "billion billions bn mrd mld milliarde milliarden milliard milliards bilhão bilhões miliardo miliardi miljard miliard " +
      "miliardy миллиард миллиардов млрд мільярд מיליארד مليار miljarder milyar miliar tỷ"
  ),
  ...scaled(1e12, "trillion trillions tn 兆")
])

/** Words after a number that can mean something else, too: 5m are five million, or five metres. */
const ambiguous: ReadonlyMap<string, number> = new Map([
  ["m", 1e6],
  ["b", 1e9],
  ["조", 1e12],
  ...scaled(1e3, "bin grand")
])

const scaleWord = /^ ?([百千万萬億亿兆천만억조]|[\p{L}\p{M}]+\.?)/u

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹"

const exponentOf = (given: string): number =>
  Number(given.replace("⁻", "-").replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/gu, (char) => String(superscripts.indexOf(char))))

/** Returns the value of a character such as `½`; undefined for any other character. */
const vulgar = (char: string): number | undefined => {
  const [, top, bottom] = /^(\d+)\u2044(\d+)$/.exec(char.normalize("NFKC")) ?? []
  return top === undefined ? undefined : Number(top) / Number(bottom)
}

/** The values of a number after a part of the text that follows it, and the length of that part. */
interface Continued {
  readonly values: ReadonlyArray<number>
  readonly length: number
}

type Continuation = (values: ReadonlyArray<number>, rest: string) => Continued | undefined

const matching = (
  pattern: RegExp,
  change: (values: ReadonlyArray<number>, groups: ReadonlyArray<string>) => ReadonlyArray<number>
): Continuation =>
(values, rest) => {
  const found = pattern.exec(rest)
  return found === null ? undefined : { values: change(values, found), length: found[0].length }
}

const times = (values: ReadonlyArray<number>, factor: number) => values.map((one) => one * factor)

/** Written as text, because a power of ten such as `1e-322` is not exact. */
const raised = (values: ReadonlyArray<number>, power: number) => values.map((one) => Number(`${one}e${power}`))

/** Multiplies a number by the words of scale after it: `1.5 million`, `5k`, `3 mil millones`. */
const scale: Continuation = (values, rest) => {
  const [all, word = ""] = scaleWord.exec(rest) ?? []
  if (all === undefined) return undefined
  const name = word.replace(/\.$/, "")
  const unclear = ambiguous.get(name)
  if (unclear !== undefined) return { values: [...values, ...times(values, unclear)], length: all.length }
  const factor = scales.get(name)
  return factor === undefined ? undefined : { values: times(values, factor), length: all.length }
}

/** `1/2`, but not `1/2/2027`. */
const fraction = matching(
  /^[/\u2044\u2215](\d{1,9})(?![\p{L}\p{N}]|[/.-]\d)/u,
  (values, [, bottom]) => times(values, 1 / Number(bottom))
)

/** The notations that change the number before them, the longest first. */
const continuations: ReadonlyArray<Continuation> = [
  // 3e5
  matching(/^e([+-]?\d{1,3})(?![\p{L}\p{N}])/u, (values, [, power]) => raised(values, Number(power))),
  // 3×10⁵, 3*10^5
  matching(
    /^ ?[×x·*] ?10(?:\^(-?\d{1,3})|(⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))/u,
    (values, [, plain, above]) => raised(values, exponentOf(plain ?? above!))
  ),
  // 5½, 5 ½
  (values, rest) => {
    const [all, char] = /^ ?(\p{No})(?![\p{L}\p{N}])/u.exec(rest) ?? []
    const part = char === undefined ? undefined : vulgar(char)
    return part === undefined ? undefined : { values: values.map((one) => one + part), length: all!.length }
  },
  // 5 1/2
  matching(
    /^ (\d{1,2})[/\u2044\u2215](\d{1,3})(?![\p{L}\p{N}/.,-])/u,
    (values, [, top, bottom]) =>
      Number(top) < Number(bottom) ? values.map((one) => one + Number(top) / Number(bottom)) : []
  ),
  fraction,
  scale,
  matching(/^ ?%(?![\p{L}\p{N}])/u, (values) => [...values, ...times(values, 0.01)]),
  matching(/^ ?‰/u, (values) => [...values, ...times(values, 0.001)])
]

/** True if the number before the text is a part of something else: a power, a code, or a word. */
const isPart = (rest: string): boolean =>
  /^(?:\^|\*\*\d|[\p{No}\p{Nl}_]|(?!x\d)[\p{L}\p{M}]+\d|[百千万萬億亿兆천만억조]?\d)/u.test(rest)

/** Returns the factor of a minus or a dash before a number: 1 if it is a range such as `5-10`. */
const signed = (sign: string, ahead: string): 1 | -1 | undefined => {
  if (/^\p{Nd}$/u.test(ahead)) return 1
  // `A-1700` is a code, `Mon–Fri` has no number, and a dash alone may be a bullet or a minus.
  return sign === "-" && !isWord(ahead) ? -1 : undefined
}

/** The end of a text whose next number is a part of something else: `2**` is a power, but `**` emphasis. */
const joins = /(?:[@%^_\\\u2044\u2215]|\d\*\*)$/u

/** Returns the sign of the number that begins at a position; undefined if the number is a part of something else. */
const signOf = (text: string, start: number): 1 | -1 | undefined => {
  const [char = "", second = "", third = ""] = Array.from(text.slice(Math.max(0, start - 6), start)).toReversed()
  if (/^[-–—]$/u.test(char)) return signed(char, second)
  // The sign may stand before the currency: -$50.
  if (/^\p{Sc}$/u.test(char) && /^[-–—]$/u.test(second)) return signed(second, third)
  if (joins.test(`${third}${second}${char}`)) return undefined
  return isWord(char) && !isBoundary(text, start) ? undefined : 1
}

/** Longest notation after a number that is read. */
const longest = 40

/** Applies the notations after the digits at a position; returns the values, and the position after the notations. */
const continued = (text: string, start: number, from: number, digits: ReadonlyArray<number>) => {
  // The last part of a date is no denominator.
  const isAfterSlash = /\d\/$/.test(text.slice(Math.max(0, start - 2), start))
  const notations = isAfterSlash ? continuations.filter((one) => one !== fraction) : continuations
  let values = digits
  let end = from
  while (true) {
    const rest = text.slice(end, end + longest)
    const next = notations.map((one) => one(values, rest)).find((one) => one !== undefined)
    if (next === undefined) return { end, values: isPart(rest) ? [] : values }
    values = next.values
    end += next.length
  }
}

/** Returns the digits' own values; none for a group of a longer number, and for `0x1F`. */
const valuesAt = (text: string, written: string, start: number, end: number): ReadonlyArray<number> => {
  const isGrouped = !/^[.,]/.test(written) && isGroup(text, start, end)
  return isGrouped || (written === "0" && text[end] === "x") ? [] : readings(written)
}

/** Fractions without a number before them: `½`. */
const alone = /(?<![\p{L}\p{N}\p{M}\-–—]|\d )\p{No}(?![\p{L}\p{N}])/gu

/** Returns the numbers in a text. */
export const numbersIn = (text: string): ReadonlyArray<Stated> => {
  const plain = prepared(text)
  const found = Array.from(plain.matchAll(alone), ([char]): Stated => {
    const value = vulgar(char)
    return { values: value === undefined ? [] : [value], written: "" }
  })
  // A notation that belongs to a number may have digits of its own.
  let read = 0
  for (const { 0: written, index } of plain.matchAll(digitsIn)) {
    if (index < read) continue
    const sign = signOf(plain, index)
    const after = index + written.length
    const digits = sign === undefined ? [] : valuesAt(plain, written, index, after)
    const { end, values } = continued(plain, index, after, digits)
    read = end
    const whole = end === after ? `${sign === -1 ? "-" : ""}${written}` : ""
    if (values.length > 0) found.push({ values: times(values, sign ?? 1), written: whole })
  }
  return found
}
