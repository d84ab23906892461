/**
 * The source text of code. A function that is made from data, such as a compiled expression, declares an equivalent
 * text, because its own text shows nothing of what it reads.
 *
 * @since 0.2.0
 */

const declared = new WeakMap<object, string>()

/**
 * Declares the text of a function, and returns the function.
 *
 * @since 0.2.0
 * @category constructors
 */
export const declare = <F extends object>(code: F, text: string): F => {
  declared.set(code, text)
  return code
}

/**
 * Returns the declared text of a function, else its own.
 *
 * @since 0.2.0
 * @category getters
 */
export const of = (code: object): string => declared.get(code) ?? Function.prototype.toString.call(code)
