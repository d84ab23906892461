/**
 * Excerpts of user data for errors, logs and records: the marked first characters, or only the type and size of the
 * value.
 */
import { head, isJson, type Json } from "../Json.js"

/** Maximum number of characters of a value that are shown. */
export const maxLength = 80

export interface Options {
  /** `false` shows no value at all, only its type and size. Default `true`. */
  readonly show?: boolean
}

/**
 * Formats a value for a message with its first 80 characters: `"Lisbon"`, `{"city":"Lis… [80 of 1200 characters]`. With
 * `show: false`, formats only its type and size: `a string of 6 characters`.
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

/** The type and size of a value, without its content. */
export const kind = (value: unknown): string => {
  if (value === null || value === undefined) return String(value)
  if (typeof value === "string") return `a string of ${value.length} characters`
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

/**
 * Returns the first `max` characters (UTF-16 code units) of a text, or one fewer to avoid splitting a surrogate pair:
 * databases refuse lone surrogates.
 */
export const start = (text: string, max: number): string => {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** Returns the last `max` characters of a text, or one fewer to avoid splitting a surrogate pair. */
export const end = (text: string, max: number): string => {
  if (text.length <= max) return text
  const cut = text.slice(text.length - max)
  return /^[\udc00-\udfff]/.test(cut) ? cut.slice(1) : cut
}

/**
 * Makes the pieces of a text well-formed: the first half of a surrogate pair waits for the piece with the other half,
 * and a lone half becomes U+FFFD.
 */
export class Pieces {
  private half = ""

  /** Returns the next piece; empty if only half of a pair has come. */
  next(piece: string): string {
    const all = this.half + piece
    const whole = start(`${all} `, all.length)
    this.half = all.slice(whole.length)
    return whole.toWellFormed()
  }

  /** Returns what is left at the end of the text. */
  rest(): string {
    const left = this.half.toWellFormed()
    this.half = ""
    return left
  }
}

const notice = /(?:^|\n)\[Truncated: (\d+) chars total, showing first \d+\]$/

/**
 * Cuts a text to `max` characters and appends a notice with its original length. If the text was cut before, the notice
 * states the length before the first cut.
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
 * Returns a value unchanged if its JSON text has at most `max` characters; otherwise returns its text, cut to `max`
 * characters.
 */
export const capped = (value: Json, max: number): Json => {
  if (typeof value === "string") return cut(value, max)
  const text = JSON.stringify(value)
  return text.length <= max ? value : cut(text, max)
}

/**
 * Largest number of characters of the expected part of a Schema's message; the developer may have written a long one.
 */
const maxComplaint = 300

/**
 * Shortens the value in a Schema's message: `Expected "a" | "b", actual "c"`. With `show: false`, the value is replaced
 * by its type and size; a message of another form is replaced by a general text, because it may quote the value, except
 * "is missing", "is forbidden" and "is unexpected".
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

/** The type and size of a value that is already formatted. */
const printed = (text: string): string => {
  if (text === "null" || text === "undefined") return text
  if (text === "true" || text === "false") return "a boolean"
  if (text !== "" && !Number.isNaN(Number(text))) return "a number"
  const type = text.startsWith("\"") ? "a string" : text.startsWith("[") ? "a list" : "a value"
  return `${type} of ${text.length} characters`
}
