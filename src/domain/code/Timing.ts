/** The time limits of the parts of a turn, and what happens to messages that arrive during a turn. */
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** Time limits. */
export interface Timeouts {
  /** Limit until a model's first token when streaming. Default 60 seconds. */
  readonly firstToken?: Duration.DurationInput
  /** Limit of one model call. Default 120 seconds. */
  readonly model?: Duration.DurationInput
  /** Limit of one tool call, unless the tool has its own. Default 30 seconds. */
  readonly tool?: Duration.DurationInput
  /** Limit of a turn, counted from the moment when it gets the session's lock. Default 5 minutes. */
  readonly turn?: Duration.DurationInput
  /**
   * Limit of the wait for the session's lock while another turn runs; afterwards the turn fails with `SessionBusy`.
   * Default 1 minute.
   */
  readonly lock?: Duration.DurationInput
  /** Limit of a store access outside a turn (`snapshot`, `history`, `clear`, `dispatch`). Default 30 seconds. */
  readonly store?: Duration.DurationInput
}

/**
 * Handling of a message that arrives while another turn of the session runs: `queue` waits for that turn; `cancel`
 * stops it and answers both messages together; `reject` fails with `SessionBusy`.
 */
export const WhileBusy = Schema.Literal("queue", "cancel", "reject")

export type WhileBusy = typeof WhileBusy.Type
