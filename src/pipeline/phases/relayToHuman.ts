/**
 * A turn during which a person has the conversation: the user's message is stored, values may be extracted from
 * it, and events reach their handlers. Routing and model replies do not run.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { messageOf } from "../state/callbacks.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { end, trace } from "../state/TurnState.js"
import { handleEvent } from "./handleEvent.js"
import { collectOnly } from "./understand.js"

/** Handles a message or an event while a person has the conversation. */
export const relayToHuman = (turn: Opened): Effect.Effect<void, Failure> =>
  Effect.suspend(() => {
    end(turn, { _tag: "HandedOver" })
    const { occurrence } = turn
    if (turn.input._tag === "Message") return hear(turn)
    return occurrence === undefined ? Effect.void : Effect.asVoid(handleEvent(turn, occurrence))
  })

const hear = (turn: Opened): Effect.Effect<void> =>
  turn.state.session.handOver?.listen === true ? heard(turn) : Effect.void

/** Extracts values from the message; if that fails, no value is written, but the person still gets the message. */
const heard = (turn: Opened): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { context, record, session } = turn.state
    return Effect.catchAllCause(collectOnly(turn), (cause) =>
      Cause.isInterrupted(cause) ? Effect.interrupt : Effect.sync(() => {
        turn.bus.drain()
        Object.assign(turn.state, { context, session, record: { ...record, usage: turn.state.record.usage } })
        trace(turn, "not_understood", "handOff", messageOf(cause))
      }))
  })
