/** Forgets the data of flows that have ended. */
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import * as Transition from "../../domain/walk/Transition.js"
import type { Opened } from "./TurnState.js"
import { currentFlow, get, set } from "./TurnState.js"

/**
 * Forgets the data of flows that have ended. Before routing it is unknown which flow the values of this message are
 * for, so data is forgotten only after routing.
 */
export const ended = (turn: Opened, flowIds: ReadonlyArray<string>, shared: ReadonlyArray<string> = []): void => {
  const { positionFixed, ended: before, routed, session } = get(turn)
  const all = [...before, ...flowIds.map((flowId) => ({ flowId, shared }))]
  if (all.length === 0 || !(routed || positionFixed)) return set(turn, { ended: all })
  const { flows } = turn.runtime.definition
  const { record } = get(turn)
  const stated = currentFlow(turn, session)?.fields.filter((name) => TurnRecord.states(record, name)) ?? []
  set(turn, {
    ended: [],
    session: all.reduce(
      (after, { flowId, shared }) => Transition.expire(flows, after, flowId, new Set([...stated, ...shared])),
      session
    )
  })
}
