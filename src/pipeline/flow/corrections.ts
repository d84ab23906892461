/** Effects of a corrected value: goes back to a step that depends on it, or reopens a completed flow. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { CompiledFlow, CompiledStep, Test } from "../../domain/definition/Definition.js"
import type { Session } from "../../domain/session/Session.js"
import * as Choose from "../../domain/walk/choose.js"
import { isSatisfied } from "../../domain/walk/choose.js"
import type { Ground, Rule } from "../../domain/walk/Ground.js"
import { returnTo } from "../../domain/walk/leave.js"
import * as Transition from "../../domain/walk/Transition.js"
import { contextBefore, runHook } from "../state/callbacks.js"
import type { Opened } from "../state/TurnState.js"
import { isEligible } from "../walk/conditions.js"
import { correctable, currentFlow, currentStep, groundOf, TurnGround } from "../walk/TurnGround.js"
import { applyDirectives } from "./applyDirectives.js"
import { actsOf } from "./TurnActs.js"

const changedOf = (turn: Opened, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { corrected } = turn.state.record
  return names.filter((name) => Object.hasOwn(corrected, name))
}

/** Runs the `onCorrect` hook of a completed flow if the message has corrected one of its values. */
export const tellCorrections = Effect.fnUntraced(function*(turn: Opened) {
  const flow = correctable(turn)
  if (flow === undefined || typeof flow.onCorrect !== "function" || changedOf(turn, flow.fields).length === 0) return
  yield* runHook(turn, `flow:${flow.id}.onCorrect`, flow.onCorrect)
  yield* applyDirectives(turn, "pre")
})

/** Goes back to a step that a corrected value concerns, after routing has selected the current flow. */
export const reopenCorrected = Effect.fnUntraced(function*(turn: Opened) {
  const over = correctable(turn)
  // A message that has completed the flow does not reopen it.
  if (over?.onCorrect === "reopen" && !turn.state.record.completedFlows.includes(over.id)) {
    return yield* reopen(turn, over)
  }
  const { session } = turn.state
  const flow = currentFlow(turn, session)
  const current = currentStep(turn, session)
  if (flow === undefined || current === undefined) return
  const step = yield* dependent(turn, flow, changedOf(turn, flow.fields))
  const asked = step === undefined || step.index >= current.index || isSettled(session, flow, step) ? [] : [step]
  const decided = yield* decidedOtherwise(turn, flow, current)
  const [earliest] = [...asked, ...decided].toSorted((a, b) => a.index - b.index)
  if (earliest !== undefined) yield* returnTo(actsOf(turn), earliest)
})

/**
 * Returns the earliest step before the current one that a corrected value concerns: its values were confirmed together
 * with the old value, or its branches, `if` or `skip` decide otherwise than with the old value. Leaves out steps after
 * which another step has acted.
 */
const decidedOtherwise = Effect.fnUntraced(function*(
  turn: Opened,
  flow: CompiledFlow,
  current: CompiledStep
) {
  const { currentFlow: position } = turn.state.session
  const grounds = { before: new GroundBefore(turn), now: groundOf(turn) }
  const passed = flow.steps.slice(0, current.index).filter(({ id, when }) =>
    when.length === 0 && position?.skippedSteps?.includes(id) !== true
  )
  for (const step of passed) {
    const isOther = (yield* isUnconfirmed(grounds.now, step, position?.confirmed)) ||
      (yield* decidesOtherwise(grounds, step))
    if (isOther && !hasActed(turn, flow.steps.slice(step.index + 1, current.index + 1))) return [step]
  }
  return []
})

/** True if the step's values were confirmed, and are not as they were confirmed. */
function* isUnconfirmed(
  ground: Grounds["now"],
  step: CompiledStep,
  confirmed: Readonly<Record<string, string>> = {}
): Rule<boolean> {
  if (confirmed[step.id] === undefined) return false
  const { isConfirmed, isKnown } = ground.knowledge()
  return isSatisfied(step, isKnown) && !isConfirmed(step) && (yield* Choose.isEligible(ground, step))
}

/** The ground of a turn with the values that the message has corrected as they were before it. */
class GroundBefore extends TurnGround {
  override holds(_: string, test: Test): Effect.Effect<boolean> {
    return Effect.catchAllCause(Effect.suspend(() => test(contextBefore(this.turn))), () => Effect.succeed(false))
  }
}

interface Grounds {
  readonly before: Ground<Test, CompiledStep>
  readonly now: Ground<Test, CompiledStep>
}

/** Returns the id of the branch that the step's predicates choose; whether the step is entered, if there is none. */
function* decisionOf(ground: Grounds["now"], step: CompiledStep): Rule<string | boolean> {
  if (!(yield* Choose.isEligible(ground, step))) return false
  const { isKnown } = ground.knowledge()
  if (!step.collect.every(isKnown)) return true
  for (const branch of step.branches) {
    if (branch.when.length === 0 && (yield* Choose.allAre(ground, `${branch.id}.if`, branch.if, true))) return branch.id
  }
  return true
}

/** True if the step's predicates decide otherwise than before. A step with `dependsOn` has a rule of its own. */
function* decidesOtherwise({ before, now }: Grounds, step: CompiledStep): Rule<boolean> {
  if (step.dependsOn.length > 0 || step.if.length + step.skip.length + step.branches.length === 0) return false
  const [was, is] = [yield* decisionOf(before, step), yield* decisionOf(now, step)]
  if (was === is || (was === true && is === false)) return false
  // A step that is entered now, and has all its values, has nothing to do.
  return was !== false || is !== true || step.collect.length === 0 || !(yield* Choose.isFinished(now, step))
}

/** True if one of the steps has made a call that is not read-only, or has run its hooks and spoken without collecting. */
const hasActed = (turn: Opened, steps: ReadonlyArray<CompiledStep>): boolean => {
  const { calledSteps = [], spokenSteps = [] } = turn.state.session.currentFlow ?? {}
  return steps.some(({ collect, finalize, id, onEnter, prepare }) =>
    calledSteps.includes(id) ||
    (collect.length === 0 && spokenSteps.includes(id) && [onEnter, prepare, finalize].some(Predicate.isNotUndefined))
  )
}

/** True if a later step without `collect` has already spoken, so that a correction can no longer change its text. */
const isSettled = ({ currentFlow }: Session, flow: CompiledFlow, step: CompiledStep): boolean =>
  flow.steps.some(({ collect, id, index }) =>
    index > step.index && collect.length === 0 && currentFlow?.spokenSteps?.includes(id) === true
  )

/** Enters a completed flow again, at the first step that depends on a corrected value. */
const reopen = Effect.fnUntraced(function*(turn: Opened, over: CompiledFlow) {
  const changed = changedOf(turn, over.fields)
  if (changed.length === 0) return
  const session = Transition.enter(turn.state.session, over, turn.now, new Set(over.fields))
  turn.state.session = session
  const step = yield* dependent(turn, over, changed)
  if (step === undefined) return
  actsOf(turn).markStepPending(step)
})

const dependent = Effect.fnUntraced(function*(
  turn: Opened,
  flow: CompiledFlow,
  changed: ReadonlyArray<string>
) {
  for (const step of flow.steps) {
    if (step.dependsOn.some((name) => changed.includes(name)) && (yield* isEligible(turn, step))) return step
  }
  return undefined
})
