/**
 * What a message mentions, whatever it is for: dates, times, numbers, addresses, codes, people and places, each with where
 * it stands. `chrono-node` finds the dates, `compromise` the people and places.
 *
 * @since 0.1.0
 */
import * as chrono from "chrono-node"
import nlp from "compromise"
import type { Day } from "./Kind.js"
import type { Word } from "./Words.js"
import { wordsOf } from "./Words.js"

/**
 * @internal
 */
export interface Span {
  readonly at: number
  readonly end: number
}

/**
 * @internal
 */
export interface Mention<A> extends Span {
  readonly value: A
}

/**
 * A day said; `closes` when it ends a span: "from 15 to 18 March".
 *
 * @internal
 */
export interface SaidDay extends Day {
  readonly closes: boolean
}

/**
 * A number said, with the unit that is part of it: `3-night`, `$200`.
 *
 * @internal
 */
export interface Amount {
  readonly number: number
  readonly unit: string | undefined
}

/**
 * A message as it was read.
 *
 * @internal
 */
export interface Reading {
  readonly text: string
  readonly words: ReadonlyArray<Word>
  readonly dates: ReadonlyArray<Mention<SaidDay>>
  readonly times: ReadonlyArray<Mention<string>>
  readonly amounts: ReadonlyArray<Mention<Amount>>
  readonly emails: ReadonlyArray<Mention<string>>
  readonly links: ReadonlyArray<Mention<string>>
  readonly phones: ReadonlyArray<Mention<string>>
  readonly people: ReadonlyArray<Mention<string>>
  readonly places: ReadonlyArray<Mention<string>>
}

/**
 * Longer messages are read up to here, so that reading one takes milliseconds whatever it says.
 *
 * @internal
 */
export const longest = 4000

/**
 * @internal
 */
export const overlaps = (one: Span, other: Span): boolean => one.at < other.end && other.at < one.end

const outside = (spans: ReadonlyArray<Span>) => (span: Span): boolean => !spans.some((other) => overlaps(span, other))

const two = (value: number | null): string => String(value ?? 0).padStart(2, "0")

const dayOf = (parts: chrono.ParsedComponents): string =>
  `${String(parts.get("year")).padStart(4, "0")}-${two(parts.get("month"))}-${two(parts.get("day"))}`

const timeOf = (parts: chrono.ParsedComponents): string | undefined =>
  parts.isCertain("hour") ? `${two(parts.get("hour"))}:${two(parts.get("minute"))}` : undefined

/** "2 weeks" and "30 years" are lengths, not dates; "in 2 weeks" is a date. */
const isLength = (said: string) =>
  /^(?:for |within )?(?:\d|an? |one|two|three|four|five|six|seven|eight|nine|ten|half)/i.test(said) &&
  /(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|yrs?)$/i.test(said)

/** Words that are days and other things too: only capitalised, or led in, they are days. */
const isDoubtful = (said: string) => /^(?:sun|sat|mon|wed|tue|thu|fri|[Nn]ow)$/.test(said)

/** Dates are read in the machine's zone as if it were UTC, since that is the one zone chrono is consistent in. */
const chronoParse = (text: string, now: Date) =>
  chrono.parse(
    text,
    new Date(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), now.getUTCHours(), now.getUTCMinutes()),
    { forwardDate: true }
  )

const ordinalDays = (text: string, now: Date): ReadonlyArray<Mention<SaidDay>> =>
  Array.from(text.matchAll(/\bthe (\d{1,2})(?:st|nd|rd|th)\b/gi)).flatMap((match) => {
    const day = Number(match[1])
    const first = now.getUTCMonth() + (day < now.getUTCDate() ? 1 : 0)
    // The next month that has such a day: two in a row never lack it.
    const date = [first, first + 1]
      .map((month) => new Date(Date.UTC(now.getUTCFullYear(), month, day)))
      .find((date) => day > 0 && date.getUTCDate() === day)
    const value = date && { date: date.toISOString().slice(0, 10), time: undefined, closes: false }
    return value === undefined ? [] : [{ at: match.index, end: match.index + match[0].length, value }]
  })

const readDates = (text: string, now: Date) => {
  const dates: Array<Mention<SaidDay>> = []
  const times: Array<Mention<string>> = []
  const periods: Array<Span> = []
  for (const { end, index, start, text: said } of chronoParse(text, now)) {
    if (isLength(said) || (isDoubtful(said) && text.trim() !== said)) continue
    const span = { at: index, end: index + said.length }
    const time = timeOf(start)
    if (start.isCertain("day") || start.isCertain("weekday")) {
      dates.push({ ...span, value: { date: dayOf(start), time, closes: false } })
      if (end && dayOf(end) !== dayOf(start)) {
        // It stands where the first one does, and takes no words of its own.
        dates.push({ at: span.end, end: span.end, value: { date: dayOf(end), time: timeOf(end), closes: true } })
      }
    } else if (time !== undefined && /\d|noon|midnight/i.test(said)) times.push({ ...span, value: time })
    // "in the morning" is no time of day, "in March 2028" no day; their numbers count nothing.
    else if (/\d/.test(said)) periods.push(span)
  }
  return { dates: dates.concat(ordinalDays(text, now).filter(outside(dates))), times, periods }
}

const units = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
  "thirteen",
  "fourteen",
  "fifteen",
  "sixteen",
  "seventeen",
  "eighteen",
  "nineteen"
]
const tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

