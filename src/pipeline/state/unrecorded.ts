/**
 * Calls that were done and whose writes were refused: nothing that gates read tells of them, so they are not made again.
 *
 * @since 0.2.0
 */
import type { Json } from "../../domain/base/Json.js"
import { digest } from "../../domain/session/Approval.js"
import { type ToolCallRecord, withUnrecorded } from "../../domain/session/ToolCall.js"
import type { Opened, Round } from "./TurnState.js"
import { get, setSession } from "./TurnState.js"

/** Remembers such a call in the session. */
export const keep = (turn: Opened, { callId, outcome, params, toolId }: ToolCallRecord): void => {
  if (outcome !== "done_unrecorded") return
  const { session: { unrecorded } } = get(turn)
  setSession(turn, { unrecorded: withUnrecorded(unrecorded, { toolId, callId, params: digest(params) }) })
}

/** The tools that are not called again in this turn. */
export const tools = (turn: Opened, round: Round | undefined = get(turn).round): ReadonlySet<string> =>
  new Set(
    [...get(turn).record.calls.flatMap(({ record }) => record ?? []), ...round?.records ?? []]
      .flatMap(({ outcome, toolId }) => outcome === "done_unrecorded" ? [toolId] : [])
  )

/** Why a call is not made: its tool was done in this turn, or an equal call was done before. */
export const closed = (
  turn: Opened,
  { name, params }: { readonly name: string; readonly params: Json },
  round: Round
): string | undefined => {
  const { session: { unrecorded = [] } } = get(turn)
  if (unrecorded.length === 0) return undefined
  const isDone = tools(turn, round).has(name) ||
    unrecorded.some((one) => one.toolId === name && one.params === digest(params))
  return isDone ? "it was done before, and what it wrote was refused; it is not done again" : undefined
}
