/** Read-back: the user's yes confirms the values that a step has read back. */
import * as Effect from "effect/Effect"
import { isAnswered } from "../../state/TurnState.js"
import { accept, readingBack } from "../../walk/readBack.js"
import type { Feature } from "../Feature.js"

export const readBack: Feature = {
  name: "readBack",
  isUsed: ({ flows }) => flows.some(({ steps }) => steps.some(({ confirm }) => confirm !== undefined)),
  seams: {
    routed: (turn) =>
      Effect.sync(() => {
        const step = turn.answer.verdict === "yes" && !isAnswered(turn) ? readingBack(turn) : undefined
        if (step !== undefined) accept(turn, step)
        return turn
      })
  }
}
