/**
 * Effects of a corrected value: goes back to a step that depends on it, or reopens a completed flow.
 *
 * @since 0.1.0
 */
import * as Eager from "../../domain/base/Eager.js"
import type { CompiledFlow, CompiledStep } from "../../domain/definition/Definition.js"
import type { Session } from "../../domain/session/Session.js"
import { returnTo } from "../../domain/walk/leave.js"
import * as Transition from "../../domain/walk/Transition.js"
import { runHook } from "../state/callbacks.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { currentFlow, currentStep, flowOf, get, set } from "../state/TurnState.js"
import { isEligible } from "../walk/conditions.js"
import { applyDirectives } from "./applyDirectives.js"
import { actsOf } from "./TurnActs.js"

/** The last completed flow, whose values can still be corrected. */
export const correctable = (turn: Opened): CompiledFlow | undefined => {
  const { currentFlow: current, lastCompleted } = get(turn).session
  return current === undefined ? flowOf(turn, lastCompleted) : undefined
}

const changedOf = (turn: Opened, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { corrected } = get(turn).record
  return names.filter((name) => Object.hasOwn(corrected, name))
}

/** Runs the `onCorrect` hook of a completed flow if the message has corrected one of its values. */
export const tellCorrections = Eager.fn(function*(turn: Opened): Eager.Steps<void, Failure> {
  const flow = correctable(turn)
  if (flow === undefined || typeof flow.onCorrect !== "function" || changedOf(turn, flow.fields).length === 0) return
  yield* runHook(turn, `flow:${flow.id}.onCorrect`, flow.onCorrect)
  yield* applyDirectives(turn, "pre")
})

/** Goes back to a step that depends on a corrected value, after routing has selected the current flow. */
export const reconsider = Eager.fn(function*(turn: Opened): Eager.Steps<void, Failure> {
  const over = correctable(turn)
  // A message that has completed the flow does not reopen it.
  if (over?.onCorrect === "reopen" && !get(turn).record.completedFlows.includes(over.id)) {
    return yield* reopen(turn, over)
  }
  const { session } = get(turn)
  const flow = currentFlow(turn, session)
  const current = currentStep(turn, session)
  if (flow === undefined || current === undefined) return
  const step = yield* dependent(turn, flow, changedOf(turn, flow.fields))
  if (step === undefined || step.index >= current.index || isSettled(session, flow, step)) return
  yield* returnTo(actsOf(turn), step)
})

/** True if a later step without `collect` has already spoken, so that a correction can no longer change its text. */
const isSettled = ({ currentFlow }: Session, flow: CompiledFlow, step: CompiledStep): boolean =>
  flow.steps.some(({ collect, id, index }) =>
    index > step.index && collect.length === 0 && currentFlow?.spokenSteps?.includes(id) === true
  )

/** Enters a completed flow again, at the first step that depends on a corrected value. */
const reopen = Eager.fn(function*(turn: Opened, over: CompiledFlow): Eager.Steps<void> {
  const changed = changedOf(turn, over.fields)
  if (changed.length === 0) return
  const session = Transition.enter(get(turn).session, over, turn.now, new Set(over.fields))
  set(turn, { session })
  const step = yield* dependent(turn, over, changed)
  if (step === undefined) return
  actsOf(turn).pend(step)
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
