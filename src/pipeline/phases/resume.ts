/** Phase 2: runs `beforeRespond`, applies the session's pending directive, and closes or keeps a suspended turn. */
import * as Effect from "effect/Effect"
import { applyDirectives, applyDispatched } from "../flow/applyDirectives.js"
import { closeSuspended } from "../flow/closeSuspended.js"
import { checkClaim } from "../state/admission.js"
import { runHook } from "../state/callbacks.js"
import { isOfUser } from "../state/Input.js"
import { isAsking, type Opened } from "../state/TurnState.js"
import { isOpenFor } from "../understanding/verdict.js"

/**
 * Runs before the message is understood. Has no effect for inputs other than a message or the request that begins a
 * conversation.
 */
export const resume = Effect.fnUntraced(function*(opened: Opened) {
  // A resumed turn has run the hook before its suspension, and a turn that answers no message runs it in `handleEvent`.
  // A decision has applied the pending directive when it was restored; an event leaves it to the next message.
  if (!isOfUser(opened.input)) return opened
  yield* runHook(opened, "agent.beforeRespond", opened.runtime.definition.beforeRespond)
  const moved = yield* applyDirectives(opened, "pre")
  const turn = isAsking(opened.stored) ? yield* kept(opened, moved) : opened
  if (turn.state.session.pendingDirective !== undefined) yield* applyDispatched(turn)
  return turn
})

/** Keeps the suspended turn if the message may answer its question, and closes it otherwise. */
const kept = Effect.fnUntraced(function*(opened: Opened, moved: boolean) {
  yield* checkClaim(opened.stored, opened.now)
  return (yield* isOpenFor(opened, moved)) ? opened : closeSuspended(opened)
})
