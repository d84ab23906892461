/** The part of a turn's state about its message as the answer to a yes-or-no question of the agent. Changed in place. */
import type { JsonObject } from "../../../domain/base/Json.js"
import type { Reason } from "../../../domain/language/consent/ConsentLanguage.js"
import type * as Recognition from "../../../domain/language/consent/Recognition.js"

/** The user's answer: yes, no, or changed arguments of the waiting call as JSON, by parameter. */
export type Verdict = "yes" | "no" | { readonly changes: JsonObject }

export class AnswerState {
  /** The user's answer, taken from the message; undefined if the message is none. */
  verdict: Verdict | undefined
  /** Recognises answers; loaded once the agent has asked a question. */
  recognition: typeof Recognition | undefined
  /** The reason why a message is not accepted as a yes although the model judged it as one. */
  unclear: Reason | undefined
}
