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
