/**
 * Phases 6 to 9: walk to the step that speaks, let it speak, finish it; and walk on while nothing has been said.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Failure, Opened } from "../TurnState.js"
import { countMove, currentFlow, currentStep, get, isAnswered } from "../TurnState.js"
import { advance, type Next } from "./advance.js"
import { finalize } from "./finalize.js"
import { speak } from "./speak.js"

/**
 * @since 0.1.0
 * @category phases
 */
export const converse = <T extends Opened>(turn: T): Effect.Effect<T, Failure> =>
  Effect.gen(function*() {
    while (true) {
      const next = get(turn).round === undefined ? yield* advance(turn) : speaking(turn)
      if (next._tag !== "Answered") yield* speak(turn, next)
      yield* finalize(turn, next)
      if (isAnswered(turn)) return turn
      yield* countMove(turn)
    }
  })

/** A round that is still open belongs to the step that was speaking when it was stopped. */
const speaking = (turn: Opened): Next => {
  const { session } = get(turn)
  const flow = currentFlow(turn, session)
  const step = currentStep(turn, session)
  return flow === undefined || step === undefined ? { _tag: "Idle" } : { _tag: "Step", flow, step }
}
