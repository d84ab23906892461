/**
 * Reads JSON that a model wrote into a text: bare, in a Markdown fence, or between words. A key `__proto__` is kept as
 * a key; those who use the value refuse it.
 */
import * as Either from "effect/Either"
import { reasonOf } from "../../base/error/ErrorMessage.js"

/** Maximum number of places in a text at which a JSON value is looked for, because each may cost a walk to its end. */
const maxPlaces = 200

const fence = /^```\w*[ \t]*\r?\n?/

/** Removes a byte order mark, white space and one Markdown fence around the whole text. */
const bare = (text: string): string => {
  const trimmed = text.replace(/^\uFEFF/, "").trim()
  const opening = fence.exec(trimmed)
  if (opening === null || !trimmed.endsWith("```")) return trimmed
  return trimmed.slice(opening[0].length, Math.max(opening[0].length, trimmed.length - 3)).trim()
}

/** Returns the index behind the string that begins at `from`; the length of the text if the string does not end. */
const behindString = (text: string, from: number): number => {
  for (let i = from + 1; i < text.length; i++) {
    if (text[i] === "\\") i++
    else if (text[i] === "\"") return i + 1
  }
  return text.length
}

const closing: Readonly<Record<string, string>> = { "{": "}", "[": "]" }

/** Returns the index behind the object or list that begins at `from`; undefined if it does not end. */
const behindValue = (text: string, from: number): number | undefined => {
  const open: Array<string> = []
  for (let i = from; i < text.length; i++) {
    const char = text[i]!
    if (char === "\"") i = behindString(text, i) - 1
    else if (closing[char] !== undefined) open.push(closing[char])
    else if (char === "}" || char === "]") {
      if (open.pop() !== char) return undefined
      if (open.length === 0) return i + 1
    }
  }
  return undefined
}

/** Removes the commas before a closing bracket, outside of strings. */
const withoutTrailingCommas = (json: string): string => {
  let kept = ""
  let from = 0
  for (let i = 0; i < json.length; i++) {
    if (json[i] === "\"") i = behindString(json, i) - 1
    else if (json[i] === "," && /^\s*[}\]]/.test(json.slice(i + 1, i + 101))) {
      kept += json.slice(from, i)
      from = i + 1
    }
  }
  return kept + json.slice(from)
}

/** Parses a JSON text, also with commas before closing brackets. Left: the reason why it is no JSON. */
const parse = (json: string): Either.Either<unknown, string> =>
  Either.orElse(
    Either.try({ try: (): unknown => JSON.parse(json), catch: reasonOf }),
    (why) => Either.mapLeft(Either.try((): unknown => JSON.parse(withoutTrailingCommas(json))), () => why)
  )

/** Parses a text that is one JSON value as a whole. Left: the reason why it is none. */
export const whole = (text: string): Either.Either<unknown, string> => parse(bare(text))

/** A JSON object or list that stands in a text, up to the index `end`. */
interface Found {
  readonly value: unknown
  readonly end: number
}

/** Returns the first JSON object or list at or behind `from`; undefined if there is none. */
export const first = (text: string, from = 0): Found | undefined => {
  let places = 0
  for (let i = from; i < text.length && places < maxPlaces; i++) {
    if (closing[text[i]!] === undefined) continue
    places++
    const end = behindValue(text, i)
    if (end === undefined) continue
    const value = parse(text.slice(i, end))
    if (Either.isRight(value)) return { value: value.right, end }
  }
  return undefined
}

/** Returns the JSON objects and lists that stand in a text, in order, without those inside others. */
export const all = (text: string): ReadonlyArray<unknown> => {
  const values: Array<unknown> = []
  for (let found = first(text); found !== undefined && values.length < maxPlaces; found = first(text, found.end)) {
    values.push(found.value)
  }
  return values
}
