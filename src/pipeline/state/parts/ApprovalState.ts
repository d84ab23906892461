/** The part of a turn's state about calls and values that wait for a decision. Changed in place. */
import type * as Prompt from "@effect/ai/Prompt"
import type { JsonObject } from "../../../domain/base/Json.js"
import type { Language, Reason } from "../../../domain/language/consent/ConsentLanguage.js"
import { english } from "../../../domain/language/consent/English.js"
import type { Session } from "../../../domain/session/Session.js"

/** The user's verdict on a waiting call: yes, no, or changed arguments as JSON, by parameter. */
export type Verdict = "yes" | "no" | { readonly changes: JsonObject }

export class ApprovalState {
  /** The user's verdict on a waiting call, taken from the message. */
  verdict: Verdict | undefined
  /** The built-in languages in which an answer is recognised: all of them once the agent has asked a question. */
  languages: ReadonlyArray<Language> = [english]
  /** The reason why a message is not accepted as a yes although the model judged it as one. */
  unclear: Reason | undefined
  /** The session as this turn's claim stored it, and the claim's id. */
  claimed: { readonly session: Session; readonly id: string } | undefined
  /** Id of the first approval request of the round that this turn resumes; set if the user decided about the round. */
  resumes: string | undefined
  /** Messages of an earlier, suspended turn whose calls were cancelled; they are stored before this turn's. */
  cancelled: ReadonlyArray<Prompt.Message> = []
}
