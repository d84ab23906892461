/**
 * Finds days that are named by a feast or by their distance to another day: "Christmas", "two days after Easter", "the
 * Monday before 3 May".
 */
import * as DateTime from "effect/DateTime"
import type { SaidDay } from "./FieldKind.js"
import type { Mention, Span } from "./Mentions.js"
import { matchesOf, overlaps } from "./Mentions.js"
import { numberOf } from "./Numbers.js"
import { monthNames, stopWords, wordsOf } from "./Words.js"

type DayMention = Mention<SaidDay>

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

const shifted = (date: string, days: number): string => isoDay(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000)

/** Returns Easter Sunday of a year, by the Gregorian calendar. */
const easter = (year: number): number => {
  const [golden, century] = [year % 19, Math.floor(year / 100)]
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor((year % 100) / 4) - epact - (year % 4)) % 7
  const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451)
  const days = epact + weekday - 7 * late + 114
  return Date.UTC(year, Math.floor(days / 31) - 1, (days % 31) + 1)
}

/** The date of each feast in a year: its month and day, or its distance to Easter in days. */
const feasts: ReadonlyArray<readonly [name: string, day: readonly [month: number, day: number] | number]> = [
  ["christmas eve", [12, 24]],
  ["(?:christmas(?: day)?|xmas)", [12, 25]],
  ["boxing day", [12, 26]],
  ["new year['’]?s eve", [12, 31]],
  ["new year(?:['’]?s(?: day)?)?", [1, 1]],
  ["epiphany", [1, 6]],
  ["valentine['’]?s day", [2, 14]],
  ["halloween", [10, 31]],
  ["ash wednesday", -46],
  ["palm sunday", -7],
  ["good friday", -2],
  ["easter monday", 1],
  ["easter(?: sunday| day)?", 0],
  ["ascension day", 39],
  ["whit monday", 50],
  ["(?:pentecost|whit ?sunday)", 49]
]

const feastNames = feasts.map(([name, day]) => ({ pattern: new RegExp(`^${name}$`, "i"), day }))

const feast = new RegExp(
  `(?<![\\p{L}\\p{N}])(${feasts.map(([name]) => name).join("|")})(?: (?:in |of )?((?:19|20)\\d\\d))?(?![\\p{L}\\p{N}])`,
  "giu"
)

const connecting = /^(?:for|from|until|till|through|please|thanks|thank|instead|works|by|with|we|i|after|before|maybe)$/

/** True if no noun follows, as in "Christmas market" or "the 2nd floor". */
const standsAlone = (text: string, end: number): boolean => {
  const [next] = wordsOf(text.slice(end, end + 30))
  return next === undefined || /[,.;:!?()\n]/.test(text.slice(end, end + next.at)) || stopWords.has(next.norm) ||
    connecting.test(next.norm) || /^\d/.test(next.norm)
}

/** Finds feasts; without a year, the next one from today on. */
const feastsIn = (text: string, now: Date): ReadonlyArray<DayMention> =>
  Array.from(text.matchAll(feast)).flatMap((match): ReadonlyArray<DayMention> => {
    const [said, name = "", given] = match
    const span = { at: match.index, end: match.index + said.length }
    const day = feastNames.find(({ pattern }) => pattern.test(name))!.day
    const isVague = /\b(?:around|about|over|during) $/i.test(text.slice(Math.max(0, span.at - 10), span.at))
    if (isVague || !standsAlone(text, span.end)) return []
    const inYear = (year: number) =>
      typeof day === "number" ? isoDay(easter(year) + day * 86_400_000) : isoDay(Date.UTC(year, day[0] - 1, day[1]))
    const year = now.getUTCFullYear()
    const date = given !== undefined
      ? inYear(Number(given))
      : [year, year + 1].map(inYear).find((date) => date >= isoDay(now.getTime()))!
    return [{ ...span, value: { date, closes: false } }]
  })

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

