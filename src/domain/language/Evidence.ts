/** Whether words of a message are evidence for a value: they stand in the message, and can mean the value. */

/** Writes a text in normal form: without case, accents and punctuation, with one space between words. */
export const normal = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim()

/** A word of these scripts begins behind a space; in others, words are joined, or begin with prefixes. */
const spaced = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]$/u

/** True if the words stand in the text, from the beginning of a word on. */
const includes = (text: string, words: string): boolean => {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!spaced.test(text.slice(0, at)) || !spaced.test(words.slice(0, 1))) return true
  }
  return false
}

/** Words may be quoted from several places of a message: "two … from Friday". */
const pieces = /\.{3}|[…,;/|\n]/u

/** True if the words stand in the message, whatever their case, accents and punctuation. */
export const standsIn = (message: string, words: string): boolean => {
  const text = normal(message)
  const whole = normal(words)
  // Words of signs only, such as an emoji, have no normal form.
  if (whole === "") return words.trim() !== "" && message.includes(words.trim())
  if (includes(text, whole)) return true
  const parts = words.split(pieces).map(normal).filter((part) => part !== "")
  return parts.length > 1 && parts.every((part) => includes(text, part))
}

/** True if the words have one that is not among the others. */
export const saysMore = (words: string, others: ReadonlyArray<string>): boolean => {
  const said = new Set(others.flatMap((one) => normal(one).split(" ")))
  return normal(words).split(" ").some((word) => !said.has(word))
}

/** A number in digits, with signs of currency or percent beside it, and nothing else. */
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

/**
 * True if the words can mean the value, as far as digits tell. Words with letters can mean other numbers than their digits
 * ("2 weeks" are 14 days), but a bare number means itself, and a date has the year of its words. The digits of a code, such
 * as a phone number, stand in the words, are spelled there, or stand in what was said before ("the second one").
 */
export const canMean = (words: string, value: unknown, before: () => string = () => ""): boolean =>
  typeof value === "number" ? canBeNumber(words, value) : typeof value !== "string" || canBeText(words, value, before)

const canBeNumber = (words: string, value: number): boolean => {
  const [, digits] = bareNumber.exec(words) ?? []
  return digits === undefined || numbersOf(digits).includes(Math.abs(value))
}

const canBeText = (words: string, value: string, before: () => string): boolean => {
  const [, year] = day.exec(value) ?? []
  return year === undefined ? !code.test(value) || canBeCode(words, value, before) : canBeIn(words, year)
}

const canBeIn = (words: string, year: string): boolean => {
  const years = words.match(/(?<!\d)(?:19|20)\d{2}(?!\d)/g)
  return years === null || years.some((one) => one === year)
}

const canBeCode = (words: string, value: string, before: () => string): boolean => {
  const digits = digitsOf(value).replace(/^0+/, "")
  const isSpelled = !/\d/.test(words) && (compactDay.test(value) || canSpell(words, digits))
  return isSpelled || digitsOf(words).includes(digits) || standsIn(before(), value)
}
