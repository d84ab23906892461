/**
 * Recognition of yes and no answers in code, without a model. Unrecognized text never counts as a yes.
 *
 * @example
 * ```ts
 * import { Consent } from "coxswain"
 *
 * const question = "Shall I cancel OI5L9G?"
 * console.log(Consent.answerOf("Yes, please proceed with the cancellation.", { question })) // yes
 * console.log(Consent.answerOf("Yes, cancel ABC123", { question })) // undefined
 * console.log(Consent.objectionTo("Yes, but only if it is refunded", { question })) // condition
 * ```
 */
import * as Answers from "./Answers.js"
import type { Language, Reason } from "./ConsentLanguage.js"
import type { Asked } from "./ConsentOptions.js"
import { english } from "./English.js"
import { dutch, french, german, hebrew, italian, others, polish, portuguese, spanish } from "./languages/Others.js"

export type { Language, Reason }
export { dutch, english, french, german, hebrew, italian, polish, portuguese, spanish }
export { type Asked, Consent, Options, type Recogniser } from "./ConsentOptions.js"

/** The built-in languages. */
export const languages: ReadonlyArray<Language> = [english, ...others]

/**
 * Returns the answer of a message that only says yes or no to the question; `undefined` for any other message. Each
 * word must be known or occur in the question. A yes with a question, a quotation, a condition, a denial, a delay or
 * an addition does not count.
 */
export const answerOf = (message: string, asked: Asked = {}): "yes" | "no" | undefined =>
  Answers.answerOf(message, { ...asked, builtIn: languages })

/**
 * Returns the reason why a message does not count as a yes although the model judged it as one; `undefined` if there is
 * none. In unknown languages, looks for question marks, quotation marks, common words of refusal, and numbers that are
 * not in the question.
 */
export const objectionTo = (message: string, asked: Asked = {}): Reason | undefined =>
  Answers.objectionTo(message, { ...asked, builtIn: languages })

/** The sentence said before the question is repeated, in the question's language. */
export const unclear = (reason: Reason, asked: Asked = {}): string =>
  Answers.unclear(reason, { ...asked, builtIn: languages })
