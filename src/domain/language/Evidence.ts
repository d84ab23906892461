/** Whether words of a message are evidence for a value: they stand in the message, and can mean the value. */

/** Digits of any script: Unicode has them in runs of ten. */
const digitOf = (char: string): string => {
  const at = char.codePointAt(0)!
  let value = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(at - value - 1))) value++
  return String(value % 10)
}

/** Writes the numbers of a text with ASCII digits and separators. */
const western = (text: string): string =>
  text.normalize("NFKC").replace(/(?![0-9])\p{Nd}/gu, digitOf).replaceAll("٫", ".").replaceAll("٬", ",")

/** Accents and points. Not the vowel signs and voicing marks of other scripts, which make other words. */
const accents = /(?![\u3099\u309a])(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu

/** A separator of thousands: "1.200". */
const thousands = /(?<=(?<!\d)\d{1,3})[.,'’](?=\d{3}(?!\d))/g

/**
 * Writes a text in normal form: without case, accents, invisible characters and punctuation, with ASCII digits and one
 * space between words.
 */
export const normal = (text: string): string =>
  western(text).replace(thousands, "").normalize("NFKD").replace(accents, "").replace(/\p{Cf}+/gu, "")
    .toUpperCase().toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim()

/** A word of these scripts begins behind a space; in others, words are joined, or begin with prefixes. */
const spaced = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]$/u

/** Number of letters with which words may end in the middle of a word, as in compounds and inflected words. */
const stem = 4

/** True if words between two texts begin with the beginning of a word, are no short beginning of it, and have whole numbers. */
const isWhole = (before: string, words: string, after: string): boolean => {
  const goesOn = (one: string, other: string) =>
    (spaced.test(one) && spaced.test(other.slice(0, 1))) || (/\d$/.test(one) && /^\d/.test(other))
  const isCut = goesOn(words, after)
  return !goesOn(before, words) && !(isCut && (words.length < stem || /\d$/.test(words)))
}

/** Returns how often the words stand in the text. Both are in normal form. */
const countIn = (text: string, words: string): number => {
  let count = 0
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const end = at + words.length
    if (isWhole(text.slice(Math.max(0, at - 2), at), words, text.slice(end, end + 1))) count++
  }
  return count
}

/** Returns how often the words stand in the message, at least once. */
export const mentions = (message: string, words: string): number =>
  Math.max(1, normal(words) === "" ? 1 : countIn(normal(message), normal(words)))

/** Words may be quoted from several places of a message: "two … from Friday". */
const pieces = /\.{3}|[…,;/|\n]/u

/** True if signs, such as an emoji, stand in the message. Punctuation states something only as the whole message. */
const standAsSigns = (message: string, signs: string): boolean =>
  signs !== "" && !/\p{Cs}/u.test(signs) &&
  (/[\p{S}\p{Extended_Pictographic}]/u.test(signs) ? message.includes(signs) : message.trim() === signs)

/** True if the words stand in the message, whatever their case, accents and punctuation. */
export const standsIn = (message: string, words: string): boolean => {
  const text = normal(message)
  const whole = normal(words)
  if (whole === "") return standAsSigns(message, words.trim())
  if (countIn(text, whole) > 0) return true
  const parts = words.split(pieces).map(normal).filter((part) => part !== "")
  return parts.length > 1 && parts.every((part) => countIn(text, part) > 0)
}

/** True if the words have one that is not among the others. */
export const saysMore = (words: string, others: ReadonlyArray<string>): boolean => {
  const said = new Set(others.flatMap((one) => normal(one).split(" ")))
  return normal(words).split(" ").some((word) => !said.has(word))
}

