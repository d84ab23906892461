/**
 * Phase 2: run `beforeRespond`, apply the directive that waits in the session, tell the model what became of a call
 * that waited.
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { SessionConflict } from "../../domain/Errors.js"
import * as Transcript from "../../domain/Transcript.js"
import * as ToolExecutor from "../../services/ToolExecutor.js"
import { runHook } from "../callbacks.js"
import { settle } from "../settle.js"
import type { Failure, Opened } from "../TurnState.js"
import { get, set } from "../TurnState.js"

/**
 * @since 0.1.0
 * @category phases
 */
export const resume = (opened: Opened): Effect.Effect<Opened, Failure> =>
  Effect.gen(function*() {
    // A turn that goes on where it was stopped has had its beginning; what nobody said has its own (see `notice`). Both
    // leave the directive to the next message.
    if (opened.input._tag !== "Message") return opened
    yield* runHook(opened, "agent.beforeRespond", opened.runtime.definition.beforeRespond)
    yield* settle(opened, "pre")
    yield* checkClaim(opened)
    const turn = cancelApproval(opened)
    const { pendingDirective, ...session } = get(turn).session
    if (pendingDirective === undefined) return turn
    set(turn, { session })
    yield* turn.bus.emit("session.pendingDirective", pendingDirective)
    yield* settle(turn, "pending")
    return turn
  })

/** While somebody runs what was approved, whatever else comes must wait. */
export const checkClaim = ({ now, sessionId, stored }: Opened): Effect.Effect<void, SessionConflict> => {
  const claim = stored.pendingApproval?.claim
  return claim !== undefined && DateTime.lessThan(now, claim.until)
    ? Effect.fail(new SessionConflict({ sessionId, expected: stored.version, actual: stored.version }))
    : Effect.void
}

/**
 * A new message, or an event that moves the conversation, takes the place of a call that waits for a person: the call
 * ends with a result that says so.
 */
export const cancelApproval = (turn: Opened): Opened => {
  const { pendingApproval, ...session } = get(turn).session
  if (pendingApproval === undefined) return turn
  const { claim } = pendingApproval
  const cancelled = ToolExecutor.failure(
    "interrupted",
    claim === undefined
      ? turn.occurrence === undefined
        ? "cancelled: the user sent a new message instead of deciding"
        : `cancelled: the conversation went on by the event "${turn.occurrence.name}"`
      : "a person approved the call, and the process that ran it stopped: it may have run"
  )
  const earlier = closeRound(pendingApproval, (call) => ({ ...call, ...cancelled }))
  set(turn, { session, earlier })
  return { ...turn, history: [...turn.history, ...earlier] }
}

/** The transcript of a stopped turn, with a result for every call of its last round. */
const closeRound = (
  pending: NonNullable<Opened["stored"]["pendingApproval"]>,
  result: (call: { readonly id: string; readonly name: string }) => Parameters<typeof Transcript.toolResults>[0][number]
) => {
  const transcript = pending.transcript.flatMap((stored) => {
    const decoded = Transcript.decode(stored)
    return decoded._tag === "Right" ? [decoded.right] : []
  })
  const results = Transcript.callsOf(transcript.at(-1)).map(({ id, name }) => {
    const record = pending.records.find(({ callId }) => callId === id)
    return record === undefined
      ? result({ id, name })
      : { id, name, output: record.output, isFailure: record.isFailure }
  })
  return results.length === 0 ? transcript : [...transcript, Transcript.toolResults(results)]
}
