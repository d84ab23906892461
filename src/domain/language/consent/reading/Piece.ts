/** A part of a message, as the language and the question explain it. */
import type { Kind } from "../Lexicon.js"
import type { Token } from "../Tokens.js"

/** A phrase of the language, a word that the message repeats from the question, a joining word, or any other word. */
export interface Piece {
  readonly tokens: ReadonlyArray<Token>
  readonly kind: Kind | "joins" | "links" | "prepositions" | "echo" | "unknown"
  /** The position of a repeated word in the question. */
  readonly place?: number
}

/** True if a phrase of agreement is said of the piece before it: "the price is fine". */
export const isPraised = (pieces: ReadonlyArray<Piece>, at: number): boolean => {
  const next = pieces[at + 1]
  return next !== undefined && next.kind === "agrees" && next.tokens[0]!.gap === "none"
}
