/**
 * Phases 6 and 7: walks from the current step to the one that speaks, and enters it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Eager from "../../domain/base/Eager.js"
import type { CompiledBranch, CompiledFlow, CompiledStep, Test } from "../../domain/definition/Definition.js"
import * as RewoundRange from "../../domain/session/rewind/RewoundRange.js"
import type { Session } from "../../domain/session/Session.js"
import * as Walk from "../../domain/walk/choose.js"
import { applyDirectives } from "../flow/applyDirectives.js"
import * as Interrupt from "../flow/interrupt.js"
import { completeFlow, leaveStep } from "../flow/leave.js"
import { runHook } from "../state/callbacks.js"
import { along, countMove, pass } from "../state/circles.js"
import { referring } from "../state/files.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { currentFlow, currentStep, get, isAnswered, note, set, setSession, tell } from "../state/TurnState.js"
import { groundOf } from "../walk/TurnGround.js"
import { goingOn, runCall } from "./call.js"
import { take } from "./takeBranches.js"

/** The result of the walk: a step speaks, no step is active, or the turn is already answered. */
export type Next =
  | { readonly _tag: "Step"; readonly flow: CompiledFlow; readonly step: CompiledStep }
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Answered" }

/**
 * Walks until a step speaks, the flow is stuck or left without a successor, or the turn is answered.
 *
 * @since 0.1.0
 * @category phases
 */
export const advance = Eager.fn(function*(turn: Opened): Eager.Steps<Next, Failure> {
  while (true) {
    const { session } = get(turn)
    if (isAnswered(turn)) return { _tag: "Answered" }
    const called = goingOn(turn)
    if (called !== undefined) {
      yield* runCall(turn, called.flow, called.step)
      continue
    }
    const flow = currentFlow(turn, session)
    if (flow === undefined) return { _tag: "Idle" }
    const arriving = arrival(turn, flow, session)
    if (arriving !== undefined) {
      yield* arriving
      continue
    }
    const next = yield* follow(turn, flow, yield* Walk.choose(groundOf(turn), flow))
    if (next !== undefined) return next
  }
})

/** Follows a choice of the walk; returns undefined if the walk continues from there. */
const follow = (
  turn: Opened,
  flow: CompiledFlow,
  choice: Walk.Choice<Test, CompiledStep>
): Effect.Effect<Next | undefined, Failure> => {
  switch (choice._tag) {
    case "Branch":
      return Effect.as(takeBranch(turn, choice.step, choice.branch), undefined)
    case "End":
      return Effect.as(endFlow(turn), undefined)
    case "Stuck":
      return Effect.succeed({ _tag: "Idle" })
    case "Enter":
    case "Hold":
      return visit(turn, flow, choice.step, choice._tag === "Hold")
  }
}

const takeBranch = Eager.fn(
  function*(turn: Opened, step: CompiledStep, branch: CompiledBranch): Eager.Steps<void, Failure> {
    if (step.kind !== "auto") take(turn, branch)
    // A branch that does not move or answer is taken again at once; counting it as a move ends the turn at the limit.
    const moved = yield* along(turn, step, () => Interrupt.follow(turn, branch))
    if (!moved && !isAnswered(turn)) yield* countMove(turn)
  }
)

const endFlow = Eager.fn(function*(turn: Opened): Eager.Steps<void, Failure> {
  yield* countMove(turn)
  yield* completeFlow(turn)
  yield* applyDirectives(turn, "pre")
})

/** Enters a step, or stays at it; returns undefined if it does not speak. */
const visit = Eager.fn(function*(
  turn: Opened,
  flow: CompiledFlow,
  step: CompiledStep,
  held: boolean
): Eager.Steps<Next | undefined, Failure> {
  // A finished step is held if a required field is asked for by no other step: then it speaks again.
  const holds = held && (yield* Walk.isFinished(groundOf(turn), step))
  const moved = yield* enterStep(turn, flow, step, held)
  if (moved || step.kind === "auto" || (yield* isLeft(turn, step, holds))) return undefined
  if (step.kind === "call") return yield* callStep(turn, flow, step)
  return get(turn).ending._tag === "Halted" ? { _tag: "Answered" } : { _tag: "Step", flow, step }
})

