/**
 * The source text of code. A function that is made from data, such as a compiled expression, declares an equivalent
 * text, because its own text does not show what it reads.
 */

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

/** Returns the expression from which a function was made, as its author wrote it; `undefined` for other functions. */
export const written = (code: object): string | undefined => declared.get(code)?.written

/** Returns the declared text of a function, else its own. */
export const of = (code: object): string => declared.get(code)?.text ?? Function.prototype.toString.call(code)
