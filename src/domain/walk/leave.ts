/** The rules of leaving a step, and of leaving or completing a flow: which hooks run, and which flow is active next. */
import type * as Directive from "../directive/Directive.js"
import type { Acts, Flow, Rule, Step } from "./Ground.js"

/** Runs `onExit` of the current step, if the step was entered. */
export function* leaveStep<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>
): Rule<void, E> {
  const { pending, step } = acts.standing()
  if (step !== undefined && !pending) yield* acts.runStep(step, "onExit")
}

/** Forgets which steps were passed over from a step on, because the walk comes to them again. */
export const walkAnew = <T, S extends Step<T>, F extends Flow<T, S>, E>(acts: Acts<T, S, F, E>, from: S): void => {
  const skipped = acts.skipped()
  const kept = skipped.filter(({ index }) => index < from.index)
  if (kept.length < skipped.length) acts.skip(kept)
}

/** Goes back to a step of the current flow; the walk then checks that step again. */
export function* returnTo<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  step: S
): Rule<void, E> {
  yield* leaveStep(acts)
  acts.markStepPending(step)
  walkAnew(acts, step)
}

/** Runs `onExit` of the step and the flow that a move leaves. */
export function* leaveFor<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  to: Directive.Position
): Rule<void, E> {
  const flow = acts.flow()
  yield* leaveStep(acts)
  if (flow === undefined) return
  const target = to._tag === "GoTo" && to.flow !== undefined ? acts.find(to.flow)?.id : flow.id
  if (to._tag === "Abort" || target !== flow.id) yield* acts.runFlow(flow, "onExit")
}

/**
 * Completes the current flow and runs its hooks; returns false if no flow was active. If neither `next` nor a hook has
 * moved the conversation, the flow that was suspended last resumes; without a suspended flow, the first flow on the
 * agenda is entered.
 */
export function* complete<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  next?: Directive.Directive
): Rule<boolean, E> {
  const flow = acts.flow()
  if (flow === undefined) {
    // Without an active flow, for example in `complete.next`, a suspended flow still resumes.
    yield* resumeOrEnterNext(acts)
    return false
  }
  yield* leaveStep(acts)
  yield* acts.runFlow(flow, "onComplete")
  yield* acts.runFlow(flow, "onExit")
  if (next !== undefined) acts.emit({ source: `flow:${flow.id}.complete.next`, directive: next })
  const isFollowed = acts.isLeading()
  yield* acts.leave(flow, true)
  if (!isFollowed) yield* resumeOrEnterNext(acts)
  return true
}

/**
 * Ends the current flow uncompleted and runs its hooks; then a suspended flow resumes, or the next one on the agenda is
 * entered.
 */
export function* abort<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  to: Extract<Directive.Position, { readonly _tag: "Abort" }>
): Rule<void, E> {
  yield* leaveFor(acts, to)
  yield* acts.abandon(to)
  yield* resumeOrEnterNext(acts)
}

/**
 * If no flow is active after routing, resumes the flow that was suspended last; without a suspended flow, enters the
 * next flow on the agenda.
 */
export function* resumeOrEnterNext<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>
): Rule<void, E> {
  if (acts.flow() !== undefined || !acts.isRouted()) return
  if (!(yield* acts.resume())) yield* acts.enterNext()
}
