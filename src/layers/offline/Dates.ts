/** Finds days and times in a text with `chrono-node`. Clock times that it does not know are rewritten first. */
import * as chrono from "chrono-node"
import { anchored, namedDays, ordinalDays } from "./Anchors.js"
import type { SaidDay } from "./FieldKind.js"
import type { Mention, Span } from "./Mentions.js"
import { outside, overlaps } from "./Mentions.js"
import { numberOf } from "./Numbers.js"
import type { SaidZone } from "./Zones.js"
import { blanked, withZone, zoned, zonesIn } from "./Zones.js"

/**
 * The days and times in a text. `periods` are the positions of phrases such as "in March 2028": their numbers are
 * neither days nor amounts.
 */
interface Times {
  readonly dates: ReadonlyArray<Mention<SaidDay>>
  readonly times: ReadonlyArray<Mention<string>>
  readonly periods: ReadonlyArray<Span>
}

const two = (value: number | null): string => String(value ?? 0).padStart(2, "0")

const hour = "\\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
const clock = new RegExp(
  `(?<![\\p{L}\\p{N}:.,/-])(?:(half|quarter|five|ten|twenty|\\d{1,2}) (past|to) )?(${hour})(?:[:.](\\d\\d))?(?: ?o['’]clock)?` +
    "(?: ?(am|pm|a\\.m\\.|p\\.m\\.)(?![\\p{L}\\p{N}])|,? (?:in the |at )(morning|afternoon|evening|night)\\b)?(?![\\p{L}\\p{N}:/-])",
  "giu"
)

/** Number of hours that a part of the day adds to the clock time. */
const later = (said: string | undefined, hours: number): number => {
  if (said === undefined) return 0
  if (/^(?:am|a\.m\.|morning)$/i.test(said)) return hours === 12 ? -12 : 0
  if (/^night$/i.test(said)) return hours === 12 ? -12 : hours < 5 ? 0 : hours < 12 ? 12 : 0
  return hours < 12 ? 12 : 0
}

const minutesOf = (said: string | undefined): number =>
  said === undefined ? 0 : said === "half" ? 30 : said === "quarter" ? 15 : numberOf(said) ?? 0

/** True if the text is certainly a time of day, in a form that chrono does not know. It knows "7pm" and "19:30". */
const isClock = ([whole, part, side, hours = "", , half, ofDay]: RegExpExecArray): boolean => {
  // "from ten to eight" may be a count or a range; "quarter to eight" is a time.
  if (side !== undefined) return side !== "to" || /^(?:half|quarter)$/i.test(part ?? "")
  return ofDay !== undefined || (half !== undefined && /^[a-z]/i.test(hours)) || /clock/i.test(whole)
}

const clockTime = (match: RegExpExecArray): string | undefined => {
  const [whole, part, side, hours = "", minutes = "0", half, ofDay] = match
  const hour = numberOf(hours) ?? 0
  if (hour > 24 || !isClock(match)) return undefined
  const past = minutesOf(part?.toLowerCase()) * (side === "to" ? -1 : 1) + Number(minutes)
  const total = ((hour + later(half ?? ofDay, hour)) * 60 + past + 24 * 60) % (24 * 60)
  const time = `${two(Math.floor(total / 60))}:${two(total % 60)}`
  return whole.length < time.length ? undefined : time
}

/** Rewrites "7 in the evening" as "19:00", padded so that all positions stay the same. */
const withClock = (text: string): { readonly written: string; readonly clocks: ReadonlyArray<Span> } => {
  const clocks = Array.from(text.matchAll(clock)).flatMap((match) => {
    const value = clockTime(match)
    return value === undefined ? [] : [{ at: match.index, end: match.index + match[0].length, value }]
  })
  let [written, from] = ["", 0]
  for (const { at, end, value } of clocks) {
    written += text.slice(from, at) + value.padEnd(end - at)
    from = end
  }
  return { written: written + text.slice(from), clocks }
}

/** True for durations: "2 weeks" and "30 years". False for "in 2 weeks", which is a date. */
const isLength = (said: string) =>
  /^(?:for |within )?(?:\d|an? |the |one|two|three|four|five|six|seven|eight|nine|ten|half)/i.test(said) &&
  /(?<!\p{L})(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|yrs?)$/iu.test(said)

