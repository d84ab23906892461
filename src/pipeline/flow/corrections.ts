/**
 * What a corrected value changes beside the value: where a flow that depends on it stands, and a flow that was over.
 *
 * @since 0.1.0
 */
import * as Eager from "../../domain/base/Eager.js"
import type { CompiledFlow, CompiledStep } from "../../domain/definition/Definition.js"
import type { Session } from "../../domain/session/Session.js"
import * as Transition from "../../domain/walk/Transition.js"
import { runHook } from "../state/callbacks.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { currentFlow, currentStep, flowOf, get, set, setSession } from "../state/TurnState.js"
import { isEligible } from "../walk/conditions.js"
import { applyDirectives } from "./applyDirectives.js"
import { goBack } from "./leave.js"

/** The flow that was completed last, whose values can still be corrected. */
export const correctable = (turn: Opened): CompiledFlow | undefined => {
  const { currentFlow: current, lastCompleted } = get(turn).session
  return current === undefined ? flowOf(turn, lastCompleted) : undefined
}

const changedOf = (turn: Opened, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { corrected } = get(turn).record
  return names.filter((name) => Object.hasOwn(corrected, name))
}

/** Tells a flow that is over of what the message has corrected. */
export const tellCorrections = Eager.fn(function*(turn: Opened): Eager.Steps<void, Failure> {
  const flow = correctable(turn)
  if (flow === undefined || typeof flow.onCorrect !== "function" || changedOf(turn, flow.fields).length === 0) return
  yield* runHook(turn, `flow:${flow.id}.onCorrect`, flow.onCorrect)
  yield* applyDirectives(turn, "pre")
})

/** Takes the conversation back to what depends on a corrected value, once it is known which flow has the floor. */
export const reconsider = Eager.fn(function*(turn: Opened): Eager.Steps<void, Failure> {
  const over = correctable(turn)
  // A flow that this very message has completed is over.
  if (over?.onCorrect === "reopen" && !get(turn).record.completedFlows.includes(over.id)) {
    return yield* reopen(turn, over)
  }
  const { session } = get(turn)
  const flow = currentFlow(turn, session)
  const current = currentStep(turn, session)
  if (flow === undefined || current === undefined) return
  const step = yield* dependent(turn, flow, changedOf(turn, flow.fields))
  if (step === undefined || step.index >= current.index || isSettled(session, flow, step)) return
  yield* goBack(turn, step)
})

/** Whether a later step that only speaks has spoken: what the correction would change is said. */
const isSettled = ({ currentFlow }: Session, flow: CompiledFlow, step: CompiledStep): boolean =>
  flow.steps.some(({ collect, id, index }) =>
    index > step.index && collect.length === 0 && currentFlow?.spokenSteps?.includes(id) === true
  )

/** Enters a flow that was over again, at the first step that depends on what was corrected. */
const reopen = Eager.fn(function*(turn: Opened, over: CompiledFlow): Eager.Steps<void> {
  const changed = changedOf(turn, over.fields)
  if (changed.length === 0) return
  const session = Transition.enter(get(turn).session, over, turn.now, new Set(over.fields))
  set(turn, { session })
  const step = yield* dependent(turn, over, changed)
  if (step === undefined) return
  setSession(turn, { currentStep: { id: step.id, enteredAt: turn.now, spoken: false, pending: true } })
})

const dependent = Eager.fn(function*(
  turn: Opened,
  flow: CompiledFlow,
  changed: ReadonlyArray<string>
): Eager.Steps<CompiledStep | undefined> {
  if (changed.length === 0) return undefined
  for (const step of flow.steps) {
    if (step.dependsOn.some((name) => changed.includes(name)) && (yield* isEligible(turn, step))) return step
  }
  return undefined
})
