/** Restores a turn whose round of tool calls was suspended for a person's decision. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { InvalidRequest, SessionConflict } from "../../../domain/base/error/Errors.js"
import { mayDecide } from "../../../domain/session/PendingApproval.js"
import { openRequests, type Session } from "../../../domain/session/Session.js"
import * as Transcript from "../../../domain/session/Transcript.js"
import * as StoredView from "../../../domain/turn/view/storedView.js"
import { ofCause, words } from "../../../services/tool/ResultText.js"
import { applyDispatched } from "../../flow/applyDirectives.js"
import { closeSuspended } from "../../flow/closeSuspended.js"
import { goOn } from "../../flow/goOn.js"
import { askUser, isGone, toolOf } from "../../speaking/question.js"
import { type Decision, isDecision } from "../../state/Input.js"
import {
  type Request,
  requested,
  suspendedKey,
  type SuspendedTurn,
  withSuspended
} from "../../state/parts/SuspendedTurn.js"
import type { Failure, Opened } from "../../state/TurnState.js"
import { end, isAnswered, note } from "../../state/TurnState.js"
import { put } from "../../stored/store.js"

/** The reason why a decision is refused, and the fix. */
interface Objection {
  readonly why: string
  readonly fix: string
}

const refused = (request: string, objection: Objection) =>
  Effect.fail(new InvalidRequest({ what: `call "${request}"`, ...objection }))

const decidedAlready: Objection = {
  why: "it was decided, and another call still waits",
  fix: "Decide the calls that still wait: the approvals of the last response"
}

/** Restores the suspended turn, if the input is a decision about it. */
export const decided = (turn: Opened): Effect.Effect<Opened, Failure> => {
  const suspended = turn.stored[suspendedKey]
  return isDecision(turn.input) && suspended !== undefined
    ? restore(turn, suspended, turn.input)
    : Effect.succeed(turn)
}

/**
 * Restores the turn as it was when its round was suspended, and adds the decision. What was dispatched meanwhile is
 * applied first, so that the checks of the call see it; if it moves the conversation or replies, the call is cancelled.
 * So is a flow's call that its step does not make any more. The turn stays suspended while another call waits. Before calls run, the turn claims them in the stored session, so that only one of two concurrent
 * decisions runs them.
 */
const restore = (turn: Opened, pending: SuspendedTurn, input: Decision): Effect.Effect<Opened, Failure> =>
  Effect.gen(function*() {
    const decisions = yield* decide(turn, pending, input)
    turn.routing.positionFixed = true
    const moved = yield* applyDispatched(turn)
    const gone = !moved && isGone(turn, pending)
    if (moved || gone || isAnswered(turn)) {
      const left = closeSuspended(
        turn,
        gone
          ? "the step that made the call does not make it any more"
          : "what was dispatched before the decision took the conversation elsewhere"
      )
      // The user's message is among the messages of the cancelled call.
      const over = { ...left, message: "" }
      return moved || gone ? yield* goOn(over) : over
    }
    const shown = pending.told === true ? [] : StoredView.ofMessages(pending.transcript).shown
    note(turn, { _tag: "WordsRestored", said: pending.said, shown })
    yield* continueCall(turn, { ...pending, decisions })
    return turn
  })

/**
 * Resumes a round when all its calls are decided; until then, asks about the others. `changed` is a call whose
 * arguments the user has changed: it is checked again, and the user is asked about it again.
 */
export const continueCall = (turn: Opened, decided: SuspendedTurn, changed?: string): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    turn.state.session = withSuspended(turn.state.session)
    const open = openRequests(decided)
    if (open.length > 0 && changed === undefined) {
      for (const request of open) note(turn, requested(request))
      end(turn, { _tag: "Waiting", suspended: yield* askUser(turn, decided) })
      return
    }
    if (decided.decisions.some(({ approved }) => approved)) yield* claim(turn, decided)
    yield* reopenRound(turn, decided, changed)
  })

/**
 * Adds the decision to the earlier ones. If another process claimed the calls and died, its stored decisions are used
 * instead.
 */
const decide = (
  turn: Opened,
  pending: SuspendedTurn,
  input: Decision
): Effect.Effect<SuspendedTurn["decisions"], Failure> =>
  Effect.gen(function*() {
    const { decision, principal, request, sessionId } = input
    const { claim, decisions, requests } = pending
    const one = requests.find(({ callId, id }) => id === request || callId === request)!
    const unauthorized = roleObjection(one, principal?.roles)
    if (unauthorized !== undefined) return yield* refused(request, unauthorized)
    if (claim !== undefined) {
      if (!DateTime.lessThan(turn.now, claim.until)) return decisions
      const { version } = turn.stored
      return yield* Effect.fail(new SessionConflict({ sessionId, expected: version, actual: version }))
    }
    const objection = decisions.some(({ id }) => id === one.id) ? decidedAlready : objectionTo(decision, one, turn.now)
    if (objection !== undefined) return yield* refused(request, objection)
    yield* checkArgs(turn, pending, one, input)
    const by = decision.by ?? principal?.userId
    return [...decisions, { ...decision, id: one.id, ...(by !== undefined && { by }), decidedAt: turn.now }]
  })