/** A time that no clock shows, after a day: "tomorrow at 25:00" is no day without a time. */
const impossibleTime =
  /^,? ?(?:at |um |à |a las |às |alle |om )?(?:2[5-9]|[3-9]\d|\d{1,2}(?=[:.][6-9]\d))[:.]\d\d(?![\d.])/i

/** True for words that are days only if capitalised, or if they are the whole text. */
const isDoubtful = (said: string) => /^(?:sun|sat|mon|wed|tue|thu|fri|[Nn]ow)$/.test(said)

/**
 * Parses days with chrono. Passes the UTC time as if it were local time, because chrono is only consistent in the time
 * zone of the machine.
 */
const chronoParse = (text: string, now: Date) =>
  chrono.parse(
    text,
    new Date(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), now.getUTCHours(), now.getUTCMinutes()),
    { forwardDate: true }
  )

/** True for a distance to a day that chrono has not understood: "two days after", "a week later". */
const isDistance = (said: string) => /\b(?:after|before|later|earlier)$/i.test(said)

const dateOf = (parts: chrono.ParsedComponents): string =>
  `${String(parts.get("year")).padStart(4, "0")}-${two(parts.get("month"))}-${two(parts.get("day"))}`

const timeOf = (parts: chrono.ParsedComponents): string | undefined => {
  if (!parts.isCertain("hour")) return undefined
  const seconds = parts.isCertain("second") && parts.get("second") !== 0 ? `:${two(parts.get("second"))}` : ""
  return `${two(parts.get("hour"))}:${two(parts.get("minute"))}${seconds}`
}

/** Returns the days of one match. The second day of a range has an empty span after the first. */
const daysOf = (
  { end, start }: chrono.ParsedResult,
  span: Span,
  zoneOf: (parts: chrono.ParsedComponents) => SaidZone
): ReadonlyArray<Mention<SaidDay>> => {
  const day = (parts: chrono.ParsedComponents, closes: boolean): SaidDay => {
    const time = timeOf(parts)
    return { date: dateOf(parts), closes, ...time !== undefined && { time, ...zoneOf(parts) } }
  }
  const first = { ...span, value: day(start, false) }
  return end && dateOf(end) !== dateOf(start)
    ? [first, { at: span.end, end: span.end, value: day(end, true) }]
    : [first]
}

/** Finds the days and times in a text. `zone` is the time zone of times without one. */
export const timesOf = (text: string, now: Date, zone: string): Times => {
  const { clocks, written } = withClock(text)
  const zones = zonesIn(written)
  const readable = blanked(written, zones)
  const found = chronoParse(readable, now)
    .filter(({ index, text: said }) =>
      !isLength(said) && !isDistance(said) && !impossibleTime.test(readable.slice(index + said.length)) &&
      !(isDoubtful(said) && text.trim() !== said) &&
      // In other languages only the first letter of a word may be a unit: "24 décembre" is not "24 d".
      !/^\p{L}/u.test(readable.slice(index + said.length, index + said.length + 2))
    )
    .map((result) => {
      const near = { at: result.index, end: result.index + result.text.length }
      const own = zones.find((one) => one.at >= near.at && one.at <= near.end + 1)
      const end = Math.max(
        near.end,
        own?.end ?? 0,
        ...clocks.filter((one) => overlaps(one, near)).map(({ end }) => end)
      )
      const span = { at: near.at, end }
      const isDay = result.start.isCertain("day") || result.start.isCertain("weekday")
      const zoneOf = (parts: chrono.ParsedComponents) => zoned(result.text, parts, dateOf(parts), own, zone)
      return { result, span, isDay, time: timeOf(result.start), zoneOf, isKnown: own?.value !== null }
    })
  const dates = found.filter(({ isDay, isKnown }) => isDay && isKnown)
    .flatMap(({ result, span, zoneOf }) => daysOf(result, span, zoneOf))
  const named = namedDays(text, now)
  const plain = [...named, ...dates.filter(outside(named))]
  return {
    dates: anchored(text, [...plain, ...ordinalDays(text, now).filter(outside(plain))]),
    times: found.flatMap(({ isDay, isKnown, result, span, time, zoneOf }) =>
      !isDay && isKnown && time !== undefined && /\d|noon|midnight|midday/i.test(result.text)
        ? [{ ...span, value: withZone(time, zoneOf(result.start).zone) }]
        : []
    ),
    periods: found.filter(({ isDay, isKnown, result }) => (!isDay || !isKnown) && /\d/.test(result.text))
      .map(({ span }) => span)
  }
}
