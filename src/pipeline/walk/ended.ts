/** Clears the data of flows that have ended. */
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import * as Transition from "../../domain/walk/Transition.js"
import type { Opened } from "../state/TurnState.js"
import { currentFlow } from "../state/TurnState.js"

/**
 * Clears the data of flows that have ended. Before routing, the message's values may belong to any flow, so the data is
 * cleared only after routing.
 */
export const ended = (turn: Opened, flowIds: ReadonlyArray<string>, shared: ReadonlyArray<string> = []): void => {
  const { routing } = turn
  const all = [...routing.ended, ...flowIds.map((flowId) => ({ flowId, shared }))]
  const isDue = all.length > 0 && routing.isDecided
  routing.ended = isDue ? [] : all
  if (!isDue) return
  const { flows } = turn.runtime.definition
  const { record, session } = turn.state
  const stated = currentFlow(turn, session)?.fields.filter((name) => TurnRecord.states(record, name)) ?? []
  turn.state.session = all.reduce(
    (after, { flowId, shared }) => Transition.expire(flows, after, flowId, new Set([...stated, ...shared])),
    session
  )
}
