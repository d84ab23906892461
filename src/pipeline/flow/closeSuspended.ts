/** Closes a suspended turn, because the conversation continued without a decision about its calls. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Transcript from "../../domain/session/Transcript.js"
import * as ToolExecutor from "../../services/tool/ToolExecutor.js"
import { suspendedKey, type SuspendedTurn, withSuspended } from "../state/parts/SuspendedTurn.js"
import type { Opened } from "../state/TurnState.js"

/**
 * Closes the suspended turn, because a new message came or an event moved the conversation: its calls get a result that
 * says so.
 */
export const closeSuspended = (turn: Opened, why?: string): Opened => {
  const suspended = turn.state.session[suspendedKey]
  if (suspended === undefined) return turn
  const reason = why ?? (turn.occurrence === undefined
    ? "the user sent a new message instead of deciding"
    : `the conversation went on by the event "${turn.occurrence.name}"`)
  const messages = closed(suspended, reason)
  turn.state.session = withSuspended(turn.state.session)
  turn.reply.closed = messages
  return { ...turn, history: [...turn.history, ...messages] }
}

/** Returns the messages of a suspended turn whose calls are cancelled; each call gets the reason as its result. */
export const closed = (pending: SuspendedTurn, why: string): ReadonlyArray<Prompt.Message> => {
  const cancelled = ToolExecutor.failure(
    "interrupted",
    pending.claim === undefined
      ? `cancelled: ${why}`
      : "a person approved the call, and the process that ran it stopped: it may have run"
  )
  return closeRound(pending, (call) => ({ ...call, ...cancelled }))
}

/** Returns the transcript of a suspended turn, with a result for every call of its last round. */
const closeRound = (
  pending: SuspendedTurn,
  result: (call: { readonly id: string; readonly name: string }) => Parameters<typeof Transcript.toolResults>[0][number]
) => {
  const transcript = pending.transcript.flatMap((stored) => {
    const decoded = Transcript.decode(stored)
    return decoded._tag === "Right" ? [decoded.right] : []
  })
  // A call that a flow made is not in the transcript, because the model did not ask for it.
  if (pending.byFlow === true) return transcript.slice(0, -1)
  const results = Transcript.callsOf(transcript.at(-1)).map(({ id, name }) => {
    const record = pending.records.find(({ callId }) => callId === id)
    return record === undefined
      ? result({ id, name })
      : { id, name, output: record.output, isFailure: record.isFailure }
  })
  return results.length === 0 ? transcript : [...transcript, Transcript.toolResults(results)]
}
