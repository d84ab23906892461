/**
 * The order of the branches of several levels (step, flow, agent) that one message meets, and which of them end suspended
 * flows. Takes branches: of the current step during the walk; and, before a flow is chosen, of the waiting step, its flow and
 * the agent.
 */
import * as When from "../definition/When.js"
import * as Directive from "../directive/Directive.js"
import { isMet } from "./choose.js"
import { applyDirectives } from "./directives.js"
import { skipping } from "./givers.js"
import type { Acts, Branch, Flow, Level, Levelled, Rule, Step } from "./Ground.js"
import { complete, leaveStep } from "./leave.js"
import { along, countMove } from "./limits.js"

interface Leading {
  readonly then: Directive.Directive
}

/** Distance of a level from the step. */
const outward: Readonly<Record<Level, number>> = { step: 0, flow: 1, agent: 2 }

/**
 * Returns how much a directive ends: 0 for no flow; 1 for the current flow; 2 also for the suspended flows; 3 if it
 * also clears the session's data.
 */
const reach = (directive: Directive.Directive): 0 | 1 | 2 | 3 => {
  const to = Directive.position(directive)
  if (to?._tag === "Complete") return 1
  if (to?._tag !== "Abort") return 0
  return to.clearSession ? 3 : to.stack ? 2 : 1
}

const compare = (a: Levelled<Leading>, b: Levelled<Leading>): number => {
  const [toA, toB] = [reach(a.branch.then), reach(b.branch.then)]
  const byLevel = outward[a.level] - outward[b.level]
  return toB - toA || (toA > 0 ? -byLevel : byLevel)
}

/**
 * Sorts branches by precedence. Branches that end a flow come first: sorted by reach, larger first, then by level,
 * outer first. Branches that move or reply follow, sorted by level, inner first. Branches of equal precedence keep the
 * order of definition.
 */
export const ordered = <B extends Leading>(
  levels: Readonly<Partial<Record<Level, ReadonlyArray<B>>>>
): ReadonlyArray<Levelled<B>> =>
  (["step", "flow", "agent"] as const)
    .flatMap((level) => (levels[level] ?? []).map((branch) => ({ level, branch })))
    .sort(compare)

/** True if the walk takes the branch after routing: a branch of the waiting step that ends no flow. */
const isOnTheWalk = ({ branch, level }: Levelled<Leading>): boolean => level === "step" && reach(branch.then) === 0

/** A branch of a suspended flow, with the flow. */
export interface Aside<F, B> {
  readonly flow: F
  readonly branch: B
}

/** Returns the conditions in words of a branch, except the excluding ones (`!…`). */
const wordsOf = ({ when }: { readonly when: ReadonlyArray<string> }): ReadonlyArray<string> => {
  const { all, any } = When.parse(when)
  return [...any, ...all]
}

/**
 * Returns the branches of suspended flows that may end their flow without resuming it. Leaves a branch out if one of
 * its conditions is also a condition of a branch in `elsewhere` or of a flow suspended later.
 */
export const branchesOfSuspended = <
  B extends Leading & { readonly when: ReadonlyArray<string> },
  F extends { readonly branches: ReadonlyArray<B> }
>(
  /** The suspended flows, innermost last. */
  suspended: ReadonlyArray<F>,
  elsewhere: ReadonlyArray<B>
): ReadonlyArray<Aside<F, B>> => {
  const taken = new Set(elsewhere.flatMap(wordsOf))
  return suspended.toReversed().flatMap((flow) => {
    const found = flow.branches.filter((branch) =>
      reach(branch.then) > 0 && !wordsOf(branch).some((words) => taken.has(words))
    )
    for (const branch of found) for (const words of wordsOf(branch)) taken.add(words)
    return found.map((branch) => ({ flow, branch }))
  })
}

/**
 * Interrupts the active flow for the `next` one. The active flow is suspended, left or completed, as its `onInterrupt`
 * decides.
 */
export function* interrupt<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  active: F,
  next: F
): Rule<void, E> {
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
  // If a hook has moved the conversation to another flow meanwhile, suspends that flow too, because the message asks
  // for `next`.
  acts.suspend()
}

/**
 * Follows a branch; returns true if the conversation moved. A branch with `when` that leads to another flow interrupts
 * the active flow, as routing does. A branch without `when` ends the active flow.
 */
function* follow<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  { id, then, when }: Branch<T>
): Rule<boolean, E> {
  const matched = when.length > 0
  const active = acts.flow()
  const to = matched ? Directive.position(then) : undefined
  const next = to?._tag === "GoTo" && to.flow !== undefined ? acts.find(to.flow) : undefined
  if (active !== undefined && next !== undefined && next.id !== active.id) yield* interrupt(acts, active, next)
  acts.emit({ source: id, directive: then, ...(matched && { matched }) })
  return yield* applyDirectives(acts, "branch")
}

/** Takes a branch on the walk. */
export function* takeBranch<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  step: S,
  branch: Branch<T>
): Rule<void, E> {
  if (branch.when.length > 0 && step.kind !== "auto") acts.consumeMessage()
  acts.observe?.({ _tag: "Took", branch: branch.id, step })
  // A branch that neither moves nor replies is taken again immediately. It is counted as a move, so that the turn ends
  // at the limit.
  const moved = yield* along(acts, step, follow(acts, branch))
  if (!moved && !acts.isAnswered()) yield* countMove(acts)
}

/** Takes a branch before a flow is chosen. After a branch with `when`, no later condition is judged on the message. */
export function* takeBefore<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  branch: Branch<T>
): Rule<void, E> {
  if (branch.when.length > 0) acts.consumeMessage()
  acts.observe?.({ _tag: "Took", branch: branch.id, step: undefined })
  yield* skipping(acts, acts.standing().step, follow(acts, branch))
}

/**
 * Returns the branch to take before a flow is chosen: in the order of `ordered`, the first that holds among the
 * branches of the waiting step, its flow and the agent. Returns undefined if the walk takes this branch later.
 */
export function* branchBefore<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>
): Rule<Branch<T> | undefined, E> {
  const step = acts.waiting()
  const levels = ordered({
    ...(step !== undefined && { step: step.branches.filter(({ when }) => when.length > 0) }),
    flow: acts.flow()?.branches ?? [],
    agent: acts.branches
  })
  for (const [i, levelled] of levels.entries()) {
    const { branch, level } = levelled
    if (!(yield* isMet(acts, branch, level === "step" ? step : undefined))) continue
    yield* acts.traceOutranked(branch, levels.slice(i + 1))
    return isOnTheWalk(levelled) ? undefined : branch
  }
  return undefined
}
