/** Time zone and locale of users, for models: the current date and time, and how to read dates and numbers. */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { known } from "./Locale.js"

const isZone = (name: string): boolean => Option.isSome(DateTime.zoneMakeNamed(name))

/** The name of a time zone. */
export const TimeZone = Schema.String.pipe(
  Schema.filter(isZone, { message: () => "must be the name of a time zone, such as \"Europe/Lisbon\"" })
)

/** The name of a locale. */
export const Locale = Schema.String.pipe(
  Schema.filter((name) => known(name) !== undefined, {
    message: () => "must be a locale, such as \"pt-PT\""
  })
)

/** Values for a context without its own time zone or locale. */
interface Defaults {
  readonly timeZone: string
  readonly locale: string | undefined
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

const two = (number: number): string => String(number).padStart(2, "0")

const textIn = (context: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = context[name]
  return typeof value === "string" ? value : undefined
}

/** Returns the time zone of the context, or the default one if the context has none that is valid. */
export const zoneOf = (context: Readonly<Record<string, unknown>>, byDefault: string): string => {
  const given = textIn(context, "timeZone")
  return given !== undefined && isZone(given) ? given : byDefault
}

/**
 * Formats the user's local time, weekday, offset and locale: `Tuesday, 2027-03-16, 15:05 (+01:00) in Europe/Berlin; the
 * user's locale is de-DE`. In UTC there is no offset. An invalid `timeZone` or `locale` in the context is ignored, so that no foreign text gets into the prompt.
 */
export const now = (
  instant: DateTime.DateTime,
  context: Readonly<Record<string, unknown>>,
  defaults: Defaults
): string => {
  const timeZone = zoneOf(context, defaults.timeZone)
  const [locale] = [textIn(context, "locale"), defaults.locale].flatMap((name) =>
    name === undefined ? [] : known(name) ?? []
  )
  const zoned = timeZone === "UTC" ? undefined : DateTime.setZone(instant, DateTime.zoneUnsafeMakeNamed(timeZone))
  const parts = zoned === undefined ? DateTime.toPartsUtc(instant) : DateTime.toParts(zoned)
  const offset = zoned === undefined ? "" : ` (${DateTime.zonedOffsetIso(zoned)})`
  const day = `${parts.year}-${two(parts.month)}-${two(parts.day)}`
  const time = `${two(parts.hours)}:${two(parts.minutes)}`
  return `${weekdays[parts.weekDay]}, ${day}, ${time}${offset} in ${timeZone}${
    locale === undefined ? "" : `; the user's locale is ${locale}`
  }`
}
