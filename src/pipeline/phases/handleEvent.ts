/**
 * Phase 2 of a turn that answers no message: runs the handler of the event, and decides whether the conversation
 * continues.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Handlers from "../../domain/definition/Handlers.js"
import { awaitsCode, wouldHold } from "../../domain/walk/choose.js"
import { applyDirectives } from "../flow/applyDirectives.js"
import { closeSuspended } from "../flow/closeSuspended.js"
import { goOn, stay } from "../flow/goOn.js"
import { endHandOff } from "../flow/handOff.js"
import { checkClaim } from "../state/admission.js"
import { runHook } from "../state/callbacks.js"
import type { Occurrence } from "../state/Input.js"
import { suspendedKey } from "../state/parts/SuspendedTurn.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { isAnswered, trace } from "../state/TurnState.js"
import { currentFlow, currentStep, groundOf } from "../walk/TurnGround.js"

/**
 * Runs the handler of the event. The conversation continues if the handler moved it, or if the current step waited for
 * a value that is now known. Otherwise the position stays and the turn does not speak.
 */
export const handleEvent = Effect.fnUntraced(function*(turn: Opened, occurrence: Occurrence) {
  yield* checkClaim(turn.stored, turn.now)
  if (Either.isLeft(occurrence.value)) {
    trace(turn, "event_refused", `event:${occurrence.name}`, occurrence.value.left)
    return stay(turn)
  }
  const handler = Handlers.of(turn.runtime.definition, turn.state.session, occurrence)
  if (handler === undefined) {
    trace(turn, "event_unhandled", `event:${occurrence.name}`, "no step, active flow or agent has a handler for it")
    return stay(turn)
  }
  const waits = yield* isWaiting(turn)
  if (yield* handle(turn, handler, occurrence)) return yield* goOn(closeSuspended(turn))
  if (isAnswered(turn)) return turn
  if (!waits || (yield* staysPut(turn))) return stay(turn)
  turn.routing.positionFixed = true
  return turn
})

/**
 * Runs the handler; returns true if it moved the conversation. If a wait for a person ended (`handOff.after`), the move
 * also gives the conversation back to the agent.
 */
const handle = (
  turn: Opened,
  { run, source }: Handlers.Handler,
  { around, endsWait, value }: Occurrence
): Effect.Effect<boolean, Failure> =>
  Effect.gen(function*() {
    yield* runHook(turn, "agent.beforeRespond", turn.runtime.definition.beforeRespond)
    const movedBefore = yield* applyDirectives(turn, "pre")
    const event = Either.getOrUndefined(value)
    yield* runHook(turn, source, (ctx) => run({ ...ctx, ...around, event }))
    const moved = (yield* applyDirectives(turn, "pre")) || movedBefore
    if (moved && endsWait === true) yield* endHandOff(turn)
    return moved
  })

/** True if the current step has spoken and waits for a value or predicate, and not for a person's decision. */
const isWaiting = Effect.fnUntraced(function*(turn: Opened) {
  const { session } = turn.state
  const step = currentStep(turn, session)
  if (session.handOver !== undefined) return false
  if (step === undefined || session.currentStep?.spoken !== true || session.currentStep.pending === true) return false
  if (session[suspendedKey] !== undefined) return false
  return yield* awaitsCode(groundOf(turn), currentFlow(turn, session)!, step)
})

/** True if the walk would stay at the current step if it began now. */
const staysPut = Effect.fnUntraced(function*(turn: Opened) {
  const flow = currentFlow(turn, turn.state.session)
  return flow === undefined || (yield* wouldHold(groundOf(turn), flow))
})