/** True if the step's hooks have set the fields it collects, or have cleared a field it requires. */
const isLeft = Eager.fn(function*(turn: Opened, step: CompiledStep, holds: boolean): Eager.Steps<boolean, Failure> {
  if (isAnswered(turn)) return false
  if (yield* Walk.lacks(groundOf(turn), step)) {
    yield* pass(turn, `${step.ref}, and back`)
    return true
  }
  return !holds && step.collect.length > 0 && (yield* Walk.isFinished(groundOf(turn), step))
})

const callStep = (turn: Opened, flow: CompiledFlow, step: CompiledStep): Effect.Effect<undefined, Failure> =>
  Effect.as(isAnswered(turn) ? Effect.void : runCall(turn, flow, step), undefined)

/** The hooks of a flow that was entered or resumed, if they have not run yet. */
const arrival = (
  turn: Opened,
  flow: CompiledFlow,
  { currentFlow }: Session
): Effect.Effect<void, Failure> | undefined => {
  if (currentFlow?.pending === true) return beginFlow(turn, flow)
  return currentFlow?.resumed === undefined ? undefined : resumeFlow(turn, flow, currentFlow.resumed)
}

const beginFlow = Eager.fn(function*(turn: Opened, flow: CompiledFlow): Eager.Steps<void, Failure> {
  const { pending: _, ...currentFlow } = get(turn).session.currentFlow!
  setSession(turn, { currentFlow })
  yield* tell(turn, { _tag: "FlowEntered", flowId: flow.id, title: flow.title, resumed: false })
  yield* runHook(turn, `flow:${flow.id}.onEnter`, flow.onEnter)
  yield* applyDirectives(turn, "pre")
})

/** Runs the hooks of a resumed flow, and of the step at which it resumes. */
const resumeFlow = Eager.fn(function*(turn: Opened, flow: CompiledFlow, since: number): Eager.Steps<void, Failure> {
  const { resumed: _, ...currentFlow } = get(turn).session.currentFlow!
  const count = RewoundRange.countAfter(turn.stored, since)
  setSession(turn, { currentFlow })
  set(turn, { meanwhile: count > 0 ? referring(turn.history.slice(-count)) : [] })
  yield* runHook(turn, `flow:${flow.id}.onResume`, flow.onResume)
  const moved = yield* applyDirectives(turn, "pre")
  const { session } = get(turn)
  const step = currentStep(turn, session)
  if (moved || step === undefined || session.currentStep?.pending === true) return
  yield* runHook(turn, `step:${step.id}.onResume`, step.onResume)
  yield* applyDirectives(turn, "pre")
})

/**
 * Makes the step current if it is not, and runs the hooks before it speaks. Returns true if they moved the
 * conversation.
 */
const enterStep = Eager.fn(function*(
  turn: Opened,
  flow: CompiledFlow,
  step: CompiledStep,
  held: boolean
): Eager.Steps<boolean, Failure> {
  if (!held) {
    yield* leaveStep(turn, step)
    setSession(turn, { currentStep: { id: step.id, enteredAt: turn.now, spoken: false } })
    yield* tell(turn, { _tag: "StepEntered", flowId: flow.id, stepId: step.id })
  }
  note(turn, { _tag: "StepExecuted", flowId: flow.id, stepId: step.id })
  if (Walk.speaksNot(step)) yield* pass(turn, step.ref)
  if (!held) yield* runHook(turn, `step:${step.id}.onEnter`, step.onEnter)
  yield* runHook(turn, `step:${step.id}.prepare`, step.prepare)
  return yield* applyDirectives(turn, "pre")
})

/** True if a walk would stay at the current step now. */
export const wouldHold = (turn: Opened): Effect.Effect<boolean> =>
  Eager.suspend(() => {
    const flow = currentFlow(turn, get(turn).session)
    return flow === undefined ? Effect.succeed(true) : Eager.run(Walk.wouldHold(groundOf(turn), flow))
  })
