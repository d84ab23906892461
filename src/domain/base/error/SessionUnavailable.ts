/** The error of a session that this process, or the cluster, cannot serve now. */
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
  },
  newer_version: {
    why: "a newer version of the agent has stored it, and this process has an older one",
    fix:
      "Send the request again, so that a process with the newer version takes it; if there is none, deploy that version"
  }
} as const

/**
 * The session cannot be served now: the node of the cluster that owns it did not answer, or this process is too old for it.
 */
export class SessionUnavailable extends Schema.TaggedError<SessionUnavailable>()("SessionUnavailable", {
  sessionId: Schema.String,
  /** `no_owner` and `newer_version`: no code was run. `owner_lost`: it is unknown whether the turn was stored. */
  reason: Schema.Literal("no_owner", "owner_lost", "newer_version")
}) {
  override get message(): string {
    return say(this._tag, { what: `session "${this.sessionId}"`, ...unavailable[this.reason] })
  }
}
