/**
 * The rules for branches of several levels (step, flow, agent) that one message meets: their order, and which of them
 * end suspended flows. Pure functions, shared by the turn and the checker.
 */
import * as When from "../definition/When.js"
import * as Directive from "../directive/Directive.js"

/** The level of a branch: the waiting step, its flow, or the agent. */
type Level = "step" | "flow" | "agent"

/** A branch with its level. */
export interface Levelled<B> {
  readonly level: Level
  readonly branch: B
}

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
export const isOnTheWalk = ({ branch, level }: Levelled<Leading>): boolean =>
  level === "step" && reach(branch.then) === 0

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
