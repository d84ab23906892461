/**
 * Phase 11: one atomic write, then the response.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../../domain/Errors.js"
import { complaints } from "../../domain/Fields.js"
import type { Json, JsonObject } from "../../domain/Json.js"
import type { Session } from "../../domain/Session.js"
import * as Transcript from "../../domain/Transcript.js"
import type { TurnRequest } from "../../domain/TurnRequest.js"
import type { StoppedReason, TurnResponse } from "../../domain/TurnResponse.js"
import { keepWrites } from "../settle.js"
import type { Draft, Failure, Opened, Runtime, Sink } from "../TurnState.js"
import { get } from "../TurnState.js"
import { sessionUsage } from "../usage.js"
import { emptyDraft, loadSession, sessionOf } from "./open.js"

/**
 * Writes the turn and answers it.
 *
 * @since 0.1.0
 * @category phases
 */
export const commit = (turn: Opened): Effect.Effect<TurnResponse, Failure> =>
  Effect.gen(function*() {
    const draft = yield* get(turn)
    const waits = draft.pendingApproval !== undefined
    const said = waits ? [] : [...(turn.message === "" ? [] : [Transcript.user(turn.message)]), ...spoken(draft)]
    return yield* write(turn, draft, [...draft.earlier, ...said], stoppedReason(draft))
  })

/**
 * The caller stopped the turn. What had been said is kept, marked as interrupted; a turn that had said nothing leaves
 * no trace.
 *
 * @since 0.1.0
 * @category phases
 */
export const commitInterrupted = (turn: Opened): Effect.Effect<TurnResponse, Failure> =>
  Effect.gen(function*() {
    const { said } = yield* get(turn)
    const nothing = said.trim() === ""
    if (!nothing) yield* keepWrites(turn)
    // Nobody will be asked about a call any more.
    const draft: Draft = { ...(yield* get(turn)), approvals: [], pendingApproval: undefined }
    yield* turn.sink.emit({ _tag: "Interrupted", message: said })
    if (nothing) {
      const response = respond({ ...draft, collected: {} }, turn.stored, "aborted")
      yield* turn.sink.emit({ _tag: "TurnCompleted", response })
      return response
    }
    const messages = [
      ...draft.earlier,
      ...(turn.message === "" ? [] : [Transcript.user(turn.message)]),
      Transcript.assistantText(said),
      Transcript.user("[interrupted by user]")
    ]
    return yield* write(turn, draft, messages, "aborted")
  })

/** The caller stopped the turn before it had begun: nothing was done, and nothing is stored. */
export const abandon = (runtime: Runtime, request: TurnRequest, sink: Sink): Effect.Effect<TurnResponse, Failure> =>
  Effect.gen(function*() {
    const now = yield* DateTime.now
    const session = sessionOf(runtime, request.sessionId, yield* loadSession(runtime, request.sessionId, 0), now)
    yield* sink.emit({ _tag: "Interrupted", message: "" })
    const response = respond(emptyDraft(session, {}), session, "aborted")
    yield* sink.emit({ _tag: "TurnCompleted", response })
    return response
  })

/** The turn's own messages. A message that was replaced stands in place of everything said before it. */
const spoken = (draft: Draft): ReadonlyArray<Prompt.Message> => {
  if (Transcript.texts(draft.transcript).join("\n\n") === draft.said) return draft.transcript
  return [
    ...Transcript.withoutText(draft.transcript),
    ...(draft.said === "" ? [] : [Transcript.assistantText(draft.said)])
  ]
}

const write = (
  turn: Opened,
  draft: Draft,
  messages: ReadonlyArray<Prompt.Message>,
  reason: StoppedReason
): Effect.Effect<TurnResponse, Failure> =>
  Effect.gen(function*() {
    const { messageId, runtime, stored } = turn
    const now = yield* DateTime.now
    const { pendingApproval: _, usage: __, ...rest } = draft.session
    const usage = sessionUsage(stored.usage, draft.usage)
    const session: Session = {
      ...rest,
      ...(draft.pendingApproval !== undefined && { pendingApproval: draft.pendingApproval }),
      ...(usage !== undefined && { usage }),
      version: stored.version + 1,
      messageCount: stored.messageCount + messages.length,
      updatedAt: now
    }
    const response = respond(draft, session, reason)
    const updatedAt = DateTime.formatIso(now)
    const encoded = messageId === undefined ? undefined : yield* encodeResponse(runtime, response)
    yield* runtime.store.commit({
      id: turn.sessionId,
      expectedVersion: stored.version,
      session: yield* encodeSession(runtime, session),
      ...(session.userId !== undefined && { userId: session.userId }),
      updatedAt,
      messages: messages.map((message, i) => ({
        seq: stored.messageCount + i + 1,
        message: Transcript.encode(message),
        createdAt: updatedAt
      })),
      ...(messageId !== undefined && encoded !== undefined && { answered: { messageId, response: encoded } })
    })
    // The last event waits for no reader: the turn is over, and its lock is not theirs to hold.
    yield* turn.sink.emit({ _tag: "TurnCompleted", response })
    return response
  })

const unencodable = (what: string) => (cause: ParseError) =>
  new InvalidRequest({
    what,
    why: `it does not encode to JSON: ${complaints(cause)}`,
    fix:
      "Use Schemas for data and context whose encoded side is JSON, for example Schema.Date instead of Schema.DateFromSelf"
  })

/** The session as it is stored. */
export const encodeSession = (runtime: Runtime, session: Session): Effect.Effect<JsonObject, InvalidRequest> =>
  Effect.mapError(Schema.encode(runtime.session)(session), unencodable("session"))

const encodeResponse = (runtime: Runtime, response: TurnResponse): Effect.Effect<Json, InvalidRequest> =>
  Effect.mapError(Schema.encode(runtime.response)(response), unencodable("response"))

const respond = (draft: Draft, session: Session, reason: StoppedReason): TurnResponse => ({
  message: draft.said,
  session,
  stoppedReason: reason,
  isFlowComplete: draft.completedFlows.length > 0,
  completedFlows: draft.completedFlows,
  executedSteps: draft.executedSteps,
  toolCalls: draft.toolCalls,
  collected: draft.collected,
  rejected: draft.rejected,
  appliedInstructions: draft.appliedInstructions,
  triggeredSignals: draft.firings,
  directiveChain: draft.chain,
  approvals: draft.approvals,
  usage: draft.usage,
  trace: draft.trace
})

/** One reason, the most telling first. */
const stoppedReason = (draft: Draft): StoppedReason => {
  const { completedFlows, spoke } = draft
  if (draft.pendingApproval !== undefined) return "needs_approval"
  if (draft.aborted) return "aborted"
  if (draft.outOfRounds) return "max_tool_rounds"
  if (draft.movedAfter !== undefined) return draft.movedAfter
  const wentOn = typeof spoke === "object" && !completedFlows.includes(spoke.flowId)
  if (completedFlows.length > 0 && !wentOn) return "completed"
  if (draft.replied) return "reply"
  if (spoke === "idle") return "idle"
  if (draft.halted || spoke === undefined) return "halt"
  return spoke.last ? "last_step" : "needs_input"
}
