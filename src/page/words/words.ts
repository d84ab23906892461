/** The texts in the language of the reader. */
import { de } from "./de.js"
import { en } from "./en.js"
import { language } from "./language.js"

export const words = language().toLowerCase().startsWith("de") ? de : en

document.documentElement.lang = words.lang

/** The locale for times and numbers: the browser's, where it has the language of the page. */
const locale = navigator.language.toLowerCase().startsWith(words.lang) ? navigator.language : words.lang

const units = [["day", 86_400], ["hour", 3600], ["minute", 60]] as const

/** Returns the time since a moment in words: "2 minutes ago", or "now" within a minute. */
export const ago = (iso: string, now: number): string => {
  const seconds = Math.round((Date.parse(iso) - now) / 1000)
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", Infinity]
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" }).format(
    Math.round(seconds / size),
    unit
  )
}

export const clock = (iso: string): string =>
  new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" }).format(new Date(iso))

export const day = (iso: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(new Date(iso))

/** Returns a length of time in its largest unit: "14 min". */
export const lasting = (ms: number): string => {
  const [unit, size] = units.find(([, size]) => ms >= size * 1000) ?? []
  return unit === undefined || size === undefined
    ? words.desk.moment
    : new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(Math.floor(ms / size / 1000))
}

/** A day, or a day with a time, as JSON has it. */
const moment = /\b(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?\b/g

/** Returns a text with its dates as a person writes them. */
export const written = (text: string): string =>
  text.replace(moment, (found, date: string, time: string | undefined) => {
    const at = new Date(time === undefined ? `${date}T00:00:00Z` : found)
    if (Number.isNaN(at.getTime())) return found
    return time === undefined || /^T00:00(:00(\.0+)?)?Z$/.test(time)
      ? new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(at)
      : day(found)
  })
