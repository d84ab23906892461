/**
 * Goes on with a turn that stopped for a person's decision, in this process or another.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { InvalidRequest } from "../domain/Errors.js"
import type { PendingApproval } from "../domain/Session.js"
import * as Transcript from "../domain/Transcript.js"
import type { TurnResponse } from "../domain/TurnResponse.js"
import { checkId } from "../services/SessionStore.js"
import { holding } from "./guard.js"
import { commit } from "./phases/commit.js"
import { finalize } from "./phases/finalize.js"
import { begin, type Loaded, loadSession } from "./phases/open.js"
import { postSignals } from "./phases/signals.js"
import { endsLoop, rounds } from "./phases/speak.js"
import { compose, toolsInScope } from "./prompt.js"
import { runRound } from "./tools.js"
import { converse } from "./turn.js"
import type { Failure, Opened, Runtime, Sink } from "./TurnState.js"
import { currentFlow, currentStep, get, isAnswered, update } from "./TurnState.js"
import { accounted } from "./usage.js"

/** What a person decided about a call. */
export interface Decision {
  readonly approved: boolean
  readonly reason?: string
}

/**
 * @since 0.1.0
 * @category pipeline
 */
export const approve = (
  runtime: Runtime,
  sessionId: string,
  callId: string,
  decision: Decision,
  sink: Sink
): Effect.Effect<TurnResponse, Failure> =>
  Effect.gen(function*() {
    yield* checkId(sessionId)
    // Loaded once: what waits is of the version that the commit expects, so that no decision counts twice.
    const loaded = yield* loadSession(runtime, sessionId, runtime.definition.historyLimit)
    const pending = yield* pendingOf(loaded, callId)
    const { message, messageId } = pending
    const request = { sessionId, message, ...(messageId !== undefined && { messageId }) }
    const turn = yield* begin(runtime, request, sink, loaded)
    const decided = [...pending.decisions, { callId, ...decision }]
    const open = pending.requests.filter((request) => request.callId !== callId)
    if (open.length > 0) {
      yield* update(
        turn,
        () => ({
          said: pending.said,
          approvals: open,
          pendingApproval: { ...pending, requests: open, decisions: decided }
        })
      )
      return yield* commit(turn)
    }
    yield* accounted(turn)(goOn(turn, { ...pending, decisions: decided }))
    return yield* commit(turn)
  }).pipe(
    holding(runtime, sessionId, sink),
    Effect.withSpan("Turn.approve", {
      attributes: { agent: runtime.definition.name, sessionId },
      captureStackTrace: false
    })
  )

const pendingOf = (
  loaded: Option.Option<Loaded>,
  callId: string
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

/** The rest of the stopped round, then whatever the model has to say. */
const goOn = (turn: Opened, pending: PendingApproval): Effect.Effect<Opened, Failure> =>
  Effect.gen(function*() {
    const messages = yield* Effect.forEach(pending.transcript, (stored) =>
      Effect.orDieWith(Transcript.decode(stored), (why) => new Error(why)))
    const transcript = Transcript.replayed(messages).filter(({ role }) =>
      role !== "user"
    )
    yield* update(turn, () => ({ transcript, said: pending.said, appendPrompt: pending.appendPrompt }))
    yield* Effect.forEach(pending.emissions, ({ directive, source }) => turn.bus.emit(source, directive))
    const { session } = yield* get(turn)
    const flow = currentFlow(turn, session)
    const step = currentStep(turn, session)
    const calls = Transcript.callsOf(messages.at(-1))
    const tools = yield* toolsInScope(turn, step)
    const task = step?.text ??
      (turn.runtime.definition.idle === "silent" ? () => Effect.succeed("") : turn.runtime.definition.idle.text)
    yield* update(turn, () => ({
      spoke: flow === undefined || step === undefined
        ? "idle"
        : { flowId: flow.id, stepId: step.id, last: step.index === flow.steps.length - 1 }
    }))
    yield* runRound(turn, tools, calls, pending.round, step, pending.records, pending.decisions)
    if (!(yield* endsLoop(turn))) {
      yield* rounds(turn, yield* compose(turn, task, flow, step), tools, flow, step)
    }
    yield* finalize(turn, flow === undefined || step === undefined ? { _tag: "Idle" } : { _tag: "Step", flow, step })
    if (!isAnswered(yield* get(turn))) yield* converse(turn)
    return yield* postSignals(turn)
  })
