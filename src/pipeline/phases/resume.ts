/**
 * Phase 2: apply the directive that waits in the session; tell the model what became of a call that waited.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Transcript from "../../domain/Transcript.js"
import * as ToolExecutor from "../../services/ToolExecutor.js"
import { settle } from "../settle.js"
import type { Failure, Opened, Resumed } from "../TurnState.js"
import { get, isAnswered, update } from "../TurnState.js"

/**
 * @since 0.1.0
 * @category phases
 */
export const resume = (opened: Resumed): Effect.Effect<Resumed, Failure> =>
  Effect.gen(function*() {
    const turn = yield* cancelApproval(opened)
    const { session } = yield* get(turn)
    if (session.pendingDirective === undefined) return turn
    const { pendingDirective, ...rest } = session
    yield* update(turn, () => ({ session: rest }))
    yield* turn.bus.emit("session.pendingDirective", pendingDirective)
    const moved = yield* settle(turn, "pending")
    return { ...turn, directed: turn.directed || moved || isAnswered(yield* get(turn)) }
  })

/** A new message takes the place of a call that waits for a person: the call ends with a result that says so. */
const cancelApproval = (turn: Resumed): Effect.Effect<Resumed> =>
  Effect.gen(function*() {
    const { session } = yield* get(turn)
    const { pendingApproval, ...rest } = session
    if (pendingApproval === undefined) return turn
    const cancelled = ToolExecutor.failure("interrupted", "cancelled: the user sent a new message instead of deciding")
    const messages = closeRound(pendingApproval, (call) => ({ ...call, ...cancelled }))
    yield* update(turn, () => ({ session: rest, earlier: messages }))
    return { ...turn, history: [...turn.history, ...messages] }
  })

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