/** A number in digits, with signs beside it, such as those of currency or percent, and nothing else. */
const bareNumber = /^[^\p{L}\p{N}]*(\d+(?:[.,'\u00a0\u202f ]\d+)*)[^\p{L}\p{N}]*$/u

const separator = /[.,'\u00a0\u202f ]/g

/** The numbers that digits can mean: a comma or a point separates thousands, or the decimals at the end. */
const numbersOf = (digits: string): ReadonlyArray<number> => {
  const last = digits.search(/[.,]\d+$/)
  const whole = Number(digits.replace(separator, ""))
  return last < 0
    ? [whole]
    : [whole, Number(`${digits.slice(0, last).replace(separator, "")}.${digits.slice(last + 1)}`)]
}

/** A number or a code as text, such as a phone number, a zip code or the number of an order. */
const code = /^\+?\d[\d \u00a0-]{2,}$|^(?=(?:\D*\d){3})\p{L}[\p{L}\d]*(?:[-_/.][\p{L}\d]+)*$/u

const digitsOf = (text: string): string => text.replace(/\D/g, "")

/** True if the words have these digits, in whole numbers at the end: "+44 20 7946 0018" has those of "02079460018". */
const hasDigits = (words: string, digits: string): boolean =>
  new RegExp(`${Array.from(digits).join("\\D*")}(?!\\d)`).test(words)

/** A day, a month, a week or a quarter. */
const day = /^(\d{4})-(?:\d{2}|W\d{2}|Q\d)(?!\d)/

/** A year, a month or a day in digits only, which words such as "tomorrow" can mean. */
const compactDay = /^(?:19|20)\d{2}(?:\d{2}){0,2}$/

/** Lower bound of the letters with which one digit is spelled. Zeros at the end may have none: "thousand". */
const lettersOfDigit = 2

/** Number of digits without the zeros at the end. */
const spelledDigits = (digits: string): number => Array.from(digits).findLastIndex((digit) => digit !== "0") + 1

/** True if the words are long enough to spell the digits: in scripts with letters, digits take more letters than themselves. */
const canSpell = (words: string, digits: string): boolean => {
  const letters = words.replace(/\P{L}/gu, "")
  return letters !== "" && !spaced.test(letters) || letters.length >= lettersOfDigit * spelledDigits(digits)
}

/** The conditions of a check of words. */
interface Around {
  /** Returns what was said before the message. */
  readonly before?: () => string
  /** False if the digits of a code must stand in words: only the answer to a question spells them. Default: `true`. */
  readonly maySpell?: boolean
}

/**
 * True if the words can mean the value, as far as digits tell. Words with letters can mean other numbers than their digits
 * ("2 weeks" are 14 days), but a bare number means itself, and a date has the year of its words. The digits of a code, such
 * as a phone number, stand in the words, are spelled there, or stand in what was said before ("the second one").
 */
export const canMean = (words: string, value: unknown, around: Around = {}): boolean =>
  typeof value === "number"
    ? canBeNumber(western(words), value)
    : typeof value !== "string" || canBeText(western(words), western(value), around)

/** A percentage may be a share of 1, and money may be counted in cents. */
const scaled = (words: string, number: number): ReadonlyArray<number> => [
  number,
  ...(/[%٪]/.test(words) ? [number / 100] : []),
  ...(/\p{Sc}/u.test(words) ? [Math.round(number * 100)] : [])
]

const canBeNumber = (words: string, value: number): boolean => {
  const [, digits] = bareNumber.exec(words) ?? []
  return digits === undefined ||
    numbersOf(digits).flatMap((one) => scaled(words, one)).includes(Math.abs(value))
}

const canBeText = (words: string, value: string, around: Around): boolean => {
  const [, year] = day.exec(value) ?? []
  return year === undefined ? !code.test(value) || canBeCode(words, value, around) : canBeIn(words, year)
}

const canBeIn = (words: string, year: string): boolean => {
  const years = words.match(/(?<!\d)(?:19|20)\d{2}(?!\d)/g)
  return years === null || years.some((one) => one === year)
}

const canBeCode = (words: string, value: string, { before = () => "", maySpell = true }: Around): boolean => {
  const digits = digitsOf(value).replace(/^0+(?=\d)/, "")
  const isSpelled = !/\d/.test(words) && (compactDay.test(value) || (maySpell && canSpell(words, digits)))
  return isSpelled || hasDigits(words, digits) || standsIn(before(), value)
}
