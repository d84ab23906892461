/**
 * Detection of values that were interpolated into a text. These parts are quoted, so that they stay data among
 * instructions.
 */
import { quote } from "../base/Json.js"

interface Span {
  readonly start: number
  readonly end: number
  /** The span includes the quotes that the text's author put around it. */
  readonly isQuoted?: boolean
}

/** Values shorter than this are not searched for: they cannot be instructions, and occur everywhere. */
const trivial = 3

/**
 * Minimum length (characters) of a shared substring that counts as interpolated from the value; case and truncation are
 * ignored.
 */
const stretch = 24

/** Minimum length (characters) of a shared substring with a line break; such a match is unlikely to be chance. */
const brokenStretch = 8

/**
 * Largest total number of characters of the values that are indexed for substrings; the values of a turn are normally
 * shorter.
 */
const most = 200_000

/** Largest number of lines of a value that are searched for separately; long lines are found as substrings anyway. */
const mostLines = 500

const breaks = /[\n\r\u0085\u2028\u2029]/

const isLetter = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}]/u.test(char)

/**
 * Lower-cases each character separately. A character whose lower case is longer stays unchanged, so that positions stay
 * the same.
 */
const folded = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => {
    const lower = text[i]!.toLowerCase()
    return lower.length === 1 ? lower : text[i]!
  }).join("")

/** Returns the occurrences of a value. A value of plain words matches whole words only: "Rome" is not in "Romeo". */
const placesOf = (text: string, value: string): ReadonlyArray<Span> => {
  const isPlain = value.length < stretch && /^[\p{L}\p{N} .,'’-]*$/u.test(value)
  const found: Array<Span> = []
  for (let start = text.indexOf(value); start >= 0; start = text.indexOf(value, start + value.length)) {
    const end = start + value.length
    const within = (isLetter(text[start - 1]) && isLetter(value[0])) || (isLetter(text[end]) && isLetter(value.at(-1)))
    if (!isPlain || !within) found.push({ start, end })
  }
  return found
}

const grams = function*(text: string, length: number): Generator<readonly [at: number, gram: string]> {
  for (let at = 0; at + length <= text.length; at++) yield [at, text.slice(at, at + length)]
}

/** The substrings shared with values, extended to whole words. */
const stretchesOf = (text: string, values: ReadonlyArray<string>): ReadonlyArray<Span> => {
  const known = new Set<string>()
  let left = most
  for (const value of values) {
    const part = folded(value.slice(0, Math.max(0, left)))
    left -= part.length
    for (const [, gram] of grams(part, stretch)) known.add(gram)
    if (breaks.test(part)) {
      for (const [, gram] of grams(part, brokenStretch)) if (breaks.test(gram)) known.add(gram)
    }
  }
  if (known.size === 0) return []
  const plain = folded(text)
  const found = [stretch, brokenStretch].flatMap((length) => {
    const spans: Array<Span> = []
    for (const [start, gram] of grams(plain, length)) if (known.has(gram)) spans.push({ start, end: start + length })
    return spans
  })
  return merged(found).map((span) => wholeWords(text, span))
}

const wholeWords = (text: string, { end, start }: Span): Span => {
  let from = start
  let to = end
  while (from < to && text[from]!.trim() === "") from++
  while (from < to && text[to - 1]!.trim() === "") to--
  while (isLetter(text[from]) && isLetter(text[from - 1])) from--
  while (isLetter(text[to - 1]) && isLetter(text[to])) to++
  return { start: from, end: to }
}

/** Many emoji share the first half of their surrogate pair, so a shared substring may end in the middle of one. */
const wholeCharacters = (text: string, { end, start }: Span): Span => ({
  start: isWithinPair(text, start) ? start - 1 : start,
  end: isWithinPair(text, end) ? end + 1 : end
})

const isWithinPair = (text: string, at: number): boolean =>
  at > 0 && at < text.length && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1))

const merged = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const all: Array<Span> = []
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = all.at(-1)
    if (last === undefined || span.start > last.end) all.push(span)
    else if (span.end > last.end) all[all.length - 1] = { start: last.start, end: span.end }
  }
  return all
}

/** The JSON strings in a text, which its author has already quoted. They begin and end on the same line. */
const literalsOf = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  let start = -1
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (breaks.test(char)) start = -1
    else if (char === "\\" && start >= 0) at++
    else if (char === "\"") {
      if (start >= 0) found.push({ start, end: at + 1, isQuoted: true })
      start = start >= 0 ? -1 : at
    }
  }
  return found
}

/** The forms in which a value may occur: unchanged, trimmed, line by line, or JSON-escaped. */
const formsOf = (value: string): ReadonlyArray<string> => [
  value,
  value.trim(),
  ...(breaks.test(value) ? value.split(breaks, mostLines).map((line) => line.trim()) : []),
  JSON.stringify(value).slice(1, -1)
]

/** Returns the content of a quoted part: the parsed JSON string, else the text between the quotes. */
const saidIn = (part: string): string => {
  try {
    return String(JSON.parse(part))
  } catch {
    return part.slice(1, -1)
  }
}

/** Extends spans to the quotes around them: to the JSON string around them, or to adjacent quotes. */
const around = (text: string, spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const literals = literalsOf(text)
  let next = 0
  return spans.map(({ end, start }) => {
    while (next < literals.length && literals[next]!.end <= start) next++
    const literal = literals[next]
    if (literal !== undefined && literal.start < start && end < literal.end) return literal
    return text[start - 1] === "\"" && text[end] === "\""
      ? { start: start - 1, end: end + 1, isQuoted: true }
      : { start, end }
  })
}

/**
 * Quotes every part of the text that was interpolated from a value, as one line of JSON that cannot close a tag. Parts
 * already in quotes are not quoted twice.
 *
 * @internal
 */
export const quoted = (text: string, values: Iterable<string>): string => {
  const given = Array.from(new Set(values)).filter((value) => value.trim().length >= trivial)
  if (given.length === 0 || text === "") return text
  const forms = Array.from(new Set(given.flatMap(formsOf))).filter((form) => form.length >= trivial)
  const spans = merged([...forms.flatMap((form) => placesOf(text, form)), ...stretchesOf(text, given)])
    .map((span) => wholeCharacters(text, span))
  if (spans.length === 0) return text
  let result = ""
  let at = 0
  for (const { end, isQuoted, start } of merged(around(text, spans))) {
    const part = text.slice(start, end)
    result += text.slice(at, start) + quote(isQuoted === true ? saidIn(part) : part)
    at = end
  }
  return result + text.slice(at)
}