const lastDay = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:the )?last day of (?:(?:the|this|(next)) month|(${
    monthNames.join("|")
  })(?: ((?:19|20)\\d\\d))?)(?![\\p{L}\\p{N}])`,
  "giu"
)

/** Finds "the last day of February": of the next one from today on. */
const lastDaysIn = (text: string, now: Date): ReadonlyArray<DayMention> =>
  Array.from(text.matchAll(lastDay), ({ 0: said, 1: next, 2: name, 3: given, index }) => {
    const named = name === undefined ? undefined : monthNames.indexOf(name.toLowerCase())
    const month = named ?? now.getUTCMonth() + (next === undefined ? 0 : 1)
    const year = Number(given ?? now.getUTCFullYear() + (month < now.getUTCMonth() ? 1 : 0))
    return {
      at: index,
      end: index + said.length,
      value: { date: isoDay(Date.UTC(year, month + 1, 0)), closes: false }
    }
  })

const weekdayAndDay = new RegExp(
  `(?<!\\p{L})(${weekdays.join("|")}),? (?:the )?(\\d{1,2})(?:st|nd|rd|th)(?: (?:of )?(${
    monthNames.join("|")
  }))?(?! ?\\p{N}|\\p{L})`,
  "giu"
)

/** Finds "Friday the 13th": in the next month in which this day is that weekday, if it comes within four years. */
const weekdaysWithDay = (text: string, now: Date): ReadonlyArray<DayMention> =>
  Array.from(text.matchAll(weekdayAndDay)).flatMap(({ 0: said, 1: weekday = "", 2: day, 3: month, index }) => {
    const isMeant = (date: Date) =>
      isoDay(date.getTime()) >= isoDay(now.getTime()) && date.getUTCDate() === Number(day) &&
      weekdays[date.getUTCDay()] === weekday.toLowerCase() &&
      (month === undefined || date.getUTCMonth() === monthNames.indexOf(month.toLowerCase()))
    const date = Array.from(
      { length: 48 },
      (_, months) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, Number(day)))
    ).find(isMeant)
    return date === undefined
      ? []
      : [{ at: index, end: index + said.length, value: { date: isoDay(date.getTime()), closes: false } }]
  })

const lastWeekday = new RegExp(
  `(?<!\\p{L})(?:last (?<after>${weekdays.join("|")})|(?:on )?(?<before>${weekdays.join("|")}) last)(?!\\p{L})`,
  "giu"
)

/** Finds "last Friday": the nearest one before today. */
const lastWeekdays = (text: string, now: Date): ReadonlyArray<DayMention> =>
  Array.from(text.matchAll(lastWeekday), ({ 0: said, groups = {}, index }) => ({
    at: index,
    end: index + said.length,
    value: {
      date: weekdayBeside(
        isoDay(now.getTime()),
        weekdays.indexOf((groups.after ?? groups.before ?? "").toLowerCase()),
        -1
      ),
      closes: false
    }
  }))

/** Finds the days that have a name of their own. */
export const namedDays = (text: string, now: Date): ReadonlyArray<DayMention> =>
  [feastsIn, lastDaysIn, weekdaysWithDay, lastWeekdays].flatMap((find) => find(text, now))

/** Finds "the 15th": in the next month that has this day. Of two consecutive months, one always has it. */
export const ordinalDays = (text: string, now: Date): ReadonlyArray<DayMention> =>
  matchesOf(text, /\bthe \d{1,2}(?:st|nd|rd|th)(?: of (?:this|next) month)?\b/gi).flatMap((mention) => {
    const day = Number(mention.value.replace(/\D+/g, ""))
    const isNext = /next month$/i.test(mention.value)
    const first = now.getUTCMonth() + (isNext || day < now.getUTCDate() ? 1 : 0)
    const found = [first, ...isNext ? [] : [first + 1]]
      .map((month) => new Date(Date.UTC(now.getUTCFullYear(), month, day)))
      .find((date) => day > 0 && date.getUTCDate() === day)
    return found === undefined || !standsAlone(text, mention.end)
      ? []
      : [{ ...mention, value: { date: isoDay(found.getTime()), closes: false } }]
  })

const distance = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(the|an?|\\d{1,3}|(?:a )?couple of|[a-z]{3,9}(?:[ -][a-z]{3,5})?) )?` +
    `(days?|nights?|weeks?|fortnights?|months?|years?|weekend|${
      weekdays.join("|")
    }) (after|before|following|from|on) (?:the )?$`,
  "iu"
)

const bound = /(?<![\p{L}\p{N}])(?:after|before|since|following|later than|earlier than|prior to) (?:the )?$/iu

const units: Readonly<Record<string, number>> = { day: 1, night: 1, week: 7, fortnight: 14 }

/** Returns the weekday closest to the date on that side of it. */
const weekdayBeside = (date: string, weekday: number, side: 1 | -1): string => {
  const days = (weekday - new Date(`${date}T00:00:00Z`).getUTCDay() + 7) % 7 || 7
  return shifted(date, side === 1 ? days : days - 7 || -7)
}

/** Adds months or years; a day that the month lacks becomes its last day. */
const monthsLater = (date: string, months: number): string =>
  DateTime.formatIsoDateUtc(DateTime.add(DateTime.unsafeMake(date), { months }))

