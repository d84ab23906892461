/**
 * Regular expressions from outside, such as those in a remote server's schemas or in an imported document. They run on
 * RE2, whose time is linear in the length of the text, never exponential.
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
 * True if the pattern is a regular expression of ECMAScript. RE2 also accepts syntax of its own, which has another
 * meaning in ECMAScript.
 */
const isEcmaScript = (pattern: string): boolean => {
  try {
    // The RegExp is only compiled, never run.
    return new RegExp(pattern, "u") instanceof RegExp
  } catch {
    return false
  }
}

/**
 * Compiles a pattern of ECMAScript (flag `u`). Returns `undefined` if it is no valid pattern, has more than 2,000
 * characters or 5,000 instructions, or cannot run in linear time, such as a pattern with a back reference or a
 * lookaround.
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
