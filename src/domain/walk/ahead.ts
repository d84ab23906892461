/**
 * The path of a message through a flow, as it is foreseen before the message is understood. The turn asks for the
 * conditions in words on this path; the checker determines whether a condition was asked for.
 *
 * @since 0.2.0
 */
import type * as Directive from "../directive/Directive.js"
import type { Step } from "./Ground.js"

interface Leading {
  readonly then: Directive.Directive
}

interface Shape extends Pick<Step<never>, "id" | "index" | "kind" | "collect" | "when"> {
  readonly branches: ReadonlyArray<Leading & { readonly when: ReadonlyArray<string> }>
  /** A call of the flow, with its possible continuations. */
  readonly call?: { readonly ways: ReadonlyArray<Leading> } | undefined
}

/** The steps on the path, each returned once. */
interface Ahead<S> {
  /** Returns the next step on the path; undefined at its end. Call `pass` for it before the next call. */
  readonly next: () => S | undefined
  /**
   * Continues the path after the step. `isEligible` is false if the step is skipped: the path continues with the step
   * after it. If it is true, the path continues with all steps that may follow, or ends if the walk certainly stops at
   * the step. It is undefined if this is not known: the path then continues in any case.
   */
  readonly pass: (step: S, isEligible: boolean | undefined) => void
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
 * Begins a path at the step with index `from`. If a step waits for the message, the path also contains the targets of
 * its branches without `when`. Its branches with `when` are left out, because they use up the message.
 */
export const begin = <S extends Shape>(steps: ReadonlyArray<S>, from: number, waiting?: S): Ahead<S> => {
  const visited = new Set<number>()
  /** The indexes of the steps to visit, the next one last. */
  const ahead: Array<number> = []
  const goOn = (next: number, branches: ReadonlyArray<Leading>) => {
    ahead.push(next)
    for (const { then } of branches.toReversed()) ahead.push(steps.findIndex(({ id }) => id === then.goToStep))
  }
  if (waiting !== undefined) visited.add(waiting.index)
  goOn(from, waiting === undefined ? [] : byCode(waiting))
  return {
    next: () => {
      while (ahead.length > 0) {
        const step = steps[ahead.pop()!]
        if (step === undefined || visited.has(step.index)) continue
        visited.add(step.index)
        return step
      }
      return undefined
    },
    pass: (step, isEligible) => {
      const branches = isEligible === false ? [] : leadingOn(step)
      if (branches !== undefined || isEligible === undefined) goOn(step.index + 1, branches ?? [])
    }
  }
}