const countOf = (said: string): number | undefined => {
  const number = /^(?:the|an?)$/.test(said) ? 1 : numberOf(said.replace(/^a | of$/g, ""))
  return Number.isInteger(number) ? number : undefined
}

/** Returns the day at a distance; undefined for a period ("the week after Easter") or an unknown word. */
const dayAt = (date: string, count: string, unit: string, side: 1 | -1): string | undefined => {
  const weekday = unit === "weekend" ? 6 : weekdays.indexOf(unit)
  if (weekday >= 0) return /^(?:the|a)$/.test(count) ? weekdayBeside(date, weekday, side) : undefined
  const number = countOf(count)
  if (number === undefined || (count === "the" && !/^(?:day|night)$/.test(unit))) return undefined
  const single = unit.replace(/s$/, "")
  const days = units[single]
  if (days !== undefined) return shifted(date, side * number * days)
  return monthsLater(date, side * number * (single === "year" ? 12 : 1))
}

/** True for a day of this week or the next. */
const isNear = (said: string): boolean => weekdays.includes(said.toLowerCase()) || /^to(?:day|morrow)$/i.test(said)

/** A distance "from" or "on" a day is one only beside a day that is near: "a week from Friday", not "2 nights from 3 May". */
const isIdiom = (said: string, unit: string, word: string, lead: string): boolean =>
  !/\bfor (?:about )?$/i.test(lead) && !unit.startsWith("night") &&
  (word === "from" || /^(?:week|fortnight)/.test(unit)) && isNear(said)

/** Words behind a weekday that leave open which one is meant: "Friday after next", "Friday in two weeks". */
const open = new RegExp(
  `^ (?:(?:after|before)(?! (?:\\d|lunch|dinner|breakfast|work|school|noon|midnight|midday))|in (?:an?|the|\\d{1,2}|[a-z]{3,6}) (?:weeks?|months?)` +
    `|(?:in|of) (?:${monthNames.join("|")}|the month))\\b`,
  "i"
)

const nth = /\b(?:first|second|third|fourth|last|1st|2nd|3rd|4th) $/i

/** The words around a day. */
interface Around extends Span {
  readonly said: string
  readonly lead: string
  readonly rest: string
}

/** Returns where the words begin that name a distance to the day, and the day at this distance. */
const distant = (
  date: string,
  { at, lead, said }: Around
): readonly [at: number, date: string | undefined] | undefined => {
  const match = distance.exec(lead)
  if (match === null) return undefined
  const [, count = "the", unit = "", word = ""] = match.map((part) => part?.toLowerCase())
  if (/^(?:from|on)$/.test(word) && !isIdiom(said, unit, word, lead.slice(0, match.index))) return undefined
  return [at - lead.length + match.index, dayAt(date, count, unit, word === "before" ? -1 : 1)]
}

/** Returns the span of the words with which a day is a limit, or does not say which day is meant. */
const leftOpen = ({ at, end, lead, rest, said }: Around): Span | undefined => {
  const limit = bound.exec(lead)
  if (limit !== null) return { at: at - lead.length + limit.index, end }
  if (!isNear(said) || !(open.test(rest) || nth.test(lead))) return undefined
  return { at, end: end + (open.exec(rest)?.[0].length ?? 0) }
}

/**
 * Returns the day that the words before and after another day make of it, with the span of all of them. The span alone
 * means that no single day is named: "after Easter", "the week after Easter".
 */
const resolved = (text: string, day: DayMention): DayMention | Span => {
  const { at: begin, end, value } = day
  const said = text.slice(begin, end).replace(/^on /i, "")
  const at = end - said.length
  const around = { at, end, said, lead: text.slice(Math.max(0, at - 60), at), rest: text.slice(end, end + 40) }
  if (isNear(said) && /^ week(?!\p{L})/iu.test(around.rest)) {
    return { at, end: end + 5, value: { ...value, date: shifted(value.date, 7) } }
  }
  const found = distant(value.date, around)
  if (found === undefined) return leftOpen(around) ?? day
  const [from, date] = found
  return { at: from, end, ...date !== undefined && { value: { ...value, date } } }
}

const isDay = (found: DayMention | Span): found is DayMention => "value" in found

/** Returns the days, each with the words that move it; days that the words leave open are absent. */
export const anchored = (text: string, days: ReadonlyArray<DayMention>): ReadonlyArray<DayMention> => {
  const found = days.map((day) => resolved(text, day))
  const wider = found.filter((one, index) => one !== days[index])
  const isPart = (one: Span, day: Span) => day.at <= one.at && one.end <= day.end
  return found.filter(isDay).filter((day) => !wider.some((other) => overlaps(other, day) && !isPart(other, day)))
}
