/**
 * What an error, a log or a record may show of somebody's words and data: a short beginning, marked as one, or only what
 * kind of value it is and how large.
 *
 * @since 0.1.0
 */
import { head, isJson, type Json } from "../Json.js"

/**
 * How many characters of a value are shown.
 *
 * @since 0.1.0
 * @category limits
 */
export const maxLength = 80

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** `false` shows no value at all, only its type and size. Default `true`. */
  readonly show?: boolean
}

/**
 * A value in a message, at most 80 characters of it: `"Lisbon"`, `{"city":"Lis… [80 of 1200 characters]`. With
 * `show: false` its type and size: `a string of 6 characters`.
 *
 * @since 0.1.0
 * @category rendering
 */
export const of = (value: unknown, { show = true }: Options = {}): string => {
  if (!show || (typeof value === "object" && !isJson(value))) return kind(value)
  if (typeof value === "string") {
    const shown = JSON.stringify(start(value, maxLength))
    return value.length <= maxLength ? shown : `${shown}… [${maxLength} of ${value.length} characters]`
  }
  return isJson(value) ? beginning(value) : kind(value)
}

const beginning = (value: Parameters<typeof head>[0]): string => {
  const text = head(value, maxLength + 1)
  return text.length <= maxLength ? text : `${start(text, maxLength)}… [the first ${maxLength} characters]`
}

/**
 * The type and size of a value, and nothing of what it holds.
 *
 * @since 0.1.0
 * @category rendering
 */
export const kind = (value: unknown): string => {
  if (value === null || value === undefined) return String(value)
  if (typeof value === "string") return `a string of ${value.length} characters`
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

/**
 * The beginning of a text, at most `max` characters (UTF-16 code units), never ending between the halves of a character:
 * databases refuse a text with half a character in it.
 *
 * @since 0.1.0
 * @category rendering
 */
export const start = (text: string, max: number): string => {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

const notice = /(?:^|\n)\[Truncated: (\d+) chars total, showing first \d+\]$/

/**
 * A text cut to size, with a notice after it that says how long it was. A text that was cut before keeps its first length.
 *
 * @since 0.1.0
 * @category rendering
 */
export const cut = (text: string, max: number): string => {
  if (text.length <= max) return text
  const before = notice.exec(text)
  const whole = before === null ? text : text.slice(0, before.index)
  if (before !== null && whole.length <= max) return text
  const shown = start(whole, max)
  return `${shown}\n[Truncated: ${before?.[1] ?? text.length} chars total, showing first ${shown.length}]`
}

/**
 * A value cut to size: as text, if it is too large.
 *
 * @since 0.1.0
 * @category rendering
 */
export const capped = (value: Json, max: number): Json => {
  if (typeof value === "string") return cut(value, max)
  const text = JSON.stringify(value)
  return text.length <= max ? value : cut(text, max)
}

/** What a Schema expected is the developer's words, and may be long for good reason. */
const maxComplaint = 300

/**
 * A Schema's complaint with the value in it shortened: `Expected "a" | "b", actual "c"`. With `show: false` the value is
 * replaced by its type and size; of a message that is worded in any other way nothing is left, since it may quote the value.
 *
 * @since 0.1.0
 * @category rendering
 */
export const complaint = (message: string, { show = true }: Options = {}): string => {
  const at = message.indexOf(actual)
  if (!show && (at === -1 || !message.startsWith("Expected "))) {
    return /^is (missing|forbidden|unexpected\b.*)$/.test(message) ? marked(message, maxComplaint) : refused
  }
  if (at === -1) return marked(message, maxComplaint)
  const value = message.slice(at + actual.length)
  return `${marked(message.slice(0, at), maxComplaint)}${actual}${show ? marked(value, maxLength) : printed(value)}`
}

const actual = ", actual "
const refused = "is not what its Schema allows"

const marked = (text: string, max: number): string =>
  text.length <= max ? text : `${start(text, max)}… [${max} of ${text.length} characters]`

/** The type of a value that has been printed already. */
const printed = (text: string): string => {
  if (text === "null" || text === "undefined") return text
  if (text === "true" || text === "false") return "a boolean"
  if (text !== "" && !Number.isNaN(Number(text))) return "a number"
  const type = text.startsWith("\"") ? "a string" : text.startsWith("[") ? "a list" : "a value"
  return `${type} of ${text.length} characters`
}
