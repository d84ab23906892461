/**
 * Opening a turn that goes on with a round of tool calls which stopped for a person.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { InvalidRequest } from "../../domain/Errors.js"
import type { PendingApproval, Session } from "../../domain/Session.js"
import * as Transcript from "../../domain/Transcript.js"
import type { Approval } from "../Input.js"
import type { Opened } from "../TurnState.js"
import { end, get, note, set } from "../TurnState.js"

/** What waits for this decision. */
export const pendingOf = (
  loaded: Option.Option<{ readonly session: Session }>,
  { callId }: Approval
): Effect.Effect<PendingApproval, InvalidRequest> => {
  const pending = Option.getOrUndefined(loaded)?.session.pendingApproval
  return pending?.requests.some((request) => request.callId === callId) === true
    ? Effect.succeed(pending)
    : Effect.fail(
      new InvalidRequest({
        what: `call "${callId}"`,
        why: "no call with this id waits for a decision in this session: it was decided, or cancelled by a new message",
        fix: "Pass a callId from the last response's approvals"
      })
    )
}

/** The turn as it stood when its round was stopped, with the decision; it stays stopped while another call waits. */
export const restore = (
  turn: Opened,
  pending: PendingApproval,
  { callId, decision }: Approval
): Effect.Effect<Opened> =>
  Effect.gen(function*() {
    const { pendingApproval: _, ...session } = get(turn).session
    const decisions = [...pending.decisions, { callId, ...decision }]
    const requests = pending.requests.filter((request) => request.callId !== callId)
    note(turn, { _tag: "WordsRestored", said: pending.said })
    set(turn, { session, directed: true })
    if (requests.length > 0) {
      for (const request of requests) note(turn, { _tag: "ApprovalRequested", request })
      end(turn, { _tag: "Waiting", approval: { ...pending, requests, decisions } })
      return turn
    }
    const messages = yield* Effect.forEach(pending.transcript, (stored) =>
      Effect.orDieWith(Transcript.decode(stored), (why) => new Error(why)))
    for (const record of pending.records) {
      note(turn, { _tag: "CallRestored", record })
    }
    set(turn, {
      transcript: messages.filter(({ role }) =>
        role !== "user"
      ),
      appendPrompt: pending.appendPrompt,
      round: { number: pending.round, calls: Transcript.callsOf(messages.at(-1)), records: pending.records, decisions }
    })
    yield* Effect.forEach(pending.emissions, ({ directive, source }) => turn.bus.emit(source, directive), {
      discard: true
    })
    return turn
  })
