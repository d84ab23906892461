/** The acts of a simulated user. */
import type { Json } from "../../domain/base/Json.js"

/**
 * How a user behaves in one turn.
 *
 * @since 0.1.0
 * @category models
 */
export type Behaviour =
  | "inform"
  | "inform many"
  | "answer out of order"
  | "correct"
  | "take back"
  | "contradict"
  | "digress"
  | "refuse"
  | "agree"
  | "decline"
  | "misstate"
  | "repeat"
  | "send again"
  | "nonsense"
  | "cooperate"

/**
 * The user sends a message; the fields say what it means.
 *
 * @since 0.1.0
 * @category models
 */
export interface Saying {
  readonly _tag: "Say"
  readonly user: number
  readonly behaviour: Behaviour
  readonly message: string
  readonly messageId: string
  /** The flow that the message asks for. */
  readonly flow?: string
  /** The values that it states, encoded. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The fields whose values are taken back. */
  readonly withdrawn?: ReadonlyArray<string>
  /** Seed of the random choices in this turn: conditions, signals, the model's behaviour. */
  readonly seed: number
}

/** An event from outside, during the conversation. */
interface Happening {
  readonly _tag: "Happen"
  readonly user: number
  /** The name of the event. */
  readonly event: string
  /** Encoded. */
  readonly payload: Json
  /** The `eventId`. */
  readonly messageId: string
  readonly seed: number
}

/** A job that was started reports its progress or its end, although it never ran. */
export interface Telling {
  readonly _tag: "Tell"
  readonly user: number
  /** The name of its event: `report.completed`. */
  readonly event: string
  /** Encoded; absent if the event has none. */
  readonly payload?: Json
  readonly seed: number
}

/**
 * A person decides a call that waits.
 *
 * @since 0.1.0
 * @category models
 */
export interface Deciding {
  readonly _tag: "Decide"
  readonly user: number
  readonly approved: boolean
  /**
   * An invalid decision: `"again"` repeats the last one, as if a button was pressed twice; `"elsewhere"` decides here a
   * call that waits in the session of another user.
   */
  readonly stray?: "again" | "elsewhere"
  readonly seed: number
}

/**
 * An act of a simulated user, or an event for them: a message, a silence during which timers fire, a decision about a
 * waiting call, an event, or a job's report.
 *
 * @since 0.1.0
 * @category models
 */
export type Act =
  | Saying
  | Happening
  | Telling
  | { readonly _tag: "Wait"; readonly user: number; readonly hours: number }
  | Deciding

/** The session of a user. */
export const sessionOf = ({ user }: Act): string => `user-${user + 1}`
