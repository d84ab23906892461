/**
 * Phase 2: run `beforeRespond`, apply the directive that waits in the session, tell the model what became of a call
 * that waited.
 *
 * @since 0.1.0
 */
import * as Eager from "../../domain/base/Eager.js"
import { applyDirectives } from "../flow/applyDirectives.js"
import { cancelApproval } from "../flow/cancelApprovals.js"
import { hear, isForUser } from "../speaking/question.js"
import { checkClaim } from "../state/admission.js"
import { runHook } from "../state/callbacks.js"
import { isOfUser } from "../state/Input.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { get, set } from "../state/TurnState.js"

/**
 * @since 0.1.0
 * @category phases
 */
export const resume = Eager.fn(function*(opened: Opened): Eager.Steps<Opened, Failure> {
  // A turn that goes on after it was stopped has run the hook already, and one that answers no message begins in
  // `handleEvent`. Both leave the pending directive to the next message.
  if (!isOfUser(opened.input)) return opened
  yield* runHook(opened, "agent.beforeRespond", opened.runtime.definition.beforeRespond)
  const moved = yield* applyDirectives(opened, "pre")
  yield* checkClaim(opened.stored, opened.now)
  const turn = isOpenFor(opened, moved) ? opened : cancelApproval(opened)
  const { pendingDirective, ...session } = get(turn).session
  if (pendingDirective === undefined) return turn
  set(turn, { session })
  yield* turn.bus.emit("session.pendingDirective", pendingDirective)
  yield* applyDirectives(turn, "pending")
  return turn
})

/**
 * Whether what waits for the user goes on waiting, so that this message may answer it. Where a process died that was to run
 * the approved call, it does so only for a message that answers the question.
 */
const isOpenFor = (turn: Opened, moved: boolean): boolean => {
  const { pendingApproval, pendingDirective } = get(turn).session
  if (moved || pendingDirective !== undefined) return false
  if (pendingApproval !== undefined && !isForUser(pendingApproval)) return false
  hear(turn)
  return pendingApproval?.claim === undefined || get(turn).verdict !== undefined
}
