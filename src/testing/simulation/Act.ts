/**
 * What a simulated user does.
 *
 * @since 0.1.0
 */
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
 * The user says something: in words, and what is meant by them.
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
  /** The flow that is wanted. */
  readonly flow?: string
  /** The values that are given, as they come over a wire. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The fields whose values are taken back. */
  readonly withdrawn?: ReadonlyArray<string>
  /** What is left to chance in this turn: conditions, signals, what the model does. */
  readonly seed: number
}

/**
 * Something happens outside, while the user is in the conversation.
 *
 * @since 0.1.0
 * @category models
 */
export interface Happening {
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

/**
 * A job that was asked for reports how far it is, or how it ended, as if it had run.
 *
 * @since 0.1.0
 * @category models
 */
export interface Telling {
  readonly _tag: "Tell"
  readonly user: number
  /** The name of its event: `report.completed`. */
  readonly event: string
  /** Encoded; absent when there is nothing to tell. */
  readonly payload?: Json
  readonly seed: number
}

/**
 * Somebody decides a call that waits.
 *
 * @since 0.1.0
 * @category models
 */
export interface Deciding {
  readonly _tag: "Decide"
  readonly user: number
  readonly approved: boolean
  /**
   * A decision that has to be refused: the one before is made `"again"`, as by a button that was pressed twice, or that of a
   * call that waits `"elsewhere"`, in the session of another user, is made here.
   */
  readonly stray?: "again" | "elsewhere"
  readonly seed: number
}

/**
 * What a simulated user does, or what happens to them: say something, be silent for a time, in which timers go off, decide
 * a call that waits, or an event.
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
