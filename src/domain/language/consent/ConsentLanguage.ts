/**
 * Word lists of one language for recognizing answers, used by `Consent`. Each list has words and phrases separated by
 * commas, without accents and capitals that do not change the meaning; longer phrases are matched before their words.
 */

/**
 * The reason why a message does not count as a yes: it contains a question or a quotation, sets a condition, denies,
 * hesitates, asks for more, or has no word of agreement.
 *
 * @since 0.2.0
 * @category models
 */
export type Reason = "asks" | "quotes" | "condition" | "denies" | "hesitates" | "more" | "silent"

/**
 * The word lists of a language.
 *
 * @since 0.2.0
 * @category models
 */
export interface Language {
  /** Language code as in a locale: `en`. An author's language replaces a built-in one with the same code. */
  readonly code: string
  /** Words of agreement: "go ahead". */
  readonly agrees: string
  /** Words of refusal or withdrawal: "never mind". */
  readonly refuses: string
  /** Words that change nothing next to a yes or a no: "thank you". */
  readonly beside: string
  /** Words of denial; a yes next to them does not count. */
  readonly denies: string
  /** Words that set a condition: "only if". */
  readonly conditions: string
  /** Words that delay: "one moment". */
  readonly hesitates: string
  /** Words that quote somebody: "told me". */
  readonly quotes: string
  /** Words that begin a question, at any position: "could you". */
  readonly asks: string
  /** Words that add or change something: "also", "instead". */
  readonly more: string
  /**
   * Words that make another request, such as "refund"; such a word does not count if the question has it too. `endings`
   * finds inflected forms.
   */
  readonly wishes: string
  /** Words that join two things in a question: "and", "or". */
  readonly joins: string
  /** Endings of inflected forms: "ing", "ation". An empty one is the form without an ending. */
  readonly endings: string
  /** True if the verb comes last in a question but not in its answer, as in German. */
  readonly verbLast?: boolean
  /** The sentences said before the question is repeated, by reason. */
  readonly unclear: Readonly<Record<Reason, string>>
}
