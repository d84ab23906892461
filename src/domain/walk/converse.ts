/** The walk of a turn: goes to a step that speaks and lets it speak, until the turn has a reply. */
import { takeBranch } from "./branch.js"
import { type Choice, choose, endsFlow, isFinished, lacks, speaksNot } from "./choose.js"
import { applyDirectives } from "./directives.js"
import { giverOf } from "./givers.js"
import type { Acts, Flow, Next, Rule, Speaking, Step, StepHook } from "./Ground.js"
import { complete, leaveStep, returnTo } from "./leave.js"
import { countMove, pass } from "./limits.js"

const answered = { _tag: "Answered" } as const
const idle = { _tag: "Idle" } as const

/** Goes to a step that speaks, lets it speak and finishes it; repeats this until the turn has a reply. */
export function* converse<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Speaking<T, S, F, E>
): Rule<void, E> {
  while (true) {
    const next = acts.speaker() ?? (yield* advance(acts))
    if (next._tag !== "Answered") yield* acts.speak(next)
    yield* finalize(acts, next)
    if (acts.isAnswered()) return
    yield* countMove(acts)
  }
}

/** Goes from the current step to the next step that speaks, and enters it. */
function* advance<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Speaking<T, S, F, E>
): Rule<Next<S, F>, E> {
  while (true) {
    if (acts.isAnswered()) return answered
    if (yield* acts.goOn()) continue
    const flow = acts.flow()
    if (flow === undefined) return idle
    const arrival = acts.arrival()
    if (arrival !== undefined) {
      yield* arrive(acts, flow, arrival)
      continue
    }
    const next = yield* follow(acts, flow, yield* choose(acts, flow))
    if (next !== undefined) return next
  }
}

/** Runs the hooks of a flow that was entered; or `onResume` of a resumed flow and of its current step. */
function* arrive<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Speaking<T, S, F, E>,
  flow: F,
  by: "entered" | "resumed"
): Rule<void, E> {
  yield* acts.arrive(flow, by)
  yield* acts.runFlow(flow, by === "entered" ? "onEnter" : "onResume")
  const moved = yield* applyDirectives(acts, "pre")
  const { pending, step } = acts.standing()
  if (by === "entered" || moved || step === undefined || pending) return
  yield* acts.runStep(step, "onResume")
  yield* applyDirectives(acts, "pre")
}

/** Makes the chosen move; returns undefined if the walk continues after it. */
function* follow<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Speaking<T, S, F, E>,
  flow: F,
  choice: Choice<T, S>
): Rule<Next<S, F> | undefined, E> {
  switch (choice._tag) {
    case "Branch":
      yield* takeBranch(acts, choice.step, choice.branch)
      return undefined
    case "End":
      yield* countMove(acts)
      yield* complete(acts)
      yield* applyDirectives(acts, "pre")
      return undefined
    case "Stuck":
      return idle
    case "Enter":
    case "Hold":
      return yield* visit(acts, flow, choice.step, choice._tag === "Hold")
  }
}

/** Enters a step, or stays at it; returns undefined if the step does not speak now, so that the walk continues. */
function* visit<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Speaking<T, S, F, E>,
  flow: F,
  step: S,
  held: boolean
): Rule<Next<S, F> | undefined, E> {
  // The walk stays at a finished step if no step collects the missing fields: the step then speaks again.
  const holds = held && (yield* isFinished(acts, step))
  const moved = yield* enterStep(acts, step, held)
  if (acts.standing().step !== step) {
    // A hook has forgotten a value that an earlier step gives.
    if (!moved) yield* pass(acts, `${step.ref}, and back`)
    return undefined
  }
  if (moved || (step.kind !== "auto" && (yield* isLeft(acts, step, holds)))) return undefined
  return yield* act(acts, flow, step)
}

/** Makes the call of a step that was entered; returns the step if it speaks. */
function* act<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Speaking<T, S, F, E>,
  flow: F,
  step: S
): Rule<Next<S, F> | undefined, E> {
  const isOpen = !acts.isAnswered()
  if (isOpen && (yield* isTooEarly(acts, flow, step))) return undefined
  if (step.kind === "call" && isOpen) yield* acts.call(flow, step)
  if (speaksNot(step)) return undefined
  return acts.isHalted() ? answered : { _tag: "Step", flow, step }
}

/** Goes back, and returns true, if the step needs an unknown field that an earlier step gives. */
function* isTooEarly<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Speaking<T, S, F, E>,
  flow: F,
  step: S
): Rule<boolean, E> {
  const lacking = yield* acts.needs(flow, step)
  if (lacking.length === 0) return false
  const giver = yield* giverOf(acts, flow, step, lacking)
  // A call that was made and has not given the field is not made again for it.
  if (giver === undefined || (speaksNot(giver) && (acts.hasRun(giver) || acts.hasCalled(giver)))) {
    if (speaksNot(step)) acts.observe?.({ _tag: "Calls", step, lacking })
    return false
  }
  yield* pass(acts, `${step.ref}, and back`)
  yield* returnTo(acts, giver)
  return true
}

/**
 * True if the step has no reason to speak any more: its hooks have set the fields that it collects, or cleared a field
 * that it requires.
 */
function* isLeft<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  step: S,
  holds: boolean
): Rule<boolean, E> {
  if (acts.isAnswered()) return false
  if (lacks(acts, step)) {
    yield* pass(acts, `${step.ref}, and back`)
    return true
  }
  return !holds && step.collect.length > 0 && (yield* isFinished(acts, step))
}

/**
 * Enters the step unless `held`, and runs its hooks before speaking. Returns true if a directive of the hooks moved the
 * conversation.
 */
function* enterStep<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  step: S,
  held: boolean
): Rule<boolean, E> {
  if (!held) {
    yield* leaveStep(acts)
    yield* acts.enter(step)
  }
  acts.execute(step)
  if (speaksNot(step)) yield* pass(acts, step.ref)
  if (!held) yield* runRelying(acts, step, "onEnter")
  yield* runRelying(acts, step, "prepare")
  return yield* applyDirectives(acts, "pre")
}

/** Runs a hook of the step, unless a field that the step requires is unknown. */
function* runRelying<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  step: S,
  hook: StepHook
): Rule<void, E> {
  if (!lacks(acts, step)) yield* acts.runStep(step, hook)
}

/**
 * Finishes a step that has spoken: runs `finalize`, applies the directives of the step and its tools, and completes the
 * flow if it ends here.
 */
function* finalize<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Speaking<T, S, F, E>,
  next: Next<S, F>
): Rule<void, E> {
  // A flow cannot end while one of its tool calls waits for a decision.
  if (next._tag !== "Step" || acts.isHeldUp()) {
    yield* applyDirectives(acts, "post")
    return
  }
  const { flow, step } = next
  yield* runRelying(acts, step, "finalize")
  const moved = yield* applyDirectives(acts, "post")
  if (moved || !isStill(acts, flow, step)) return
  if (step.ends !== undefined && (yield* isFinished(acts, step))) {
    acts.emit({ source: `step:${step.id}.ends`, directive: step.ends })
  } else if (yield* endsFlow(acts, flow, step)) yield* complete(acts)
  yield* applyDirectives(acts, "post")
}

/** True if the step is still current and the conversation was not handed over to a person. */
const isStill = <T, S extends Step<T>, F extends Flow<T, S>, E>(acts: Acts<T, S, F, E>, flow: F, step: S): boolean =>
  !acts.isHandedOver() && acts.flow()?.id === flow.id && acts.standing().step?.id === step.id
