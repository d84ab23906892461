/**
 * The expected path of a message through a flow, determined before the message is understood. The turn asks the model
 * about the conditions in words on this path. The checker determines which conditions the turn asks about.
 */
import type * as Directive from "../directive/Directive.js"
import { isEligible } from "./choose.js"
import type { FlowPosition, Rule, Step, Tests } from "./Ground.js"

interface Leading {
  readonly then: Directive.Directive
}

interface Shape extends Pick<Step<never>, "id" | "index" | "kind" | "collect" | "when"> {
  readonly branches: ReadonlyArray<Leading & { readonly when: ReadonlyArray<string> }>
  /** A call of the flow, with its possible continuations. */
  readonly call?: { readonly ways: ReadonlyArray<Leading> } | undefined
}

const byCode = ({ branches }: Shape): ReadonlyArray<Leading> => branches.filter(({ when }) => when.length === 0)

/** Returns the branches by which a walk may leave a step; undefined if the walk certainly stops at the step. */
const leadingOn = (step: Shape): ReadonlyArray<Leading> | undefined => {
  const { branches, call, collect, kind, when } = step
  if (kind === "auto") return branches
  if (call !== undefined) return call.ways
  if (collect.length > 0) return byCode(step)
  return when.length === 0 ? undefined : []
}

/**
 * Returns the indexes of the steps that may follow a step. The last index is visited first: the targets of the step's
 * branches come before the next step of the flow.
 */
const after = <S extends Shape>(
  steps: ReadonlyArray<S>,
  { index }: S,
  branches: ReadonlyArray<Leading>
): ReadonlyArray<number> => [
  index + 1,
  ...branches.toReversed().map(({ then }) => steps.findIndex(({ id }) => id === then.goToStep))
]

const beginning = <S extends Shape>(
  steps: ReadonlyArray<S>,
  { pending, spoken, step }: FlowPosition<S>
): ReadonlyArray<number> => {
  if (step === undefined || pending) return [step?.index ?? 0]
  // A current step that has not spoken since it was entered speaks before the walk continues.
  return spoken ? after(steps, step, byCode(step)) : []
}

const goingOn = <S extends Shape>(
  steps: ReadonlyArray<S>,
  step: S,
  isEligible: boolean | undefined
): ReadonlyArray<number> => {
  const branches = isEligible === false ? [] : leadingOn(step)
  return branches === undefined && isEligible !== undefined ? [] : after(steps, step, branches ?? [])
}

/**
 * Returns the steps on the message's path through a flow, each once. If the path contains `last`, it ends there. The
 * path begins at the current step. If this step waits for the message, the path begins after it, and contains the
 * targets of its branches without `when`; a branch with `when` that holds uses the message up, so its target is not on
 * the path. A step that is certainly skipped is not on the path. The path ends at a step where the walk certainly
 * stops.
 */
export function* onTheWay<T, S extends Shape & Pick<Step<T>, "if" | "skip">>(
  tests: Tests<T, boolean | undefined>,
  steps: ReadonlyArray<S>,
  standing: FlowPosition<S>,
  last?: S
): Rule<ReadonlyArray<S>> {
  const found: Array<S> = []
  const visited = new Set(standing.pending ? [] : [standing.step])
  /** The indexes of the steps to visit, the next one last. */
  const ahead = [...beginning(steps, standing)]
  while (ahead.length > 0) {
    const step = steps[ahead.pop()!]
    if (step === undefined || visited.has(step)) continue
    visited.add(step)
    const eligible = yield* isEligible(tests, step)
    if (eligible !== false) found.push(step)
    if (step === last) break
    for (const index of goingOn(steps, step, eligible)) ahead.push(index)
  }
  return found
}