/** Refuses corrected arguments that do not decode. A call of a tool that is gone ends by itself. */
const checkArgs = (
  turn: Opened,
  pending: SuspendedTurn,
  { callId, toolId }: Request,
  { decision: { approved, args }, request }: Decision
): Effect.Effect<void, InvalidRequest> => {
  const tool = toolOf(turn, pending, toolId)
  if (!approved || args === undefined || tool === undefined) return Effect.void
  return Effect.matchCauseEffect(tool.decode(args, turn.state.context), {
    onSuccess: () => Effect.void,
    onFailure: (cause) =>
      Effect.flatMap(ofCause(toolId, callId, cause), (error) =>
        refused(request, {
          why: `its tool does not accept the corrected arguments: ${words(error)}`,
          fix: "Decide again, without args or with others; the call still waits"
        }))
  })
}

const roleObjection = ({ role }: Request, roles: ReadonlyArray<string> = []): Objection | undefined =>
  role === undefined || mayDecide({ role }, roles) ? undefined : {
    why: `whoever decides must have the role "${role}", as a principal that the application has established`,
    fix: `Let somebody who has it decide, and pass who that is as principal: { userId, roles: ["${role}"] }`
  }

const objectionTo = (
  decision: Decision["decision"],
  { editable, expiresAt }: Request,
  now: DateTime.Utc
): Objection | undefined => {
  if (decision.approved && expiresAt !== undefined && !DateTime.lessThan(now, expiresAt)) {
    return {
      why: `it expired at ${DateTime.formatIso(expiresAt)}`,
      fix: "Decline it; it is asked for again when the call is made again"
    }
  }
  return decision.args !== undefined && editable !== true
    ? {
      why: "its tool does not let a person change the arguments",
      fix: "Decide without args, or let the tool's needsApproval say edit: true"
    }
    : undefined
}

/** Stores a claim on the approved calls, so that no other process runs them while the claim lasts. */
const claim = (turn: Opened, pending: SuspendedTurn): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const { now, runtime, stored } = turn
    const id = yield* runtime.generateId
    const until = DateTime.addDuration(now, runtime.definition.timeouts.turn)
    const session = yield* put(runtime, stored, {
      pendingApproval: { ...pending, claim: { id, until } },
      updatedAt: now
    })
    turn.state.replaced = session
    turn.state.session = { ...turn.state.session, version: session.version }
  })

/**
 * Returns the change that ends the claim of a turn that is not stored, so that the decision can be carried out again
 * immediately. The decision remains, because a call may have run. If the change is not stored either, the claim expires.
 */
export const released = (
  { now, state: { replaced }, stored }: Opened
): ((session: Session) => Partial<Session>) | undefined => {
  const claim = replaced[suspendedKey]?.claim
  if (replaced === stored || claim === undefined) return undefined
  return (session) => {
    const pending = session[suspendedKey]
    return pending?.claim?.id === claim.id ? { pendingApproval: { ...pending, claim: { ...claim, until: now } } } : {}
  }
}

/** Reopens the suspended round, with its earlier results and the directives that it had emitted. */
const reopenRound = (turn: Opened, pending: SuspendedTurn, changed: string | undefined): Effect.Effect<void> =>
  Effect.gen(function*() {
    // The session was decoded before, so a message in it that does not decode is a defect of the library.
    const messages = pending.transcript.map((stored) =>
      StoredView.withKept(Either.getOrThrowWith(Transcript.decode(stored), Error), undefined)
    )
    const { byFlow, decisions, mark, records, requests } = pending
    for (const record of records) note(turn, { _tag: "CallRestored", record })
    if (pending.told === true) turn.reply.resumes = requests[0]?.id
    const transcript = Transcript.replayed(byFlow === true ? messages.slice(0, -1) : messages)
    turn.state.transcript = transcript.filter(({ role }) => role !== "user")
    turn.reply.appendPrompt = pending.appendPrompt
    turn.reply.round = {
      number: pending.round,
      calls: Transcript.callsOf(messages.at(-1)),
      records,
      ...(byFlow === true && { byFlow }),
      ...(mark !== undefined && { callKey: mark }),
      ...(pending.at !== undefined && { at: pending.at }),
      ...(changed !== undefined && { changed }),
      decided: requests.flatMap((request) => {
        const decision = decisions.find(({ id }) => id === request.id)
        return decision === undefined ? [] : [{ request, decision }]
      })
    }
    for (const { directive, source } of pending.emissions) turn.bus.emit(source, directive)
  })
