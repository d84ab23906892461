/**
 * Phases 6 and 7: walk from the current step to the one that speaks, and enter it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { CompiledBranch, CompiledFlow, CompiledStep } from "../../domain/definition/Definition.js"
import * as Hidden from "../../domain/Hidden.js"
import * as Now from "../../domain/Now.js"
import type { Session } from "../../domain/Session.js"
import { allHold, dataOf, holds, runHook } from "../callbacks.js"
import { along, countMove, pass } from "../circles.js"
import { holdsTrue, isDone, isEligible, isSatisfied } from "../conditions.js"
import { referring } from "../files.js"
import * as Interrupt from "../interrupt.js"
import { completeFlow, leaveStep } from "../leave.js"
import { isConfirmed } from "../readback.js"
import { settle } from "../settle.js"
import type { Failure, Opened } from "../TurnState.js"
import { currentFlow, currentStep, get, isAnswered, note, set, setSession, tell } from "../TurnState.js"
import { goingOn, runCall } from "./call.js"
import { take } from "./depart.js"

/** What comes next: a step speaks, nothing is active, or the turn is already answered. */
export type Next =
  | { readonly _tag: "Step"; readonly flow: CompiledFlow; readonly step: CompiledStep }
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Answered" }

/** Where the walk goes from the current step. */
type Choice =
  | { readonly _tag: "Enter" | "Hold"; readonly step: CompiledStep }
  | { readonly _tag: "Branch"; readonly branch: CompiledBranch; readonly step: CompiledStep }
  | { readonly _tag: "End" | "Stuck" }

/**
 * @since 0.1.0
 * @category phases
 */
export const advance = Now.fn(function*(turn: Opened): Now.Steps<Next, Failure> {
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
    const done = yield* isDone(turn, flow)
    const next = yield* follow(turn, flow, done ? { _tag: "End" } : yield* choose(turn, flow, session))
    if (next !== undefined) return next
  }
})

