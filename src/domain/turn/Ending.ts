/**
 * How a turn ends. It is `Open` until something was said or nothing may be said, and only moves forward: a new
 * ending replaces the current one if it weighs as much or more.
 *
 * @since 0.1.0
 */
import type { PendingApproval } from "../session/Session.js"
import type { StoppedReason } from "./TurnResponse.js"

/**
 * @since 0.1.0
 * @category models
 */
export type Ending =
  /** Nothing was said yet: the walk goes on. */
  | { readonly _tag: "Open" }
  /** Nothing may be said. */
  | { readonly _tag: "Halted" }
  /** An event came, and the conversation stays where it is. */
  | { readonly _tag: "Handled" }
  /** A step, or no step at all, said something. */
  | { readonly _tag: "Spoken" }
  /** A directive gave the answer. */
  | { readonly _tag: "Replied" }
  /** The answer was given, then a directive moved the conversation: the target speaks in the next turn. */
  | { readonly _tag: "Moved"; readonly by: "goto" | "reset" }
  /** The model was asked to answer without the tools it still wanted. */
  | { readonly _tag: "OutOfRounds" }
  /** A person has the floor, or is to take it. */
  | { readonly _tag: "HandedOver" }
  /** The caller stopped the turn. */
  | { readonly _tag: "Aborted" }
  /** A tool call waits for a person. */
  | { readonly _tag: "Waiting"; readonly approval: PendingApproval }

const weight: { readonly [T in Ending["_tag"]]: number } = {
  Open: 0,
  Halted: 1,
  Handled: 1,
  Spoken: 2,
  Replied: 3,
  Moved: 4,
  OutOfRounds: 5,
  HandedOver: 6,
  Aborted: 7,
  Waiting: 8
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const open: Ending = { _tag: "Open" }

/**
 * The ending after `next` happened.
 *
 * @since 0.1.0
 * @category combinators
 */
export const forward = (current: Ending, next: Ending): Ending =>
  weight[next._tag] >= weight[current._tag] ? next : current

/**
 * Who had the word last in a turn: a step, or nobody's step because no flow was active.
 *
 * @since 0.1.0
 * @category models
 */
export type Speaker = { readonly flowId: string; readonly stepId: string; readonly last: boolean } | "idle"

/**
 * Why the turn ended where it did, the most telling reason first. `aborted`: a directive left a flow uncompleted.
 *
 * @since 0.1.0
 * @category getters
 */
export const stoppedReason = (
  ending: Ending,
  speaker: Speaker | undefined,
  completedFlows: ReadonlyArray<string>,
  aborted = false
): StoppedReason => {
  // Who has to act next is more useful to the caller than how the turn got there, so it is looked at first.
  if (ending._tag === "Waiting") return "needs_approval"
  if (ending._tag === "HandedOver") return "handed_over"
  return aborted ? "aborted" : ofAgent(ending, speaker, completedFlows)
}

const ofAgent = (
  ending: Exclude<Ending, { readonly _tag: "Waiting" | "HandedOver" }>,
  speaker: Speaker | undefined,
  completedFlows: ReadonlyArray<string>
): StoppedReason => {
  switch (ending._tag) {
    case "Aborted":
      return "aborted"
    case "OutOfRounds":
      return "max_tool_rounds"
    case "Moved":
      return ending.by
    default:
      return isCompleted(speaker, completedFlows) ? "completed" : ofWords(ending._tag, speaker)
  }
}

/** Whether a flow that completed is what the turn came to: not when a step of another flow spoke after it. */
const isCompleted = (speaker: Speaker | undefined, completedFlows: ReadonlyArray<string>): boolean =>
  completedFlows.length > 0 && !(typeof speaker === "object" && !completedFlows.includes(speaker.flowId))

/** When a flow completed in the turn, `completed` is reported instead of these. */
type Quiet = "Replied" | "Spoken" | "Handled" | "Halted" | "Open"

const ofWords = (ending: Quiet, speaker: Speaker | undefined): StoppedReason => {
  if (ending === "Handled") return "handled"
  if (ending === "Replied") return "reply"
  if (ending === "Spoken") return ofSpeaker(speaker)
  return speaker === "idle" ? "idle" : "halt"
}

const ofSpeaker = (speaker: Speaker | undefined): StoppedReason => {
  if (speaker === undefined) return "halt"
  if (speaker === "idle") return "idle"
  return speaker.last ? "last_step" : "needs_input"
}
