/**
 * Taking branches: of the step that the walk is at, and, before a flow is chosen, of flow and agent.
 *
 * @since 0.2.0
 */
import type * as Eager from "../base/Eager.js"
import * as Directive from "../directive/Directive.js"
import * as Branching from "./Branching.js"
import { allHold } from "./choose.js"
import { applyDirectives } from "./directives.js"
import type { Acts, Branch, Flow, Step } from "./Ground.js"
import { complete, leaveStep } from "./leave.js"
import { along, countMove } from "./limits.js"

/** Another flow takes the floor: the active one waits on the stack, is left, or is completed, as it says. */
export function* interrupt<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  active: F,
  next: F
): Eager.Steps<void, E> {
  const outcome = yield* acts.interruption(active, next)
  if (outcome === "complete") {
    yield* complete(acts)
    yield* applyDirectives(acts, "pre")
  } else if (outcome === "drop") {
    yield* leaveStep(acts)
    yield* acts.runFlow(active, "onExit")
    yield* applyDirectives(acts, "pre")
    if (acts.flow()?.id === active.id) yield* acts.leave(active, false)
  }
  // What a hook has moved to in between waits as well: the message asks for the other flow.
  acts.suspend()
}

/**
 * Follows a branch. One that the message's words met, and that leads to another flow, interrupts the active one as routing
 * does; one by code leaves it for good. Gives whether the conversation moved.
 */
function* follow<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  { id, then, when }: Branch<T>
): Eager.Steps<boolean, E> {
  const matched = when.length > 0
  const active = acts.flow()
  const to = matched ? Directive.position(then) : undefined
  const next = to?._tag === "GoTo" && to.flow !== undefined ? acts.find(to.flow) : undefined
  if (active !== undefined && next !== undefined && next.id !== active.id) yield* interrupt(acts, active, next)
  yield* acts.emit({ source: id, directive: then, ...(matched && { matched }) })
  return yield* applyDirectives(acts, "branch")
}

/** Takes a branch on the walk. */
export function* takeBranch<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  step: S,
  branch: Branch<T>
): Eager.Steps<void, E> {
  if (branch.when.length > 0 && step.kind !== "auto") acts.spend()
  acts.see({ _tag: "Took", branch: branch.id, step })
  // A branch that neither moves nor answers is taken again at once: counting it as a move ends the turn at the limit.
  const moved = yield* along(acts, step, follow(acts, branch))
  if (!moved && !acts.isAnswered()) yield* countMove(acts)
}

/** Takes a branch before a flow is chosen. One that was taken because of what the user said has used the message. */
export function* takeBefore<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  branch: Branch<T>
): Eager.Steps<void, E> {
  if (branch.when.length > 0) acts.spend()
  acts.see({ _tag: "Took", branch: branch.id, step: undefined })
  yield* follow(acts, branch)
}

/** Whether a branch holds, in code and by the message. */
export function* isMet<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  branch: Branch<T>,
  step: S | undefined
): Eager.Steps<boolean, E> {
  acts.see({ _tag: "Asked", branch: branch.id })
  return (yield* allHold(acts, `${branch.id}.if`, branch.if)) && acts.isMet(branch, step)
}

/**
 * The branch that is taken before a flow is chosen: of the waiting step, its flow and the agent, the first that holds, in the
 * order of `Branching`, unless the walk takes it.
 */
export function* branchBefore<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>
): Eager.Steps<Branch<T> | undefined, E> {
  const step = acts.waiting()
  const levels = Branching.ordered({
    ...(step !== undefined && { step: step.branches.filter(({ when }) => when.length > 0) }),
    flow: acts.flow()?.branches ?? [],
    agent: acts.branches
  })
  for (const [i, levelled] of levels.entries()) {
    const { branch, level } = levelled
    if (!(yield* isMet(acts, branch, level === "step" ? step : undefined))) continue
    yield* acts.outrank(branch, levels.slice(i + 1))
    return Branching.isOnTheWalk(levelled) ? undefined : branch
  }
  return undefined
}
