/** The history of the flows that a session has entered, and which of them completed. */
import type * as DateTime from "effect/DateTime"
import type { Session } from "../session/Session.js"

type History = Session["flowHistory"]

/** Maximum number of entries. The last entry of each flow, and its last completed one, are kept in addition. */
const kept = 50

/**
 * Drops the oldest entry of a flow that has a later entry. Drops a completed entry only if a later entry of the flow is
 * completed too.
 */
const trim = (history: History): History => {
  if (history.length <= kept) return history
  const oldest = history.findIndex((one, i) =>
    history.some((other, j) => j > i && other.flowId === one.flowId && (other.completed || !one.completed))
  )
  return oldest === -1 ? history : history.filter((_, i) => i !== oldest)
}

/** The history after a flow was entered. */
export const entered = (history: History, flowId: string, now: DateTime.Utc): History =>
  // A spread would make room for sixteen more.
  trim(history.concat({ flowId, enteredAt: now, completed: false }))

/** The history after a flow was left: its open entry is closed. */
export const exited = (history: History, flowId: string, now: DateTime.Utc, completed: boolean): History => {
  const open = history.findLastIndex((one) => one.flowId === flowId && one.exitedAt === undefined)
  return history.map((one, i) => i === open ? { ...one, exitedAt: now, completed } : one)
}
