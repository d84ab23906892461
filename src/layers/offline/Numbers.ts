/** Finds numbers in a text: in digits and in words, with a sign, a fraction or a scale. */
import type { Mention } from "./Mentions.js"

/** A number, with a unit that is part of it: `3-night`, `$200`. */
export interface Amount {
  readonly number: number
  readonly unit: string | undefined
}

const small =
  ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
    "seventeen eighteen nineteen").split(" ")
const tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ")

const values: ReadonlyMap<string, number> = new Map<string, number>([
  ...small.map((word, index): [string, number] => [word, index]),
  ...tens.map((word, index): [string, number] => [word, (index + 2) * 10]),
  ["couple", 2],
  ["pair", 2],
  ["twice", 2]
])

/** Words that multiply the number before them. The larger ones end a group: "two hundred thousand and ten". */
const scales: ReadonlyMap<string, number> = new Map([
  ["dozen", 12],
  ["hundred", 100],
  ["k", 1e3],
  ["thousand", 1e3],
  ["million", 1e6],
  ["billion", 1e9]
])

const spelled = (() => {
  const unit = small.slice(1, 10).join("|")
  const below = `(?:(?:${tens.join("|")})(?:[ -](?:${unit}))?|${small.join("|")})`
  const group = `(?:(?:${below} )?hundred(?: (?:and )?${below})?|${below})`
  const thousands = `(?:(?:${group} )?thousand(?: (?:and )?${group})?|${group})`
  return `half a dozen|(?:${below} )?dozen|(?:${group} )?(?:million|billion)(?: (?:and )?${thousands})?|` +
    `${thousands}(?: point(?: (?:${small.slice(0, 10).join("|")}))+)?|couple|pair|twice`
})()

const digits =
  "\\d{1,3}(?:[,'’\\u00a0\\u202f]\\d{3})+(?:\\.\\d+)?|\\d{1,3}(?:\\.\\d{3})+,\\d{1,2}|\\d+(?:\\.\\d+|,\\d{1,2})?"

const glyphs: Readonly<Record<string, number>> = {
  "½": 1 / 2,
  "¼": 1 / 4,
  "¾": 3 / 4,
  "⅓": 1 / 3,
  "⅔": 2 / 3,
  "⅛": 1 / 8
}

const fraction = `[½¼¾⅓⅔⅛]|\\d{1,3}\\/\\d{1,3}|(?:an? |one )?(?:half|third|quarter)|(?:two|three) (?:thirds|quarters)`

/** Matches a text that consists only of a number in words. */
const single = new RegExp(`^(?:${spelled})$`, "i")

/** A sign stands at the beginning of a word: "-5", but not "2-5". */
const signed = `(?<sign>(?<![^\\s(:=])[-−+](?=[\\d½¼¾⅓⅔⅛])|(?<![\\p{L}\\p{N}])(?:minus|negative|plus) )`

const measure = "(?:minute|hour|day|night|week|month|year|mile|kilometre|kilometer|kilo|litre|liter)"

const pattern = new RegExp(
  `(?:${signed}|(?<![\\p{L}\\p{N}.,'’/-]))` +
    `(?:(?<part>(?!half a dozen)(?:${fraction}))(?![\\p{L}\\p{N}]|-\\p{L})|` +
    `(?:(?<digits>${digits})(?<scale> ?k| (?:dozen|hundred|thousand|million|billion))?(?![\\p{L}\\d])|(?<words>${spelled}|an?(?= ${measure} and )))` +
    `(?:(?:(?: (?<of>${measure})s?)? and | |(?=[½¼¾⅓⅔⅛]))(?<more>${fraction}))?)` +
    "(?:-(?<unit>[a-z]+))?(?![\\p{L}\\p{N}'’/-]|[.,]\\d)",
  "giu"
)

