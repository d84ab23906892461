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
import { runHook } from "./callbacks.js"
import type { Failure, Opened } from "./TurnState.js"
import { currentFlow, currentStep, get, set, tell } from "./TurnState.js"

/** Runs the hook of the current step, if it was entered and is not `next` itself. */
export const leaveStep = (turn: Opened, next?: CompiledStep): Effect.Effect<void, Failure> =>
  Effect.suspend(() => {
    const { session } = get(turn)
    const step = currentStep(turn, session)
    return step === undefined || step === next || session.currentStep?.pending === true
      ? Effect.void
      : runHook(turn, `step:${step.id}.onExit`, step.onExit)
  })

/** Runs the hooks of what a move leaves behind. */
export const exitHooks = (turn: Opened, to: Directive.Position): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const { session } = get(turn)
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
    const { session } = get(turn)
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
    set(turn, { session: Transition.leave(get(turn).session, turn.now, true) })
    yield* tell(turn, { _tag: "FlowCompleted", flowId: flow.id })
    if (follows === undefined) yield* resumeSuspended(turn)
    return true
  })

const resumeSuspended = (turn: Opened): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { session } = get(turn)
    const resumed = Transition.pop(session)
    if (resumed === session) return
    set(turn, { session: resumed })
    const { id, title } = resumed.currentFlow!
    yield* tell(turn, { _tag: "FlowEntered", flowId: id, title, resumed: true })
  })
