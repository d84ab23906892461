/**
 * The endings of a turn. A turn is `Open` until a reply was said or replies are forbidden. A new ending replaces the
 * current one only if its weight is equal or greater.
 */
import type { PendingApproval } from "../session/Session.js"
import type { StoppedReason } from "./TurnResponse.js"

export type Ending =
  /** The walk has not ended: it continues. */
  | { readonly _tag: "Open" }
  /** Replies are forbidden. */
  | { readonly _tag: "Halted" }
  /** An event was handled, and the position stays. */
  | { readonly _tag: "Handled" }
  /** A step, or the idle reply, spoke. */
  | { readonly _tag: "Spoken" }
  /** A directive gave the reply. */
  | { readonly _tag: "Replied" }
  /** The reply was given, then a directive moved the conversation: the target speaks in the next turn. */
  | { readonly _tag: "Moved"; readonly by: "goto" | "reset" }
  /** The model was asked to answer without further tool calls. */
  | { readonly _tag: "OutOfRounds" }
  /** A person has the conversation, or the agent waits for one. */
  | { readonly _tag: "HandedOver" }
  /** The caller stopped the turn. */
  | { readonly _tag: "Aborted" }
  /** A tool call waits for a person. */
  | { readonly _tag: "Waiting"; readonly suspended: PendingApproval }

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

export const open: Ending = { _tag: "Open" }

/** True if the user has got the turn's answer. */
export const isSpoken = ({ _tag }: Ending): boolean => weight[_tag] >= weight.Spoken

/** Returns the new ending if its weight is equal or greater, else the current one. */
export const forward = (current: Ending, next: Ending): Ending =>
  weight[next._tag] >= weight[current._tag] ? next : current

/** The last speaker of a turn: a step, or `"idle"` if no flow was active. */
export type Speaker = { readonly flowId: string; readonly stepId: string; readonly last: boolean } | "idle"

/** Returns why the turn ended, the most relevant reason first. `aborted`: a directive left a flow uncompleted. */
export const stoppedReason = (
  ending: Ending,
  speaker: Speaker | undefined,
  completedFlows: ReadonlyArray<string>,
  aborted = false
): StoppedReason => {
  // Checked first, because callers most need to know that a person must act next.
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

/** True if the turn ended with a completed flow: no step of another flow spoke after it. */
const isCompleted = (speaker: Speaker | undefined, completedFlows: ReadonlyArray<string>): boolean =>
  completedFlows.length > 0 && !(typeof speaker === "object" && !completedFlows.includes(speaker.flowId))

/** Endings for which `completed` is reported instead if a flow completed in the turn. */
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
