/** Finds numbers in a text, in digits and in words. */
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
  ["half", 0.5],
  ["couple", 2],
  ["pair", 2],
  ["twice", 2]
])

const scales: ReadonlyMap<string, number> = new Map([["dozen", 12], ["hundred", 100], ["thousand", 1000]])

const spelled = (() => {
  const unit = small.slice(1, 10).join("|")
  const below = `(?:(?:${tens.join("|")})(?:[ -](?:${unit}))?|${small.join("|")})`
  return `half a dozen|(?:${below} )?(?:dozen|(?:hundred|thousand)(?: (?:and )?${below})?)|${below}|couple|pair|twice`
})()

/** Matches a text that consists only of a number in words. */
const single = new RegExp(`^(?:${spelled})$`, "i")

const pattern = new RegExp(
  `(?<![\\p{L}\\p{N}.,'’/-])(?:(\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)|(${spelled}))` +
    "(?:-([a-z]+))?(?![\\p{L}\\p{N}'’/-]|[.,]\\d)",
  "giu"
)

/** Parses a number in digits or in words. */
export const numberOf = (said: string): number | undefined => {
  const lower = said.toLowerCase()
  if (/^\d/.test(lower)) return Number(lower.replaceAll(",", ""))
  if (!single.test(lower)) return undefined
  let total = 0
  for (const word of lower.split(/[ -]/)) {
    const scale = scales.get(word)
    total = scale === undefined ? total + (values.get(word) ?? 0) : (total === 0 ? 1 : total) * scale
  }
  return total
}

/** Words after a "one" that is no count: "one way", "one moment". */
const noCount = /^ ?-?(?:way|moment|sec|second please|another|thing|more thing)\b/i

const isMoney = (text: string, at: number, end: number): boolean =>
  /[$€£]\s?$/.test(text.slice(Math.max(0, at - 2), at)) || /^\s?[$€£]/.test(text.slice(end, end + 2))

export const amountsOf = (text: string): ReadonlyArray<Mention<Amount>> =>
  Array.from(text.matchAll(pattern)).flatMap((match) => {
    const [whole, digits, words = "", unit] = match
    const [at, end] = [match.index, match.index + whole.length]
    if (/^one$/i.test(words) && noCount.test(text.slice(end - (unit ?? "").length, end + 20))) return []
    const number = numberOf(digits ?? words) ?? 0
    return [{ at, end, value: { number, unit: isMoney(text, at, end) ? "money" : unit?.toLowerCase() } }]
  })
