/**
 * How a turn gives the floor to a person, and takes it back when nobody has come.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HandOver from "../../domain/session/HandOver.js"
import type { Opened } from "../state/TurnState.js"
import { end, get, set, setSession, tell } from "../state/TurnState.js"
import { cancelApproval } from "./cancelApprovals.js"

/**
 * From now on the agent says nothing by itself. What waits for a decision is over: whoever has the floor goes on from
 * here.
 */
export const handOff = (turn: Opened, reason: string | undefined): Effect.Effect<void> =>
  Effect.suspend(() => {
    cancelApproval(turn, "a person was asked for")
    const { listen } = turn.runtime.definition.handOff
    const { session: { handOver: before } } = get(turn)
    const handOver = HandOver.make(
      before,
      { listen: before?.listen ?? listen, ...(reason !== undefined && { reason }) },
      turn.now
    )
    setSession(turn, { handOver })
    end(turn, { _tag: "HandedOver" })
    const { by } = handOver
    return tell(turn, {
      _tag: "HandedOver",
      ...(by !== undefined && { by }),
      ...(reason !== undefined && { reason })
    })
  })

/** Nobody came, and the agent goes on by itself. */
export const endHandOff = (turn: Opened): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { handOver: _, ...session } = get(turn).session
    set(turn, { session })
    return tell(turn, { _tag: "Released" })
  })
