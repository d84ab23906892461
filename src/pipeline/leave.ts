/**
 * Leaving a step, leaving a flow, completing one: the hooks around the pure transitions.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { CompiledStep } from "../domain/definition/Definition.js"
import { findFlow } from "../domain/definition/Definition.js"
import * as Directive from "../domain/Directive.js"
import * as Transition from "../domain/Transition.js"
import type { Failure, Opened } from "./TurnState.js"
import { currentFlow, currentStep, emit, get, runHook, update } from "./TurnState.js"

/** Runs the hook of the current step, if it was entered and is not `next` itself. */
export const leaveStep = (turn: Opened, next?: CompiledStep): Effect.Effect<void, Failure> =>
  Effect.flatMap(get(turn), ({ session }) => {
    const step = currentStep(turn, session)
    return step === undefined || step === next || session.currentStep?.pending === true
      ? Effect.void
      : runHook(turn, `step:${step.id}.onExit`, step.onExit)
  })

/** Runs the hooks of what a move leaves behind. */
export const exitHooks = (turn: Opened, to: Directive.Position): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const { session } = yield* get(turn)
    const flow = currentFlow(turn, session)
    yield* leaveStep(turn)
    if (flow === undefined) return
    const target = to._tag === "GoTo" && to.flow !== undefined
      ? findFlow(turn.runtime.definition.flows, to.flow)?.id
      : flow.id
    if (to._tag === "Abort" || target !== flow.id) yield* runHook(turn, `flow:${flow.id}.onExit`, flow.onExit)
  })

/**
 * Completes the current flow: its hooks run, it is entered in the history, and what follows takes its place: the
 * directive of `onComplete`, or `next`, which outranks it, or the flow that was suspended for this one.
 * Returns whether there was a flow to complete.
 */
export const completeFlow = (turn: Opened, next?: Directive.Directive): Effect.Effect<boolean, Failure> =>
  Effect.gen(function*() {
    const { session } = yield* get(turn)
    const flow = currentFlow(turn, session)
    if (flow === undefined) {
      // Nothing to complete, for example in `complete.next`: what waits goes on all the same.
      yield* resumeSuspended(turn)
      return false
    }
    yield* leaveStep(turn)
    yield* runHook(turn, `flow:${flow.id}.onComplete`, flow.onComplete)
    yield* runHook(turn, `flow:${flow.id}.onExit`, flow.onExit)
    if (next !== undefined) yield* turn.bus.emit(`flow:${flow.id}.complete.next`, next)
    const follows = Directive.position(yield* turn.bus.peek)
    yield* update(turn, (draft) => ({
      session: Transition.leave(draft.session, turn.now, true),
      completedFlows: [...draft.completedFlows, flow.id]
    }))
    yield* emit(turn, { _tag: "FlowCompleted", flowId: flow.id })
    if (follows === undefined) yield* resumeSuspended(turn)
    return true
  })

const resumeSuspended = (turn: Opened): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { session } = yield* get(turn)
    const resumed = Transition.pop(session)
    if (resumed === session) return
    yield* update(turn, () => ({ session: resumed }))
    const { id, title } = resumed.currentFlow!
    yield* emit(turn, { _tag: "FlowEntered", flowId: id, title, resumed: true })
  })
