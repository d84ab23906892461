/** The error of a session whose owner in the cluster does not answer. */
import * as Schema from "effect/Schema"
import { say } from "./ErrorMessage.js"

const unavailable = {
  no_owner: {
    why: "no node of the cluster took its message in time, and nothing was run",
    fix: "Check that nodes of the cluster are running, and send the message again"
  },
  owner_lost: {
    why: "the node that ran its message left before it answered; what it did may be stored",
    fix: "Send the message again with the same messageId; without one, read the session first"
  }
} as const

/**
 * The node of the cluster that owns the session did not answer.
 *
 * @since 0.2.0
 * @category errors
 */
export class SessionUnavailable extends Schema.TaggedError<SessionUnavailable>()("SessionUnavailable", {
  sessionId: Schema.String,
  /** `no_owner`: nothing was run. `owner_lost`: it is unknown whether the turn was stored. */
  reason: Schema.Literal("no_owner", "owner_lost")
}) {
  override get message(): string {
    return say(this._tag, { what: `session "${this.sessionId}"`, ...unavailable[this.reason] })
  }
}
