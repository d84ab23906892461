/** Splits a message into normalized words, so that spelling variants are equal. */

export interface Token {
  readonly text: string
  /** True if it identifies something: it has a digit, or a capital letter not at the start of a sentence. */
  readonly isName: boolean
  /** The punctuation before it: none, a comma or a dash, or the end of a sentence. */
  readonly gap: "none" | "clause" | "sentence"
}

/** Words before an apostrophe that count as separate words, as in "l'ordre" and "dell'ordine". */
const elided = new Set("l d j c qu m t s n un dell all nell dall sull quell".split(" "))

/** "Si" without accent means "if", except as a clause of its own at the start of the message. */
const yes = /^[^\p{L}\p{N}]{0,3}s[iíì](?![\p{L}\p{M}\p{N}'])(?=\s*(?:[,.;!…]|$))/iu

const word =
  /[\p{L}\p{M}\p{N}'&]+(?:[.,:@_/-](?=[\p{L}\p{N}])[\p{L}\p{M}\p{N}'&]+)*|\p{Extended_Pictographic}|[✔✅❌❤$€£¥]/gu

/** A word of several parts is one word if it is a number, an identifier or an address: "1,280", "a_7", "ann@x.org". */
const isWhole = (text: string): boolean => /[\p{N}@_]/u.test(text)

/** Words that mean something else without their accent: "si" is "if", "ja" is German for "yes". */
const accented = new Set(["sí", "sì", "já"])

/** Letters with a mark that has no precomposed form stay as they are: a word that is struck through is another word. */
const folded = (text: string): string =>
  accented.has(text) || (/\p{M}/u.test(text) && /\p{Script=Latin}/u.test(text))
    ? text.replace("ì", "í")
    : text.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ß", "ss").replaceAll("ł", "l")

const split = (text: string): ReadonlyArray<string> => {
  const at = text.indexOf("'")
  return at > 0 && elided.has(text.slice(0, at))
    ? [text.slice(0, at), text.slice(at + 1)].filter((one) => one !== "")
    : [text]
}

/** A number alone may be another price: "100" is "one hundred percent" only with its sign. */
const spelt = (text: string): string =>
  text.normalize("NFC").replace(/[’׳]/gu, "'").replace(/״/gu, "")
    .replace(/(?<![\d.,])100 ?%/gu, "one hundred percent")
    .replace(yes, (found) => found.replace(/s[iíì]$/iu, "sí"))

/** The words of a message. */
export const tokensOf = (message: string): ReadonlyArray<Token> => tokens(spelt(message))

/** Returns the words of a phrase in a list, with their spelling unchanged. */
export const wordsOf = (phrase: string): ReadonlyArray<string> => tokens(phrase).map(({ text }) => text)

/**
 * Removes surrounding apostrophes. Not by a regular expression, which would take quadratic time at the end of the text.
 */
const unquoted = (text: string): string => {
  let [from, to] = [0, text.length]
  while (text[from] === "'") from++
  while (to > from && text[to - 1] === "'") to--
  return text.slice(from, to)
}

const gapOf = (between: string): Token["gap"] =>
  /[.!?;…\n。！？؟]/u.test(between)
    ? "sentence"
    : /[,–—،，、"“”„«»]|(?:^|\s)-(?:\s|$)/u.test(between)
    ? "clause"
    : "none"

const tokens = (text: string): ReadonlyArray<Token> => {
  let end = 0
  return Array.from(text.matchAll(word)).flatMap(({ 0: found, index }) => {
    const gap = gapOf(text.slice(end, index))
    end = index + found.length
    const begins = /(?:^|[.!?:;…]\s*|[¿¡]\s*)$/.test(text.slice(Math.max(0, index - 4), index))
    return (isWhole(found) ? [found] : found.split(/[.,:/-]/u)).flatMap((part, i) => {
      const bare = unquoted(part)
      const isName = /\p{N}/u.test(bare) || (!(begins && i === 0) && /^\p{Lu}/u.test(bare)) ||
        /^\p{Lu}{2,}$/u.test(bare)
      return split(folded(bare.toLowerCase())).filter((one) => one !== "").map((one, j) => ({
        text: one,
        isName,
        gap: i + j === 0 ? gap : "none" as const
      }))
    })
  })
}