/** Goes where the choice leads; nothing where the walk goes on from there. */
const follow = (turn: Opened, flow: CompiledFlow, choice: Choice): Effect.Effect<Next | undefined, Failure> => {
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

const takeBranch = Now.fn(
  function*(turn: Opened, step: CompiledStep, branch: CompiledBranch): Now.Steps<void, Failure> {
    if (step.kind !== "auto") take(turn, branch)
    // A branch that neither moves nor answers is taken again at once: counting it as a move ends the turn at the limit.
    const moved = yield* along(turn, step, () => Interrupt.follow(turn, branch))
    if (!moved && !isAnswered(turn)) yield* countMove(turn)
  }
)

const endFlow = Now.fn(function*(turn: Opened): Now.Steps<void, Failure> {
  yield* countMove(turn)
  yield* completeFlow(turn)
  yield* settle(turn, "pre")
})

/** Enters a step, or stays at it; nothing where it has nothing to say. */
const visit = Now.fn(function*(
  turn: Opened,
  flow: CompiledFlow,
  step: CompiledStep,
  held: boolean
): Now.Steps<Next | undefined, Failure> {
  // It may hold although it is finished, because what is missing is asked nowhere: then it speaks again.
  const holds = held && (yield* isFinished(turn, step))
  const moved = yield* enterStep(turn, flow, step, held)
  if (moved || step.kind === "auto") return undefined
  if (step.kind === "call") return yield* callStep(turn, flow, step)
  if (get(turn).ending._tag === "Halted") {
    return { _tag: "Answered" }
  }
  // A hook may have given what the step was to ask for.
  const given = !holds && step.collect.length > 0 && !isAnswered(turn)
  if (given && (yield* isFinished(turn, step))) return undefined
  return { _tag: "Step", flow, step }
})

const callStep = (turn: Opened, flow: CompiledFlow, step: CompiledStep): Effect.Effect<undefined, Failure> =>
  Effect.as(isAnswered(turn) ? Effect.void : runCall(turn, flow, step), undefined)

/** Steps that say nothing: the walk goes on behind them. */
const speaksNot = ({ kind }: CompiledStep): boolean => kind === "auto" || kind === "call"

/** The hooks of a flow that was entered, or that goes on after it was suspended, if they have not run yet. */
const arrival = (
  turn: Opened,
  flow: CompiledFlow,
  { currentFlow }: Session
): Effect.Effect<void, Failure> | undefined => {
  if (currentFlow?.pending === true) return beginFlow(turn, flow)
  return currentFlow?.resumed === undefined ? undefined : resumeFlow(turn, flow, currentFlow.resumed)
}

const beginFlow = Now.fn(function*(turn: Opened, flow: CompiledFlow): Now.Steps<void, Failure> {
  const { pending: _, ...currentFlow } = get(turn).session.currentFlow!
  setSession(turn, { currentFlow })
  yield* tell(turn, { _tag: "FlowEntered", flowId: flow.id, title: flow.title, resumed: false })
  yield* runHook(turn, `flow:${flow.id}.onEnter`, flow.onEnter)
  yield* settle(turn, "pre")
})

/** The hooks of a flow that goes on, and of the step at which it does. */
const resumeFlow = Now.fn(function*(turn: Opened, flow: CompiledFlow, since: number): Now.Steps<void, Failure> {
  const { resumed: _, ...currentFlow } = get(turn).session.currentFlow!
  const count = Hidden.countAfter(turn.stored, since)
  setSession(turn, { currentFlow })
  set(turn, { meanwhile: count > 0 ? referring(turn.history.slice(-count)) : [] })
  yield* runHook(turn, `flow:${flow.id}.onResume`, flow.onResume)
  const moved = yield* settle(turn, "pre")
  const { session } = get(turn)
  const step = currentStep(turn, session)
  if (moved || step === undefined || session.currentStep?.pending === true) return
  yield* runHook(turn, `step:${step.id}.onResume`, step.onResume)
  yield* settle(turn, "pre")
})

/** Makes the step current unless it is, and runs what comes before speaking. Returns whether that moved the conversation. */
const enterStep = Now.fn(function*(
  turn: Opened,
  flow: CompiledFlow,
  step: CompiledStep,
  held: boolean
): Now.Steps<boolean, Failure> {
  if (!held) {
    yield* leaveStep(turn, step)
    setSession(turn, { currentStep: { id: step.id, enteredAt: turn.now, spoken: false } })
    yield* tell(turn, { _tag: "StepEntered", flowId: flow.id, stepId: step.id })
  }
  note(turn, { _tag: "StepExecuted", flowId: flow.id, stepId: step.id })
  if (speaksNot(step)) yield* pass(turn, step.ref)
  if (!held) yield* runHook(turn, `step:${step.id}.onEnter`, step.onEnter)
  yield* runHook(turn, `step:${step.id}.prepare`, step.prepare)
  return yield* settle(turn, "pre")
})

const choose = Now.fn(function*(turn: Opened, flow: CompiledFlow, session: Session): Now.Steps<Choice> {
  const current = currentStep(turn, session)
  if (current === undefined) return yield* scan(turn, flow, 0, undefined)
  if (session.currentStep?.pending === true) return yield* scan(turn, flow, current.index, undefined)
  if (yield* isEligible(turn, current)) {
    const finished = yield* isFinished(turn, current)
    const branch = yield* firstBranch(turn, flow, current, finished)
    if (branch !== undefined) return { _tag: "Branch", step: current, branch }
    if (!finished) return { _tag: "Hold", step: current }
  }
  return yield* scan(turn, flow, current.index + 1, current)
})

/** Whether the walk would stay at the current step if it began now. */
export const wouldHold = (turn: Opened): Effect.Effect<boolean, Failure> =>
  Effect.suspend(() => {
    const { session } = get(turn)
    const flow = currentFlow(turn, session)
    if (flow === undefined) return Effect.succeed(true)
    return Effect.flatMap(isDone(turn, flow), (done) =>
      done
        ? Effect.succeed(false)
        : Effect.map(choose(turn, flow, session), ({ _tag }) => _tag === "Hold" || _tag === "Stuck"))
  })

/** Whether a step that has been entered has nothing left to do. */
export const isFinished = Now.fn(function*(turn: Opened, step: CompiledStep): Now.Steps<boolean> {
  if (step.kind === "auto") return true
  const data = yield* dataOf(turn)
  const isDone = step.collect.length > 0
    ? isSatisfied(step, data) && isConfirmed(turn, step, data)
    : get(turn).session.currentStep?.spoken === true
  if (!isDone || step.kind === "call") return isDone
  return step.until === undefined || (yield* holds(turn, `step:${step.id}.until`, step.until))
})

/**
 * The first branch that matches. A step that is not finished is left only by what the user said: branches in code,
 * and the fallback, wait until it is.
 */
const firstBranch = Now.fn(function*(
  turn: Opened,
  flow: CompiledFlow,
  step: CompiledStep,
  finished: boolean
): Now.Steps<CompiledBranch | undefined> {
  for (const branch of step.branches) {
    if (!finished && branch.when.length === 0) continue
    if (!(yield* allHold(turn, `${branch.id}.if`, branch.if))) continue
    if (holdsTrue(turn, branch, { flow, step, entering: false })) return branch
  }
  return undefined
})

/** The next step in order that is not passed over. */
const scan = Now.fn(function*(
  turn: Opened,
  flow: CompiledFlow,
  from: number,
  current: CompiledStep | undefined
): Now.Steps<Choice> {
  for (const step of flow.steps.slice(from)) {
    if (!(yield* isEligible(turn, step))) continue
    if (!holdsTrue(turn, { id: step.ref, when: step.when }, { flow, step, entering: true })) continue
    const data = yield* dataOf(turn)
    if (isSatisfied(step, data) && (yield* isFinished(turn, step))) {
      const branch = yield* firstBranch(turn, flow, step, true)
      if (branch !== undefined) return { _tag: "Branch", step, branch }
      continue
    }
    const missing = step.requires.filter((name) => data[name] === undefined)
    return missing.length === 0 ? { _tag: "Enter", step } : yield* goBack(turn, flow, missing, current)
  }
  const data = yield* dataOf(turn)
  const missing = flow.requiredFields.filter((name) => data[name] === undefined)
  return missing.length === 0 ? { _tag: "End" } : yield* goBack(turn, flow, missing, current)
})

/** The earliest step that collects a missing field; without one the current step holds, unless it cannot speak. */
const goBack = Now.fn(function*(
  turn: Opened,
  flow: CompiledFlow,
  missing: ReadonlyArray<string>,
  current: CompiledStep | undefined
): Now.Steps<Choice> {
  for (const step of flow.steps) {
    if (step.collect.some((name) => missing.includes(name)) && (yield* isEligible(turn, step))) {
      return step === current ? { _tag: "Hold", step } : { _tag: "Enter", step }
    }
  }
  return current === undefined || speaksNot(current) ? { _tag: "Stuck" } : { _tag: "Hold", step: current }
})

/** Whether the step that has just spoken ends its flow: code says that it is done, or the step is finished, nothing follows it, nothing is missing. */
export const endsFlow = Now.fn(function*(turn: Opened, flow: CompiledFlow, step: CompiledStep): Now.Steps<boolean> {
  if (yield* isDone(turn, flow)) return true
  if (step.branches.length > 0 || !(yield* isFinished(turn, step))) return false
  const data = yield* dataOf(turn)
  for (const later of flow.steps.slice(step.index + 1)) {
    const isPassed = isSatisfied(later, data) && isConfirmed(turn, later, data)
    if (!isPassed && (yield* isEligible(turn, later))) return false
    if (isSatisfied(later, data) && later.branches.length > 0) return false
  }
  return flow.requiredFields.every((name) => data[name] !== undefined)
})
