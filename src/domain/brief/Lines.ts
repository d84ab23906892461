/**
 * How a brief is laid out in text: one thing per line, and data in blocks that nothing in them can close.
 *
 * @since 0.1.0
 */
import { quote } from "../base/Json.js"

/**
 * A text that has several lines as one entry: each further line is indented, so only the library begins a line.
 *
 * @internal
 */
export const indented = (text: string): string => text.replace(/\r\n?|\n/g, "\n  ")

/**
 * The parts that say something, one per line.
 *
 * @internal
 */
export const lines = (...parts: ReadonlyArray<string | false | undefined>): string =>
  parts.filter((part) => part !== undefined && part !== false && part !== "").join("\n")

/**
 * One item of a list.
 *
 * @internal
 */
export const item = (text: string): string => `- ${indented(text)}`

/**
 * What stands behind a label; nothing where there is nothing to say.
 *
 * @internal
 */
export const entry = (label: string, text: string | undefined): string =>
  text === undefined || text === "" ? "" : `${label}: ${indented(text)}`

/**
 * The block of data with a name: JSON in which nothing can close the block.
 *
 * @internal
 */
export const block = (name: string, value: unknown): string => `<${name}>${quote(value)}</${name}>`
