/** The error of a turn that cannot be restored. */
import * as Schema from "effect/Schema"
import { say } from "./ErrorMessage.js"

const told = {
  snapshots_off: {
    why: "the agent keeps no session as it stood at the end of a turn",
    fix: "Give the agent snapshots: { keep: 20 }; turns from then on can be gone back to"
  },
  no_such_turn: {
    why: "the session has no such turn, or was taken back from it",
    fix: "Pass the number of one of the turns in session.turns, or 0 for before the first"
  },
  not_kept: {
    why: "it is not kept any more",
    fix: "Go back to a later turn of session.turns, raise snapshots.keep, or let the store keep answers for longer"
  }
} as const

/** The requested turn cannot be restored. The session is unchanged. */
export class TurnUnavailable extends Schema.TaggedError<TurnUnavailable>()("TurnUnavailable", {
  sessionId: Schema.String,
  /** The requested turn. */
  turn: Schema.Number,
  /** `not_kept`: the turn existed, but is older than the turns that are kept. */
  reason: Schema.Literal("snapshots_off", "no_such_turn", "not_kept")
}) {
  override get message(): string {
    return say(this._tag, { what: `turn ${this.turn} of session "${this.sessionId}"`, ...told[this.reason] })
  }
}
