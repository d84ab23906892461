/**
 * What the branches of several levels do when a message meets them: which of them goes first, and what the one that is
 * taken forgets. Pure, so that the turn and the checker decide by the same rules.
 *
 * @since 0.2.0
 */
import * as When from "../definition/When.js"
import * as Directive from "../directive/Directive.js"

/** Where a branch is written: at the step that waits, at its flow, or at the agent. */
export type Level = "step" | "flow" | "agent"

/** A branch, and where it is written. */
export interface Levelled<B> {
  readonly level: Level
  readonly branch: B
}

interface Leading {
  readonly then: Directive.Directive
}

/** How far out a level lies. */
const outward: Readonly<Record<Level, number>> = { step: 0, flow: 1, agent: 2 }

/**
 * How much a directive ends: 0 nothing, 1 one flow, 2 what is suspended as well, 3 the session's data as well.
 *
 * @since 0.2.0
 * @category getters
 */
export const reach = (directive: Directive.Directive): 0 | 1 | 2 | 3 => {
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
 * Branches in the order in which they are considered: those that end something before those that move or reply; of those
 * that end, the one that reaches furthest, then the outer level; of the others, the inner level. Branches that these rules
 * do not tell apart stay in the order in which they are written.
 *
 * @since 0.2.0
 * @category combinators
 */
export const ordered = <B extends Leading>(
  levels: Readonly<Partial<Record<Level, ReadonlyArray<B>>>>
): ReadonlyArray<Levelled<B>> =>
  (["step", "flow", "agent"] as const)
    .flatMap((level) => (levels[level] ?? []).map((branch) => ({ level, branch })))
    .sort(compare)

/**
 * Whether the walk through the flow takes the branch, and not what comes before routing: a branch of the waiting step that
 * ends nothing.
 *
 * @since 0.2.0
 * @category guards
 */
export const isOnTheWalk = ({ branch, level }: Levelled<Leading>): boolean =>
  level === "step" && reach(branch.then) === 0

/**
 * A branch of a suspended flow, and the flow.
 *
 * @since 0.2.0
 * @category models
 */
export interface Aside<F, B> {
  readonly flow: F
  readonly branch: B
}

/** Words that a condition is met by. */
const wordsOf = ({ when }: { readonly when: ReadonlyArray<string> }): ReadonlyArray<string> => {
  const { all, any } = When.parse(when)
  return [...any, ...all]
}

/**
 * The branches by which suspended flows may end where they lie: those of the flow itself that end it. Words that are asked
 * `elsewhere` anyway are asked there only, and words that several suspended flows have, of the one that comes next.
 *
 * @since 0.2.0
 * @category combinators
 */
export const aside = <
  B extends Leading & { readonly when: ReadonlyArray<string> },
  F extends { readonly branches: ReadonlyArray<B> }
>(
  /** Innermost last. */
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
