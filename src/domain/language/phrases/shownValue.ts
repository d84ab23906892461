/** Shows values in a question to the user. The values may be untrusted text. */
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import * as Locale from "../Locale.js"
import { filled, type Phrases } from "./Phrases.js"

/** The sentences of a language, and the locale in which values are shown beside them. */
export interface Spoken {
  readonly phrases: Phrases
  readonly locale: string
}

/** Largest length of a text that is shown whole; of a longer one, the two ends are shown. */
const longest = 200
const ends = { start: 140, end: 40 }

/** Largest number of parts of a list or an object that are shown. */
const mostParts = 20

/** Largest depth of lists and objects that are shown. */
const deepest = 4

/**
 * Characters that a user cannot see or that change the order of a text, ends of lines, quotation marks, and characters
 * that a page can read as markup. A text with them could look like the end of the value, or like the agent's own words.
 */
const misleading = /[\p{C}\p{Zl}\p{Zp}\u00ad\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"“”„«»<>[\]`*\\]/gu

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\"": "\\\"", "\\": "\\\\" }

const escaped = (text: string): string =>
  text.replace(misleading, (char) => named[char] ?? `\\u{${char.codePointAt(0)!.toString(16)}}`)

/** A text in quotation marks and in one line, in which nothing can end the quotation. */
const quoted = (text: string, { phrases }: Spoken): string => {
  const chars = Array.from(text)
  if (chars.length <= longest) return `"${escaped(text)}"`
  const [start, end] = [chars.slice(0, ends.start), chars.slice(-ends.end)]
  return `"${escaped(start.join(""))}" … "${escaped(end.join(""))}" (${
    filled(phrases.characters, String(chars.length))
  })`
}

const listed = (parts: ReadonlyArray<string>): string =>
  parts.length <= mostParts
    ? parts.join(", ")
    : `${parts.slice(0, mostParts - 2).join(", ")}, …, ${parts.slice(-2).join(", ")} (${parts.length})`

const dateIn = (value: Date | DateTime.DateTime, { locale }: Spoken): string => {
  const instant = DateTime.isDateTime(value) ? DateTime.toDateUtc(value) : value
  if (Number.isNaN(instant.getTime())) return "–"
  const isDay = instant.getTime() % 86_400_000 === 0
  return Locale.date({ context: { locale } }, instant, {
    dateStyle: "long",
    ...(!isDay && { timeStyle: "long" })
  })
}

const partsOf = (value: object, spoken: Spoken, depth: number): string => {
  const shown = (part: unknown): string => depth < deepest ? valueAt(part, spoken, depth + 1) : "…"
  if (!Array.isArray(value)) {
    const given = Object.entries(value).filter(([, part]) => part !== undefined)
    return `{${listed(given.map(([name, part]) => `${quoted(name, spoken)}: ${shown(part)}`))}}`
  }
  const parts = listed(value.map(shown))
  return depth === 0 && value.length > 0 ? parts : `[${parts}]`
}

const valueAt = (value: unknown, spoken: Spoken, depth: number): string => {
  if (typeof value === "string") return quoted(value, spoken)
  if (typeof value === "boolean") return value ? spoken.phrases.yes : spoken.phrases.no
  if (Predicate.isNumber(value) || Predicate.isBigInt(value)) {
    return Locale.number({ context: spoken }, value, { useGrouping: false, maximumFractionDigits: 20 })
  }
  if (Predicate.isDate(value) || DateTime.isDateTime(value)) return dateIn(value, spoken)
  return typeof value === "object" && value !== null ? partsOf(value, spoken, depth) : "–"
}

/**
 * Returns a value as text: numbers, dates and flags in the user's language; a text between quotation marks, without ends
 * of lines and markup, and shortened if it is long.
 */
export const shownValue = (value: unknown, spoken: Spoken): string => valueAt(value, spoken, 0)

/** Shortens a text of the definition to one line. */
export const inOneLine = (text: string): string => {
  const [first = ""] = text.trim().split(/[\r\n\u2028\u2029]/u)
  const line = first.trimEnd()
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`
}
