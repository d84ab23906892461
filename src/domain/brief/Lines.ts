/**
 * How a brief is laid out in text, so that what was written can be read back: one thing per line, and texts that could be
 * taken for more than one thing in quotes.
 *
 * @since 0.1.0
 */
import { quote } from "../Json.js"

/**
 * A text that has several lines as one entry: each further line is indented, so only the library begins a line.
 *
 * @internal
 */
export const indented = (text: string): string => text.replaceAll("\n", "\n  ")

/**
 * The entries of a text, their further lines no longer indented.
 *
 * @internal
 */
export const entriesOf = (text: string): ReadonlyArray<string> =>
  text.split(/\n(?! {2})/).map((entry) => entry.replaceAll("\n  ", "\n"))

/**
 * A text that stands before one of `stops`: as it is, or quoted when it cannot be told from what follows it.
 *
 * @internal
 */
export const piece = (text: string, ...stops: ReadonlyArray<string>): string =>
  text === "" || text.startsWith("\"") || text.trim() !== text || stops.some((stop) => `${text} `.includes(stop))
    ? quote(text)
    : text

const literal = /^"(?:[^"\\]|\\.)*"/

/**
 * Reads what `piece` wrote: the text, and what comes after it.
 *
 * @internal
 */
export const takePiece = (line: string, ...stops: ReadonlyArray<string>): readonly [text: string, rest: string] => {
  const quoted = literal.exec(line)?.[0]
  if (quoted !== undefined) return [unquoted(quoted), line.slice(quoted.length)]
  const ends = stops.map((stop) => line.indexOf(stop)).filter((at) => at >= 0)
  const end = ends.length === 0 ? line.length : Math.min(...ends)
  return [line.slice(0, end), line.slice(end)]
}

const unquoted = (text: string): string => {
  const value = parsed(text)
  return typeof value === "string" ? value : text
}

/**
 * The JSON value of a text, `undefined` when it is not JSON.
 *
 * @internal
 */
export const parsed = (text: string | undefined): unknown => {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * A list of pieces, separated by commas.
 *
 * @internal
 */
export const listed = (texts: ReadonlyArray<string>): string => texts.map((text) => piece(text, ", ")).join(", ")

/**
 * Reads what `listed` wrote.
 *
 * @internal
 */
export const takeList = (line: string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let rest = line
  while (rest !== "") {
    const [text, after] = takePiece(rest, ", ")
    texts.push(text)
    rest = after.replace(/^, /, "")
    if (after === rest && rest !== "") break
  }
  return texts
}

/**
 * The block of data with a name: JSON in which nothing can close the block.
 *
 * @internal
 */
export const block = (name: string, value: unknown): string => `<${name}>${quote(value)}</${name}>`

/**
 * The value of a block, `undefined` when there is no such block or no JSON in it.
 *
 * @internal
 */
export const takeBlock = (text: string, name: string): unknown =>
  parsed(
    text.split("\n").find((line) => line.startsWith(`<${name}>`) && line.endsWith(`</${name}>`))
      ?.slice(name.length + 2, -name.length - 3)
  )
