/**
 * Phase 5, before routing: takes a branch of the agent, of the current flow, or of the waiting step if it ends a flow.
 * It runs before routing, so that one message may end a flow and ask for another.
 */
import * as Effect from "effect/Effect"
import { branchBefore, takeBefore } from "../../domain/walk/branch.js"
import { leaveAside } from "../flow/suspended.js"
import { actsOf } from "../flow/TurnActs.js"
import type { Opened } from "../state/TurnState.js"
import { isDirected } from "../state/TurnState.js"

/** Takes the first of these branches that the message meets, unless the walk takes it after routing. */
export const takeBranches = Effect.fnUntraced(function*<T extends Opened>(turn: T) {
  if (turn.input._tag !== "Message" || isDirected(turn)) return turn
  const acts = actsOf(turn)
  const branch = yield* branchBefore(acts)
  if (turn.state.session.suspended.length > 0) yield* leaveAside(turn)
  if (branch !== undefined) yield* takeBefore(acts, branch)
  return turn
})