/** Parses digits. A comma separates decimals if one or two digits follow it: "2,5" and "1.200,50". */
const ofDigits = (said: string): number =>
  Number(
    /,\d{1,2}$/.test(said) ? said.replaceAll(".", "").replace(",", ".") : said.replace(/[,'’\u00a0\u202f]/g, "")
  )

const ofWords = (said: string): number => {
  if (said === "half a dozen") return 6
  const [whole = "", decimals] = said.split(" point ")
  let [total, group] = [0, 0]
  for (const word of whole.split(/[ -]/)) {
    const scale = scales.get(word)
    if (scale === undefined) group += values.get(word) ?? 0
    else if (scale < 1000) group = (group || 1) * scale
    else {
      total += (group || 1) * scale
      group = 0
    }
  }
  const after = (decimals ?? "").split(" ").map((word) => values.get(word) ?? "").join("")
  return Number(`${total + group}.${after}`)
}

/** Parses a number in digits or in words. */
export const numberOf = (said: string): number | undefined => {
  const lower = said.toLowerCase()
  return /^\d/.test(lower) ? ofDigits(lower) : single.test(lower) ? ofWords(lower) : undefined
}

const ofFraction = (said: string): number => {
  const [over, under] = said.split("/").map(Number)
  if (under !== undefined) return over! / under
  const words = said.toLowerCase().split(" ")
  const name = words.at(-1)!
  const size = name.startsWith("half") ? 2 : name.startsWith("third") ? 3 : 4
  return glyphs[said] ?? (values.get(words.at(-2) ?? "") ?? 1) / size
}

const scaled = (number: number, scale: string | undefined): number =>
  number * (scales.get(scale?.trim().toLowerCase() ?? "") ?? 1)

/** Words after a "one" that is no count: "one way", "one moment". */
const noCount = /^ ?-?(?:way|moment|sec|second please|another|thing|more thing)\b/i

/** True if a fraction in words is an amount: "half an hour", "a quarter of it"; false for "half board". */
const isShare = (said: string, rest: string): boolean =>
  !/^\p{L}/u.test(said) || /^(?:\s{0,9}(?:$|[,.;!?])| (?:of|an?)\b)/i.test(rest)

/** True for "half" in "the second half". */
const isNth = (text: string, at: number): boolean =>
  /\b(?:first|second|last|other|better) $/i.test(text.slice(Math.max(0, at - 8), at))

const isMoney = (text: string, at: number, end: number): boolean =>
  /[$€£]\s?$/.test(text.slice(Math.max(0, at - 2), at)) || /^\s?[$€£]/.test(text.slice(end, end + 2))

/** True for a word that is part of another phrase: "one way", "the second half", "half board", "five below zero". */
const isNoAmount = (text: string, at: number, end: number, { part, unit = "", words = "" }: Groups): boolean => {
  const rest = text.slice(end - unit.length, end + 20)
  if (part !== undefined) return !isShare(part, rest) || isNth(text, at)
  if (/^one$/i.test(words)) return noCount.test(rest)
  return /^zero$/i.test(words) && /\bbelow $/i.test(text.slice(Math.max(0, at - 7), at))
}

type Groups = Readonly<Record<string, string | undefined>>

const numberIn = ({ digits, more, part, scale, words = "" }: Groups): number => {
  const counted = digits === undefined ? numberOf(words) ?? 1 : scaled(ofDigits(digits), scale)
  return part === undefined ? counted + (more === undefined ? 0 : ofFraction(more)) : ofFraction(part)
}

const isNegative = (sign: string | undefined, rest: string): boolean =>
  /^(?:[-−]|minus|negative)/i.test(sign ?? "") || /^(?: degrees?)? below zero\b/i.test(rest)

export const amountsOf = (text: string): ReadonlyArray<Mention<Amount>> =>
  Array.from(text.matchAll(pattern)).flatMap((match) => {
    const groups: Groups = match.groups!
    const [at, end] = [match.index, match.index + match[0].length]
    const number = numberIn(groups) * (isNegative(groups.sign, text.slice(end, end + 20)) ? -1 : 1)
    if (isNoAmount(text, at, end, groups) || !Number.isFinite(number)) return []
    const unit = isMoney(text, at, end) ? "money" : (groups.unit ?? groups.of)?.toLowerCase()
    return [{ at, end, value: { number, unit } }]
  })
