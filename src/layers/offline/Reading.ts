/** A message with everything that it mentions, by kind and position, independent of the fields. */
import nlp from "compromise"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { timesOf } from "./Dates.js"
import type { SaidDay } from "./FieldKind.js"
import { gloss } from "./Gloss.js"
import { impossibleDays } from "./ImpossibleDays.js"
import type { Mention, Span } from "./Mentions.js"
import { matchesOf, outside, overlaps } from "./Mentions.js"
import type { Amount } from "./Numbers.js"
import { amountsOf } from "./Numbers.js"
import type { Word } from "./Words.js"
import { wordsOf } from "./Words.js"

export interface Reading {
  readonly text: string
  readonly words: ReadonlyArray<Word>
  readonly dates: ReadonlyArray<Mention<SaidDay>>
  readonly times: ReadonlyArray<Mention<string>>
  readonly amounts: ReadonlyArray<Mention<Amount>>
  readonly emails: ReadonlyArray<Mention<string>>
  readonly links: ReadonlyArray<Mention<string>>
  readonly phones: ReadonlyArray<Mention<string>>
  /** The people and places that `compromise` found; it may find only the first word of a name. */
  readonly people: ReadonlyArray<Mention<string>>
  readonly places: ReadonlyArray<Mention<string>>
}

/** Only this many characters are read, so that reading takes milliseconds for any message. */
const longest = 2000

const pieces = (text: string): ReadonlyArray<Mention<string>> =>
  matchesOf(text, /[^\s<>"'(),;]+/g).map(({ at: begin, value: piece }) => {
    const value = Excerpt.start(piece, 500).replace(/[.:!?]{1,9}$/, "").replace(/^mailto:/i, "")
    const at = begin + piece.indexOf(value)
    return { at, end: at + value.length, value }
  })

const isEmail = (piece: string) => {
  const [user = "", host = "", ...more] = piece.split("@")
  return more.length === 0 && user !== "" && piece.length <= 254 && /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u.test(host)
}

const isOuter = (char: string) => !/[\p{L}\p{N}]/u.test(char)

/** Removes quotes, punctuation and a possessive ending. */
const trimmed = (text: string, span: Span): Mention<string> => {
  let { at, end } = span
  while (at < end && isOuter(text[at]!)) at++
  while (end > at && isOuter(text[end - 1]!)) end--
  const value = text.slice(at, end).replace(/['’]s$/, "")
  return { at, end: at + value.length, value }
}

interface Match {
  readonly offset: { readonly start: number; readonly length: number }
}

const names = (text: string, found: ReadonlyArray<Match>): ReadonlyArray<Mention<string>> =>
  found.map(({ offset }) => trimmed(text, { at: offset.start, end: offset.start + offset.length }))
    .filter(({ value }) => value !== "")

/**
 * Reads a message. `now` is the local time of the user, written as if it were UTC, and `zone` the user's time zone.
 */
export const read = (message: string, now: Date, zone = "UTC"): Reading => {
  const text = gloss(Excerpt.start(message, longest))
  const parts = pieces(text)
  const emails = parts.filter(({ value }) => isEmail(value))
  const links = parts.filter(({ value }) => /^(?:https?:\/\/|www\.)./i.test(value))
  const { dates, periods, times } = timesOf(text, now, zone)
  // "2027-02-31" is neither a valid day nor a count.
  const dateLike = matchesOf(text, /(?<!\d)\d{1,4}([-/.])\d{1,2}\1\d{1,4}|(?<!\d)\d{1,2}:\d{2}/g)
  const written = [...emails, ...links]
  const phones = matchesOf(text, /\+?(?<!\d)\d(?:[ ().-]{0,2}\d){6,20}/g)
    .filter(outside([...written, ...dates, ...dateLike]))
  const numbers = amountsOf(text)
  // "1/2" may be a day or a number; "3 1/2" is a number.
  const days = dates.filter((day) => !numbers.some((number) => overlaps(number, day) && number.at < day.at))
  const isWhole = ({ at, end }: Span) => text.slice(at, end) === text.trim()
  const noCounts = [...written, ...days, ...times, ...periods, ...dateLike, ...phones, ...impossibleDays(text)]
  const doc = nlp(text)
  return {
    text,
    words: wordsOf(text),
    dates: days.filter(outside(written)),
    times,
    amounts: numbers.filter((number) => isWhole(number) || outside(noCounts)(number)),
    emails,
    links,
    phones,
    people: names(text, doc.people().json({ offset: true })),
    places: names(text, doc.places().json({ offset: true }))
  }
}
