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
    // A turn that goes on where it was stopped has had its beginning, and leaves the directive to the next message.
    if (opened.input._tag !== "Message") return opened
    yield* runHook(opened, "agent.beforeRespond", opened.runtime.definition.beforeRespond)
    yield* settle(opened, "pre")
    const turn = yield* cancelApproval(opened)
    const { pendingDirective, ...session } = get(turn).session
    if (pendingDirective === undefined) return turn
    set(turn, { session })
    yield* turn.bus.emit("session.pendingDirective", pendingDirective)
    yield* settle(turn, "pending")
    return turn
  })

/**
 * A new message takes the place of a call that waits for a person: the call ends with a result that says so. While
 * somebody runs what was approved, the message must wait.
 */
const cancelApproval = (turn: Opened): Effect.Effect<Opened, SessionConflict> => {
  const { pendingApproval, ...session } = get(turn).session
  if (pendingApproval === undefined) return Effect.succeed(turn)
  const { claim } = pendingApproval
  if (claim !== undefined && DateTime.lessThan(turn.now, claim.until)) {
    const { version } = turn.stored
    return Effect.fail(new SessionConflict({ sessionId: turn.sessionId, expected: version, actual: version }))
  }
  const cancelled = ToolExecutor.failure(
    "interrupted",
    claim === undefined
      ? "cancelled: the user sent a new message instead of deciding"
      : "a person approved the call, and the process that ran it stopped: it may have run"
  )
  const earlier = closeRound(pendingApproval, (call) => ({ ...call, ...cancelled }))
  set(turn, { session, earlier })
  return Effect.succeed({ ...turn, history: [...turn.history, ...earlier] })
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
