/** The acts of a simulated user, and the events that happen to the user. */
import type { Json } from "../../domain/base/Json.js"

/** The behaviour of a user in one turn. */
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

/** A message of the user. The other fields define its meaning. */
export interface Saying {
  readonly _tag: "Say"
  readonly user: number
  readonly behaviour: Behaviour
  readonly message: string
  readonly messageId: string
  /** The flow that the message asks for. */
  readonly flow?: string
  /** The encoded values that the message states. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The fields whose values the message withdraws. */
  readonly withdrawn?: ReadonlyArray<string>
  /** Seed of the random choices in this turn: conditions, signals, the model's behaviour. */
  readonly seed: number
}

/** An event from outside the conversation. */
interface Happening {
  readonly _tag: "Happen"
  readonly user: number
  /** The name of the event. */
  readonly event: string
  /** Encoded. */
  readonly payload: Json
  /** The `eventId` of the event. */
  readonly messageId: string
  readonly seed: number
}

/** A report of a started job about its progress or its end. The job never really runs. */
export interface Telling {
  readonly _tag: "Tell"
  readonly user: number
  /** The name of the job's event: `report.completed`. */
  readonly event: string
  /** The encoded payload; absent if the event has none. */
  readonly payload?: Json
  readonly seed: number
}

/** The decision of a person about a waiting tool call. */
export interface Deciding {
  readonly _tag: "Decide"
  readonly user: number
  readonly approved: boolean
  /**
   * Set if the decision is invalid: `"again"` repeats the last decision, as if a button was pressed twice;
   * `"elsewhere"` sends, in this session, a decision about a call that waits in the session of another user.
   */
  readonly stray?: "again" | "elsewhere"
  readonly seed: number
}

/**
 * An act of a simulated user, or an event that the user does not cause: a message, a silence during which timers fire,
 * a decision about a waiting call, an external event, or a job's report.
 */
export type Act =
  | Saying
  | Happening
  | Telling
  | { readonly _tag: "Wait"; readonly user: number; readonly hours: number }
  | Deciding

/** Returns the id of the user's session. */
export const sessionOf = ({ user }: Pick<Act, "user">): string => `user-${user + 1}`
