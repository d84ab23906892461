/**
 * Regular expressions from outside, such as those of a remote server's schemas or of an imported document. They run on
 * RE2, whose time grows with the length of the text and never exponentially.
 */
import { RE2JS } from "re2js"

/** A compiled pattern. */
export interface ForeignPattern {
  /** True if the pattern occurs in the text. Its time is at most proportional to `size` times the text's length. */
  readonly test: (text: string) => boolean
  /** Number of instructions of the compiled pattern. */
  readonly size: number
}

/** Maximum length of a pattern in characters, and maximum size in instructions. */
const maxLength = 2000
const maxSize = 5000

/**
 * True if it is a regular expression of ECMAScript. RE2 has syntax of its own, which would mean something else here.
 */
const isEcmaScript = (pattern: string): boolean => {
  try {
    // Only compiled, never run.
    return new RegExp(pattern, "u") instanceof RegExp
  } catch {
    return false
  }
}

/**
 * Compiles a pattern of ECMAScript (flag `u`). Returns `undefined` when it is no pattern, has more than 2,000
 * characters or 5,000 instructions, or cannot run in linear time, such as one with a back reference or a lookaround.
 */
export const make = (pattern: string): ForeignPattern | undefined => {
  if (pattern.length > maxLength || pattern.includes("\\k") || !isEcmaScript(pattern)) return undefined
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    const size = compiled.programSize()
    return size > maxSize ? undefined : { size, test: (text) => compiled.test(text) }
  } catch {
    return undefined
  }
}
