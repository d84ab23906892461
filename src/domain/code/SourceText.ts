/**
 * The source text of code. A function that is made from data, such as a compiled expression, declares an equivalent
 * text, because its own text does not show what it reads.
 */

import type { Json } from "../base/Json.js"

interface Declared {
  readonly text: string
  readonly written: string | undefined
}

const declared = new WeakMap<object, Declared>()

/** Declares the text of a function, and returns the function. `written` is the expression as its author wrote it. */
export const declare = <F extends object>(code: F, text: string, written?: string): F => {
  declared.set(code, { text, written })
  return code
}

const constants = new WeakMap<object, Json>()

/** Makes a function that always returns this value. Its text shows the value. */
export const constant = (value: Json): () => Json => {
  const code = declare(() => value, `() => (${JSON.stringify(value).replace(/"([A-Za-z_$][\w$]*)":/g, "$1:")})`)
  constants.set(code, value)
  return code
}

/** Returns the value that a function always returns; `undefined` for functions that `constant` did not make. */
export const constantOf = (code: object): Json | undefined => constants.get(code)

/** Returns the expression from which a function was made, as its author wrote it; `undefined` for other functions. */
export const written = (code: object): string | undefined => declared.get(code)?.written

/** Returns the declared text of a function, else its own. */
export const of = (code: object): string => declared.get(code)?.text ?? Function.prototype.toString.call(code)
