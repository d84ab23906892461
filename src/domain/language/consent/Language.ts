/**
 * How people of one language answer a question: data for `Consent`. Each list has words and phrases, separated by commas,
 * without accents or capitals where they change nothing; a longer phrase goes before the words in it.
 *
 * @since 0.2.0
 */

/**
 * Why a message is not taken as a yes: it asks back, tells what somebody has said, names a condition, denies something, is
 * undecided, asks for something else as well, or has no word of agreement.
 *
 * @since 0.2.0
 * @category models
 */
export type Reason = "asks" | "quotes" | "condition" | "denies" | "hesitates" | "more" | "silent"

/**
 * The words of one language by which code understands an answer.
 *
 * @since 0.2.0
 * @category models
 */
export interface Language {
  /** As in a locale: `en`. Of two languages with one code, the author's goes first. */
  readonly code: string
  /** They agree: "go ahead". */
  readonly agrees: string
  /** They refuse or withdraw: "never mind". */
  readonly refuses: string
  /** They change nothing beside a yes or a no: "thank you". */
  readonly beside: string
  /** They deny, so that a yes beside them is none. */
  readonly denies: string
  /** They make it depend on something: "only if". */
  readonly conditions: string
  /** They put it off: "one moment". */
  readonly hesitates: string
  /** They tell what somebody has said: "told me". */
  readonly quotes: string
  /** They begin a question, wherever they stand: "could you". */
  readonly asks: string
  /** They add or change something: "also", "instead". */
  readonly more: string
  /** Words of other wishes, unless the question has them: "refund". Other forms of them are found by the endings. */
  readonly wishes: string
  /** They join two things in a question: "and", "or". */
  readonly joins: string
  /** The endings by which forms of a word differ: "ing", "ation". An empty one stands for the word without an ending. */
  readonly endings: string
  /** Whether the verb of a question stands last, and the verb of its answer does not. */
  readonly verbLast?: boolean
  /** What is said before the question is asked again, by the reason. */
  readonly unclear: Readonly<Record<Reason, string>>
}
