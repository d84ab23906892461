/**
 * Phrases of one language for recognizing answers, used by `Consent`. Each list has words and phrases separated by
 * commas, without accents and capitals that do not change the meaning; longer phrases are matched before their words.
 * In a phrase, `{that|it}` stands for one of several words, and `[very]` for words that may be left out.
 */

/**
 * The reason why a message does not count as a yes: it contains a question or a quotation, sets a condition, denies,
 * hesitates, asks for more, or has no word of agreement.
 */
export type Reason = "asks" | "quotes" | "condition" | "denies" | "hesitates" | "more" | "silent"

/**
 * The phrases of a language. A plain yes is made of `agrees` and `beside`; `leads`, and words of the question, may
 * follow.
 */
export interface Language {
  /** Language code as in a locale: `en`. An author's language replaces a built-in one with the same code. */
  readonly code: string
  /** Phrases of agreement: "yes", "go ahead". */
  readonly agrees: string
  /** Phrases of refusal or withdrawal: "never mind". */
  readonly refuses: string
  /** Phrases of politeness, which change nothing: "thank you". */
  readonly beside: string
  /** Phrases before the action that the question names; they do not agree by themselves: "I would like to". */
  readonly leads: string
  /** Beginnings of a clause with a reason or a wish of politeness, for the model to judge: "because". */
  readonly explains: string
  /** Articles and pronouns: "the", "it". */
  readonly links: string
  /** Prepositions: "of", "with". */
  readonly prepositions: string
  /** Prepositions of an origin: "from". */
  readonly from: string
  /** Prepositions of a destination: "to". */
  readonly to: string
  /** Words of denial; a yes next to them does not count. */
  readonly denies: string
  /** Words that set a condition: "only if". */
  readonly conditions: string
  /** Words that delay, doubt or mock: "one moment", "yeah right". */
  readonly hesitates: string
  /** Words that quote somebody: "told me". */
  readonly quotes: string
  /** Words that begin a question, at any position: "could you". */
  readonly asks: string
  /** Words that begin a question at the beginning of a clause, and a relative clause elsewhere: "what". */
  readonly relates?: string
  /** Words that add or change something: "also", "instead". */
  readonly more: string
  /** Verbs of actions: "cancel", "refund". A verb that the question does not have is another request. */
  readonly verbs: string
  /** Groups of verbs that mean the same, with words separated by spaces: "change modify update, send forward". */
  readonly same: string
  /**
   * English verbs, each with the verbs of this language that mean it, separated by spaces: "cancel stornieren, book buchen".
   * An answer may repeat with them what a question in another language asks. English has no such list.
   */
  readonly actions?: string
  /** The same for what the actions are done to: "booking buchung reservierung". */
  readonly things?: string
  /** Things that users ask for, such as "human". They do not count as a reason. */
  readonly wishes: string
  /** Words of a question that name nothing: "details". */
  readonly generic: string
  /** Words of a sentence about what will happen: "will". */
  readonly future: string
  /** Words of a sentence that asks for an answer without a question mark: "please confirm". */
  readonly requests: string
  /** Words for what a question without a thing is about: "reservation" in answer to "Shall I proceed?". */
  readonly classes?: string
  /** Words for all of several things that the question names: "both". */
  readonly both?: string
  /** Words for all things of a kind, which a judged yes may say of the things in the question: "all". */
  readonly all?: string
  /** The numbers from one, as words. */
  readonly numerals?: string
  /** Verbs for the use of a means of payment: "charge" in "charge my gift card". */
  readonly pays?: string
  /** Means of payment, which count only if the question has them: "card". */
  readonly means?: string
  /** Verbs for what gives the user something, so that praise of it agrees: "book" in "The room is lovely". */
  readonly makes?: string
  /** Verbs for what takes something from the user, so that a wish for it does not agree: "cancel" in "Shall I cancel it?". */
  readonly takes?: string
  /** A general noun of a verb, and the verbs that it may stand for, separated by spaces: "change upgrade move". */
  readonly covers?: string
  /** Words for what is paid: "difference". */
  readonly money?: string
  /** Words for the sum that a question names: "money" in answer to "Shall I transfer 500 euros?". */
  readonly amounts?: string
  /** Words that join two things in a question: "and", "or". */
  readonly joins: string
  /** Words that join alternatives: "or". */
  readonly or: string
  /** Endings of the forms that an answer may have: imperatives, infinitives, nouns. An empty one is no ending. */
  readonly endings: string
  /** Endings of the other forms of the present, which a question may have. */
  readonly finite: string
  /** Endings of forms of the past, which a question may have: "ed". */
  readonly past: string
  /** True if a noun before another one says what kind it is, as in "desk lamp". */
  readonly compounds?: boolean
  /** Endings of nouns by case, if a language has cases. */
  readonly cases?: string
  /** Prefixes of the forms of a verb, and letters that its forms may lack, if the others name the verb, as in Hebrew. */
  readonly radicals?: { readonly prefixes: string; readonly weak: string }
  /** Prefixes that are written together with a word, as in Hebrew. */
  readonly prefixes?: string
  /** Parts of a verb that an imperative separates from it: "um" in "buchen Sie den Flug um". */
  readonly particles?: string
  /** True if all nouns have a capital letter, as in German. */
  readonly capitals?: boolean
  /** True if a number with a dot is an ordinal, as in "12. Juni". */
  readonly ordinals?: boolean
  /** True if the verb comes last in a question but not in its answer, as in German. */
  readonly verbLast?: boolean
  /** The sentences said before the question is repeated, by reason. */
  readonly unclear: Readonly<Record<Reason, string>>
}
