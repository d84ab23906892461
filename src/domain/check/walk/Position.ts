/**
 * Where a conversation stands between two messages, and what is known there.
 *
 * @since 0.1.0
 */

/** How the current step stands, as `Session.currentStep` tells it. */
export type Standing = "begin" | "start" | "pending" | "entered"

/** Where a conversation stands between two messages. */
export interface Place {
  /** The current flow; -1 when nobody has the floor. */
  readonly flow: number
  readonly step: number
  readonly standing: Standing
  readonly spoken: boolean
  /** What is certainly known. Everything else may be. */
  readonly known: ReadonlySet<string>
  /** The steps of the flow whose values the user has agreed to. */
  readonly confirmed: ReadonlySet<number>
  /** Whether the step has read its values back, and waits for a yes. */
  readonly reading: boolean
}

/** Whether the current step has spoken, and waits for what comes of it. */
export const hasSpoken = ({ spoken, standing }: Pick<Place, "spoken" | "standing">): boolean =>
  spoken && standing === "entered"