const spelled: ReadonlyMap<string, number> = new Map<string, number>([
  ...units.map((word, index): [string, number] => [word, index]),
  ...tens.map((word, index): [string, number] => [word, (index + 2) * 10]),
  ...tens.flatMap((ten, index) =>
    units.slice(1, 10).map((unit, one): [string, number] => [`${ten}-${unit}`, (index + 2) * 10 + one + 1])
  ),
  ["couple", 2],
  ["pair", 2],
  ["dozen", 12],
  ["fourty", 40],
  ["twice", 2]
])

const digits = (word: string): number | undefined => {
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(word)) return Number(word.replaceAll(",", ""))
  if (/^\d+(?:\.\d+)?$/.test(word)) return Number(word)
  const thousands = /^(\d+(?:\.\d+)?)k$/.exec(word)
  return thousands === null ? undefined : Number(thousands[1]) * 1000
}

/** One number and how many words it takes. */
const numberAt = (words: ReadonlyArray<Word>, index: number): readonly [value: number, length: number] | undefined => {
  const word = words[index]!.norm
  const numeral = digits(word)
  if (numeral !== undefined) return [numeral, 1]
  if (word === "half" && words[index + 1]?.norm === "a" && words[index + 2]?.norm === "dozen") return [6, 3]
  if (word === "hundred" || word === "thousand") return [word === "hundred" ? 100 : 1000, 1]
  let total: number | undefined
  let length = 0
  for (let next = index; next < words.length; next++, length++) {
    const said = words[next]!.norm
    const value = spelled.get(said)
    if (
      said === "and" && length > 0 && words[next - 1]?.norm === "hundred" && spelled.has(words[next + 1]?.norm ?? "")
    ) {
      continue
    }
    if (total !== undefined && (said === "hundred" || said === "thousand")) total *= said === "hundred" ? 100 : 1000
    else if (value === undefined) break
    else if (total === undefined) total = value
    else if (said === "dozen") total *= 12
    else if ((total % 100 === 0 && total > 0) || (value < 10 && total % 10 === 0 && total >= 20)) total += value
    else break
  }
  return total === undefined ? undefined : [total, length]
}

const readAmounts = (text: string, words: ReadonlyArray<Word>): ReadonlyArray<Mention<Amount>> => {
  const amounts: Array<Mention<Amount>> = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    const joined = /^(\d+|[a-z]+)-([a-z]+)$/.exec(word.norm)
    const inner = joined === null ? undefined : digits(joined[1]!) ?? spelled.get(joined[1]!)
    if (inner !== undefined && !spelled.has(word.norm)) {
      amounts.push({ at: word.at, end: word.end, value: { number: inner, unit: joined![2] } })
      continue
    }
    const found = numberAt(words, index)
    if (found === undefined) continue
    const [value, length] = found
    const last = words[index + length - 1]!
    const before = text.slice(Math.max(0, word.at - 2), word.at)
    const minus = /(?:^|\s)[-−]$/.test(before) && digits(word.norm) !== undefined
    const money = /[$€£]\s?$/.test(before) || /^\s?[$€£]/.test(text.slice(last.end, last.end + 2)) ? "money" : undefined
    amounts.push({ at: word.at, end: last.end, value: { number: minus ? -value : value, unit: money } })
    index += length - 1
  }
  return amounts
}

const pieces = (text: string): ReadonlyArray<Mention<string>> =>
  Array.from(text.matchAll(/[^\s<>"'(),;]+/g), (match) => {
    const value = match[0].replace(/[.:!?]{1,9}$/, "")
    return { at: match.index, end: match.index + value.length, value }
  })

const isEmail = (piece: string) => {
  const [user = "", host = "", ...more] = piece.split("@")
  return more.length === 0 && user !== "" && piece.length <= 254 && /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u.test(host)
}

const matches = (text: string, pattern: RegExp): ReadonlyArray<Mention<string>> =>
  Array.from(text.matchAll(pattern), (match) => ({
    at: match.index,
    end: match.index + match[0].length,
    value: match[0]
  }))

const trimmed = (text: string, span: Span): Mention<string> => {
  const said = text.slice(span.at, span.end)
  const value = said.replace(/^[^\p{L}\p{N}]+/u, "").replace(/(?:'s|’s)?[^\p{L}\p{N}]*$/u, "")
  const at = span.at + said.indexOf(value)
  return { at, end: at + value.length, value }
}

interface Named {
  readonly offset: { readonly start: number; readonly length: number }
}

const readNames = (text: string, found: ReadonlyArray<Named>): ReadonlyArray<Mention<string>> =>
  found.map(({ offset }) => trimmed(text, { at: offset.start, end: offset.start + offset.length }))
    .filter(({ value }) => value !== "")

/**
 * @internal
 */
export const read = (message: string, now: Date): Reading => {
  const text = message.slice(0, longest)
  const words = wordsOf(text)
  const parts = pieces(text)
  const emails = parts.filter(({ value }) => isEmail(value))
  const links = parts.filter(({ value }) => /^(?:https?:\/\/|www\.)\S+/i.test(value))
  const { dates, periods, times } = readDates(text, now)
  // "2027-02-31" is not a day that exists, and no count either.
  const dateLike = matches(text, /\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{1,2}:\d{2}/g)
  const phones = matches(text, /\+?\d(?:[ ().-]{0,2}\d){6,20}/g)
    .filter(outside([...emails, ...links, ...dates, ...dateLike]))
  const doc = nlp(text)
  const [people, places] = [doc.people(), doc.places()].map((view) => readNames(text, view.json({ offset: true })))
  return {
    text,
    words,
    dates: dates.filter(outside([...emails, ...links])),
    times,
    amounts: readAmounts(text, words)
      .filter(outside([...emails, ...links, ...dates, ...times, ...periods, ...dateLike, ...phones])),
    emails,
    links,
    phones,
    people: people ?? [],
    places: places ?? []
  }
}
