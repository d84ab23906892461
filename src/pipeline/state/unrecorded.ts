/**
 * Unrecorded calls: they ran, but the values that they wrote were refused. The data does not show that they ran, so
 * this list keeps them from running again.
 */
import { digest, type Json } from "../../domain/base/Json.js"
import { type ToolCallRecord, withUnrecorded } from "../../domain/session/ToolCall.js"
import type { Round } from "./parts/ReplyState.js"
import type { Opened } from "./TurnState.js"
import { setSession } from "./TurnState.js"

/** Remembers an unrecorded call in the session. */
export const keep = (turn: Opened, { callId, outcome, params, toolId }: ToolCallRecord): void => {
  if (outcome !== "done_unrecorded") return
  const { session: { unrecorded } } = turn.state
  setSession(turn, { unrecorded: withUnrecorded(unrecorded, { toolId, callId, params: digest(params) }) })
}

/** Returns the tools that ran in this turn and whose writes were refused. The rest of the turn does not call them. */
export const tools = (turn: Opened, round: Round | undefined = turn.reply.round): ReadonlySet<string> =>
  new Set(
    [...turn.state.record.calls.flatMap(({ record }) => record ?? []), ...round?.records ?? []]
      .flatMap(({ outcome, toolId }) => outcome === "done_unrecorded" ? [toolId] : [])
  )

/**
 * Returns why a call must not run: the writes of its tool were refused in this turn, or the writes of an equal call
 * were refused earlier. Undefined if it may run.
 */
export const closed = (
  turn: Opened,
  { name, params }: { readonly name: string; readonly params: Json },
  round: Round
): string | undefined => {
  const { session: { unrecorded = [] } } = turn.state
  if (unrecorded.length === 0) return undefined
  const isDone = tools(turn, round).has(name) ||
    unrecorded.some((one) => one.toolId === name && one.params === digest(params))
  return isDone ? "it was done before, and what it wrote was refused; it is not done again" : undefined
}
