/** The text layout of a brief: one entry per line, and data in blocks whose content cannot close them. */
import { quote } from "../base/Json.js"

/**
 * Indents all lines of a text except the first, so that only the library can begin a line.
 *
 * @internal
 */
const indented = (text: string): string => text.replace(/\r\n?|\n/g, "\n  ")

/**
 * Joins the non-empty parts, one per line.
 *
 * @internal
 */
export const lines = (...parts: ReadonlyArray<string | false | undefined>): string =>
  parts.filter((part) => part !== undefined && part !== false && part !== "").join("\n")

/**
 * Formats one item of a list.
 *
 * @internal
 */
export const item = (text: string): string => `- ${indented(text)}`

/**
 * Formats a line with a label; returns "" if there is no text.
 *
 * @internal
 */
export const entry = (label: string, text: string | undefined): string =>
  text === undefined || text === "" ? "" : `${label}: ${indented(text)}`

/**
 * A named block of data: JSON that cannot close the block.
 *
 * @internal
 */
export const block = (name: string, value: unknown): string => `<${name}>${quote(value)}</${name}>`
