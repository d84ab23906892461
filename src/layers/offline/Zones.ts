/** Finds time zones after a time that chrono does not know: "14:30Z", "2pm Europe/Lisbon", "3pm Lisbon time". */
import type * as chrono from "chrono-node"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type { Mention } from "./Mentions.js"

/** The zone of a time: as it was said, if it was, and its distance to UTC in minutes. */
export interface SaidZone {
  readonly zone?: string
  readonly offset: number
}

/** The name of a zone; null for one that is not known. */
type ZoneMention = Mention<string | null>

const pattern =
  /(?<=\d|\d ?[apAP]\.?[mM]\.?|noon|midnight|midday|morning|afternoon|evening|night|today|tonight|tomorrow)(?: ?(Z)(?![\p{L}\p{N}])| ?\[?(\p{Lu}[\p{L}_]{1,20}(?:\/\p{Lu}[\p{L}_]{1,20}){1,2})\]?|,? {1,20}\(?(?:in )?((?:\p{Lu}[\p{L}'’-]{1,20} ){1,3}|(?:your|their|the local|local) )time(?![\p{L}\p{N}]))/gu

const cities: () => ReadonlyMap<string, string> = (() => {
  let names: ReadonlyMap<string, string> | undefined
  return () =>
    names ??= new Map(Intl.supportedValuesOf("timeZone").map((name) => [cityOf(name.split("/").at(-1) ?? ""), name]))
})()

const cityOf = (said: string): string => said.replaceAll("_", " ").trim().toLowerCase()

const isKnown = (name: string): boolean => Option.isSome(DateTime.zoneMakeNamed(name))

export const zonesIn = (text: string): ReadonlyArray<ZoneMention> =>
  Array.from(text.matchAll(pattern), (match): ZoneMention => {
    const [said, zulu, named, city] = match
    const name = zulu !== undefined ? "UTC" : named ?? cities().get(cityOf(city ?? "")) ?? ""
    return { at: match.index, end: match.index + said.length, value: name !== "" && isKnown(name) ? name : null }
  })

/** Replaces the zones by spaces, so that all positions stay the same. */
export const blanked = (text: string, zones: ReadonlyArray<ZoneMention>): string =>
  zones.reduce((rest, { at, end }) => rest.slice(0, at) + " ".repeat(end - at) + rest.slice(end), text)

/** Returns the local time in a zone, written as if it were UTC. */
export const localTime = (now: Date, zone: string): Date =>
  Option.match(DateTime.makeZoned(now, { timeZone: zone }), { onNone: () => now, onSome: DateTime.toDate })

/** Returns the distance of a zone to UTC in minutes, at a local day and time. */
const offsetIn = (zone: string, date: string, parts: chrono.ParsedComponents): number => {
  const local = new Date(`${date}T00:00:00Z`)
  local.setUTCHours(parts.get("hour") ?? 0, parts.get("minute") ?? 0)
  const found = DateTime.makeZoned(local, { timeZone: zone, adjustForTimeZone: true, disambiguation: "compatible" })
  return Option.match(found, {
    onNone: () => 0,
    onSome: (zoned) => (local.getTime() - DateTime.toEpochMillis(zoned)) / 60_000
  })
}

/** The form in which chrono has read a zone: "CET", "UTC+2", "+05:30". */
const read =
  /(?:UTC|GMT)\s?[+-]\s?\d{1,2}(?::?\d\d)?|(?<=[\d\s])[+-]\d\d:?\d\d|(?<!\p{L})(?:[A-Z]{2,4}T|UTC)(?!\p{L})|Z$/u

/** Returns the zone of a time: the one after it, else the one that chrono has read, else `zone`. */
export const zoned = (
  said: string,
  parts: chrono.ParsedComponents,
  date: string,
  own: ZoneMention | undefined,
  zone: string
): SaidZone => {
  if (own?.value) return { zone: own.value, offset: offsetIn(own.value, date, parts) }
  if (!parts.isCertain("timezoneOffset")) return { offset: offsetIn(zone, date, parts) }
  const name = read.exec(said.slice(said.search(/\d|noon|mid/i)).toUpperCase())?.[0]
  return { ...name !== undefined && { zone: name.replaceAll(" ", "") }, offset: parts.get("timezoneOffset") ?? 0 }
}

/** Formats a time of day with its zone: "14:00 CET", "14:00+01:00". */
export const withZone = (time: string, zone: string | undefined): string =>
  zone === undefined ? time : /^[+-]|^Z$/.test(zone) ? `${time}${zone}` : `${time} ${zone}`
