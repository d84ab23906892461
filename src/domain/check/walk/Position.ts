/** The position of a conversation between two messages, as the checker sees it, with the known fields. */

/** The state of the current step, as in `Session.currentStep`. */
export type Standing = "begin" | "start" | "pending" | "entered"

/** The position of a conversation between two messages. */
export interface Place {
  /** Index of the current flow; -1 outside all flows. */
  readonly flow: number
  readonly step: number
  readonly standing: Standing
  readonly spoken: boolean
  /** The fields that are certainly known. Others may be known. */
  readonly known: ReadonlySet<string>
  /** The steps of the flow whose values the user has confirmed. */
  readonly confirmed: ReadonlySet<number>
  /** The steps of the flow that branches have passed over, although they give a field. */
  readonly skipped: ReadonlySet<number>
  /** True if the current step has read its values back to the user and waits for a yes. */
  readonly reading: boolean
}

/** True if the current step has spoken and waits for the message. */
export const hasSpoken = ({ spoken, standing }: Pick<Place, "spoken" | "standing">): boolean =>
  spoken && standing === "entered"
