/**
 * Leaving a step, leaving a flow, completing one: which hooks run, and who has the floor then.
 *
 * @since 0.2.0
 */
import type * as Eager from "../base/Eager.js"
import type * as Directive from "../directive/Directive.js"
import type { Acts, Flow, Step } from "./Ground.js"

/** Runs the hook of the current step, if it was entered and is not `next` itself. */
export function* leaveStep<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  next?: S
): Eager.Steps<void, E> {
  const { pending, step } = acts.standing()
  if (step !== undefined && step !== next && !pending) yield* acts.runStep(step, "onExit")
}

/** Takes the conversation back to a step of the current flow, which is then looked at anew. */
export function* returnTo<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  step: S
): Eager.Steps<void, E> {
  yield* leaveStep(acts, step)
  acts.pend(step)
}

/** Runs the hooks of what a move leaves behind. */
export function* leaveFor<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  to: Directive.Position
): Eager.Steps<void, E> {
  const flow = acts.flow()
  yield* leaveStep(acts)
  if (flow === undefined) return
  const target = to._tag === "GoTo" && to.flow !== undefined ? acts.find(to.flow)?.id : flow.id
  if (to._tag === "Abort" || target !== flow.id) yield* acts.runFlow(flow, "onExit")
}

/**
 * Completes the current flow: its hooks run, and what follows takes its place: the directive of `onComplete`, or `next`,
 * which outranks it, or what waits. Gives whether there was a flow to complete.
 */
export function* complete<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  next?: Directive.Directive
): Eager.Steps<boolean, E> {
  const flow = acts.flow()
  if (flow === undefined) {
    // Nothing to complete, for example in `complete.next`: what waits goes on all the same.
    yield* takeFloor(acts)
    return false
  }
  yield* leaveStep(acts)
  yield* acts.runFlow(flow, "onComplete")
  yield* acts.runFlow(flow, "onExit")
  if (next !== undefined) yield* acts.emit({ source: `flow:${flow.id}.complete.next`, directive: next })
  const isFollowed = yield* acts.isLeading()
  yield* acts.leave(flow, true)
  if (!isFollowed) yield* takeFloor(acts)
  return true
}

/** Leaves the current flow uncompleted: its hooks run, and what waits takes its place. */
export function* abort<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  to: Extract<Directive.Position, { readonly _tag: "Abort" }>
): Eager.Steps<void, E> {
  yield* leaveFor(acts, to)
  yield* acts.abandon(to)
  yield* takeFloor(acts)
}

/** Gives the floor, once routing has left it free, to what was suspended last, else to what comes next on the agenda. */
export function* takeFloor<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>
): Eager.Steps<void, E> {
  if (acts.flow() !== undefined || !acts.isRouted()) return
  if (!(yield* acts.resume())) yield* acts.enterNext()
}
