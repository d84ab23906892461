/** The texts in the language of the browser, or in the language that the page's address names (`?lang=de`). */
import { de } from "./de.js"
import { en } from "./en.js"

const asked = new URLSearchParams(location.search).get("lang") ?? navigator.language

export const words = asked.toLowerCase().startsWith("de") ? de : en

document.documentElement.lang = words.lang

const units = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]] as const

/** Returns the time since a moment in words: "2 minutes ago". */
export const ago = (iso: string, now: number): string => {
  const seconds = Math.round((Date.parse(iso) - now) / 1000)
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1]
  return new Intl.RelativeTimeFormat(words.lang, { numeric: "auto", style: "short" }).format(
    Math.round(seconds / size),
    unit
  )
}

export const clock = (iso: string): string =>
  new Intl.DateTimeFormat(words.lang, { hour: "2-digit", minute: "2-digit" }).format(new Date(iso))

export const day = (iso: string): string =>
  new Intl.DateTimeFormat(words.lang, { dateStyle: "medium", timeStyle: "short" }).format(new Date(iso))
