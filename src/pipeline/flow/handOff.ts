/** Hands the conversation over to a person, and returns it to the agent if no person comes. */
import * as Effect from "effect/Effect"
import * as HandOver from "../../domain/session/HandOver.js"
import type { Opened } from "../state/TurnState.js"
import { end, setSession, tell } from "../state/TurnState.js"
import { closeSuspended } from "./closeSuspended.js"

/**
 * Hands the conversation over to a person: from now on the agent does not reply by itself. Closes a suspended turn.
 */
export const handOff = (turn: Opened, reason: string | undefined): Effect.Effect<void> =>
  Effect.suspend(() => {
    closeSuspended(turn, "a person was asked for")
    const { listen } = turn.runtime.definition.handOff
    const { session: { handOver: before } } = turn.state
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

/** Returns the conversation to the agent after a wait in which no person took over. */
export const endHandOff = (turn: Opened): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { handOver: _, ...session } = turn.state.session
    turn.state.session = session
    return tell(turn, { _tag: "Released" })
  })
