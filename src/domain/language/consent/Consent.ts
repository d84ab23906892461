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
export type { Language, Reason } from "./ConsentLanguage.js"
export { type Asked, Consent, Options, type Recogniser } from "./ConsentOptions.js"
export { english } from "./English.js"
export { dutch, french, german, hebrew, italian, polish, portuguese, spanish } from "./languages/Others.js"
export { answerOf, languages, objectionTo, unclear } from "./Recognition.js"
