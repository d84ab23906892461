/**
 * Phases 6 to 9: walks to the step that speaks, lets it speak, and finalizes it; repeats until the turn has an answer.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Eager from "../../domain/base/Eager.js"
import { placeOf, waitingHere } from "../speaking/question.js"
import { countMove } from "../state/circles.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { currentFlow, currentStep, get, isAnswered } from "../state/TurnState.js"
import { advance, type Next } from "./advance.js"
import { finalize } from "./finalize.js"
import { speak } from "./speak.js"

/**
 * Walks, speaks and finalizes until the turn has an answer; fails after too many moves.
 *
 * @since 0.1.0
 * @category phases
 */
export const converse = Eager.fn(function*<T extends Opened>(turn: T): Eager.Steps<T, Failure> {
  while (true) {
    const { round } = get(turn)
    const isModels = round !== undefined && round.byFlow !== true
    const next = isModels || (round === undefined && waitingHere(turn) !== undefined)
      ? speaking(turn)
      : yield* advance(turn)
    // Suspended, so that values needed only before the model call are not retained while it runs.
    if (next._tag !== "Answered") yield* Effect.suspend(() => speak(turn, next))
    yield* finalize(turn, next)
    if (isAnswered(turn)) return turn
    yield* countMove(turn)
  }
})

/**
 * An open round belongs to the step that was speaking when it was suspended. While a call waits for the user, that step
 * answers the user's other messages, and the flow does not continue.
 */
const speaking = (turn: Opened): Next => {
  if (isAnswered(turn)) return { _tag: "Answered" }
  const { round, session } = get(turn)
  const { flow = currentFlow(turn, session), step = currentStep(turn, session) } = placeOf(turn, round?.at)
  return flow === undefined || step === undefined ? { _tag: "Idle" } : { _tag: "Step", flow, step }
}
