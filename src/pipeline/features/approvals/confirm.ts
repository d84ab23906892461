/**
 * Carries out the user's answer to the question about a waiting call. A yes runs the call through its checks, and a no ends
 * it. If the answer changes arguments, the user is asked again. After any other message the call still waits; the question
 * is repeated after a reply at the position of the call.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { canonical, isJsonObject, type JsonObject, recordOf, toJson } from "../../../domain/base/Json.js"
import { openRequests } from "../../../domain/session/Session.js"
import * as Transcript from "../../../domain/session/Transcript.js"
import { closeSuspended } from "../../flow/closeSuspended.js"
import {
  type AskedCall,
  askedCall,
  askUser,
  isForUser,
  isHere,
  placeOf,
  suspendedHere
} from "../../speaking/question.js"
import { contextBefore, contextOf } from "../../state/callbacks.js"
import type { Verdict } from "../../state/parts/AnswerState.js"
import { requested, suspendedKey, type SuspendedTurn } from "../../state/parts/SuspendedTurn.js"
import type { Failure, Opened } from "../../state/TurnState.js"
import { end, isAnswered, note, setSession } from "../../state/TurnState.js"
import { continueCall } from "./restore.js"

/**
 * Returns the arguments of the flow's own call that a corrected value changes. Calls of the model have their arguments of
 * the model.
 */
const correctedIn = Effect.fnUntraced(function*(turn: Opened) {
  const pending = suspendedHere(turn)
  const call = pending?.byFlow === true ? placeOf(turn, pending.at).step?.call : undefined
  if (call === undefined || Object.keys(turn.state.record.corrected).length === 0) return {}
  const before = recordOf(yield* call.params(contextBefore(turn)))
  const now = yield* call.params(contextOf(turn))
  return !isJsonObject(now) ? {} : Object.fromEntries(
    Object.entries(now).filter(([name, value]) => canonical(value) !== canonical(toJson(before[name])))
  )
})

/** Returns the user's verdict on the waiting call; a message that corrects one of its arguments changes the call. */
const verdictNow = (turn: Opened): Effect.Effect<Verdict | undefined, Failure> =>
  Effect.map(correctedIn(turn), (changes) => {
    const { verdict } = turn.answer
    return Object.keys(changes).length === 0
      ? verdict
      : { changes: { ...changes, ...(typeof verdict === "object" && verdict.changes) } }
  })

/** Carries out the user's verdict, unless the message has moved the conversation or already has a reply. */
export const confirm = Effect.fnUntraced(function*(turn: Opened) {
  const waits = turn.state.session[suspendedKey]
  if (isAnswered(turn)) return turn
  const verdict = yield* verdictNow(turn)
  if (verdict === undefined) return turn
  const pending = suspendedHere(turn)
  // The message said no and also moved the conversation: the call is cancelled, and the user is not asked again.
  if (pending === undefined) {
    return verdict === "no" && waits?.asking !== undefined ? closeSuspended(turn, "the user said no") : turn
  }
  const call = askedCall(turn)
  if (call !== undefined) yield* carryOut(turn, call, verdict)
  return turn
})

const carryOut = (turn: Opened, call: AskedCall, verdict: Verdict): Effect.Effect<void, Failure> => {
  if (typeof verdict === "object") return change(turn, call, verdict.changes)
  // The call was approved earlier, but the process that should run it died: the decision still holds.
  return call.suspended.claim === undefined ? decide(turn, call, verdict) : continueCall(turn, call.suspended)
}

const decide = (
  turn: Opened,
  { request: { expiresAt, id }, suspended }: AskedCall,
  verdict: "yes" | "no"
): Effect.Effect<void, Failure> => {
  const by = turn.input.principal?.userId ?? turn.stored.userId
  const isOver = expiresAt !== undefined && !DateTime.lessThan(turn.now, expiresAt)
  const answer = verdict === "no"
    ? { approved: false, reason: "the user said no" }
    : isOver
    ? { approved: false, reason: `the user agreed after the question had expired at ${DateTime.formatIso(expiresAt)}` }
    : { approved: true }
  const decision = { id, ...answer, via: "user" as const, ...(by !== undefined && { by }), decidedAt: turn.now }
  return continueCall(turn, { ...suspended, decisions: [...suspended.decisions, decision] })
}

/** Changes the arguments of the call and removes the approval request for the old ones. */
const change = (
  turn: Opened,
  { request: { callId, id, params }, suspended: { asking: _, ...pending } }: AskedCall,
  changes: JsonObject
): Effect.Effect<void, Failure> =>
  continueCall(
    turn,
    {
      ...pending,
      requests: pending.requests.filter((one) => one.id !== id),
      transcript: pending.transcript.map((stored) =>
        Either.match(Transcript.decode(stored), {
          onLeft: () => stored,
          onRight: (message) =>
            Transcript.encode(
              Transcript.withParams(message, callId, { ...(isJsonObject(params) && params), ...changes })
            )
        })
      )
    },
    callId
  )

/**
 * True if the conversation is at the position of the calls, or if a suspended flow is, so that the conversation can
 * return to it.
 */
const isAlive = (turn: Opened, pending: SuspendedTurn): boolean => {
  const { at } = pending
  return at === undefined || isHere(turn, pending) ||
    turn.state.session.suspended.some(({ flow, step }) => flow.id === at.flowId && step?.id === at.stepId)
}

/**
 * After the reply: if the conversation is at the position of a waiting call, repeats the question. If the conversation
 * cannot return to that position, cancels the call.
 */
export const remind = Effect.fnUntraced(function*(turn: Opened) {
  const { ending, session } = turn.state
  const waits = session[suspendedKey]
  if (waits === undefined || ending._tag === "Waiting" || turn.input._tag !== "Message") return
  if (!isForUser(waits)) return
  if (!isAlive(turn, waits)) return void closeSuspended(turn, "the conversation has left what it was for")
  const { asking: _, ...pending } = waits
  setSession(turn, { pendingApproval: pending })
  if (ending._tag !== "Spoken" || !isHere(turn, pending)) return
  for (const request of openRequests(pending)) note(turn, requested(request))
  end(turn, { _tag: "Waiting", suspended: yield* askUser(turn, pending) })
})
