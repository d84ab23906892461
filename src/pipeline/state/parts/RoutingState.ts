/** The part of a turn's state that describes how its message leads to a flow and a step. Changed in place. */

const none: ReadonlySet<string> = new Set()

export class RoutingState {
  /** The step that has spoken in an earlier turn and waits for this message. */
  waiting: { readonly flowId: string; readonly stepId: string } | undefined
  /**
   * True if no further condition is judged on the message: a branch has used it, or it was a plain answer to the
   * agent's question.
   */
  messageConsumed = false
  /** True if a feature has refused the message: it is not understood and has no effect. */
  isRefused = false
  /** True if a directive has set the position, so that routing does not change it. */
  positionFixed = false
  /**
   * True if routing is over. From then on the last suspended flow resumes whenever no flow is current. Before routing,
   * the message may still select another flow.
   */
  isOver = false
  /** Flows of the agenda that were entered in this turn. */
  fromAgenda: ReadonlySet<string> = none
  /** Flows that ended while they were suspended; the current flow did not change. */
  aside: ReadonlySet<string> = none
  /**
   * Flows that have ended and whose values are cleared after routing, except the `shared` fields, which another flow
   * needs.
   */
  ended: ReadonlyArray<{ readonly flowId: string; readonly shared: ReadonlyArray<string> }> = []
}
