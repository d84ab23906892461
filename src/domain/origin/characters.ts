/** The characters of words, and the positions between words. */

const wordly = /^[\p{L}\p{N}\p{M}_]$/u

export const isWord = (char: string): boolean => wordly.test(char)

/** Returns the character at a position, of which the position may be the second half; empty outside of the text. */
export const charAt = (text: string, at: number): string => {
  const isSecondHalf = /^[\udc00-\udfff]$/.test(text[at] ?? "")
  const code = text.codePointAt(isSecondHalf ? Math.max(0, at - 1) : at)
  return code === undefined ? "" : String.fromCodePoint(code)
}

/** Letters of scripts without spaces between words. */
export const unspaced = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]$/u

/** True if a word can end at the position without a sign after it, as in scripts without spaces. */
export const isBoundary = (text: string, at: number): boolean => {
  const sides = [charAt(text, at - 1), charAt(text, at)]
  return sides.every(isWord) && sides.some((side) => unspaced.test(side)) &&
    new Intl.Segmenter(undefined, { granularity: "word" }).segment(text).containing(at)?.index === at
}
