/** Continues a turn without a message, after code has moved the conversation. */
import * as Effect from "effect/Effect"
import { resumeOrEnterNext } from "../../domain/walk/leave.js"
import type { Opened } from "../state/TurnState.js"
import { end, isAnswered } from "../state/TurnState.js"
import { currentFlow } from "../walk/TurnGround.js"
import { ended } from "./dataWrites.js"
import { actsOf } from "./TurnActs.js"

/**
 * Continues where code has moved the conversation. Routing does not run without a message, so if no flow is
 * current, a suspended flow resumes here. If there is none, the turn does not speak.
 */
export const goOn = Effect.fnUntraced(function*(turn: Opened) {
  turn.routing.positionFixed = true
  ended(turn, [])
  yield* resumeOrEnterNext(actsOf(turn))
  return currentFlow(turn, turn.state.session) === undefined && !isAnswered(turn) ? stay(turn) : turn
})

/** Ends the turn without a reply; the position stays. */
export const stay = (turn: Opened): Opened => {
  end(turn, { _tag: "Handled" })
  return turn
}
