/**
 * Determines which conditions in words a model may have judged for a message, like `conditions.foreseen` of the
 * pipeline. They are judged before the message's values are written, so the result depends on the fields that were
 * known before the message.
 *
 * @since 0.1.0
 */
import type { BranchShape, FlowShape, StepShape, Test } from "../shape/Shape.js"
import type { Walker } from "./Walker.js"

/** The fields that must have been known before the message for a condition to be judged. */
type Needs = Set<string>

/** Returns the result of the predicate before the message; `undefined` if its code cannot be evaluated. */
const heldBefore = (walker: Walker, test: Test, needs: Needs): boolean | undefined => {
  const { absentBefore, knownBefore, world: { judge } } = walker
  const known = new Set([...knownBefore, ...needs])
  const absent = new Set(absentBefore)
  while (true) {
    const verdict = judge.certain(test, known, absent)
    if (verdict._tag === "Certain") return verdict.holds
    if (verdict._tag === "Open") return undefined
    if (walker.known.has(verdict.field)) {
      needs.add(verdict.field)
      known.add(verdict.field)
    } else absent.add(verdict.field)
  }
}

const all = (walker: Walker, tests: ReadonlyArray<Test>, needs: Needs): boolean | undefined => {
  const said = tests.map((test) => heldBefore(walker, test, needs))
  return said.includes(false) ? false : said.includes(undefined) ? undefined : true
}

const eligible = (walker: Walker, step: StepShape, needs: Needs): boolean | undefined => {
  const passes = all(walker, step.if, needs)
  const skipped = step.skip.map((test) => heldBefore(walker, test, needs))
  if (passes === false || skipped.includes(true)) return false
  return passes === undefined || skipped.includes(undefined) ? undefined : true
}

/**
 * Returns the fields that must have been known for the branch's condition to be judged, besides those that its step
 * needs; `undefined` if it was not judged.
 */
export const ofBranch = (
  walker: Walker,
  branch: Pick<BranchShape, "if">,
  needs: Needs = new Set()
): Needs | undefined => all(walker, branch.if, needs) === false ? undefined : needs

/**
 * Returns the fields that must have been known for a path through the flow to reach the step; `undefined` if the step
 * was out of reach.
 */
export const ofStep = (walker: Walker, flow: FlowShape, target: StepShape): Needs | undefined => {
  const { start, waiting } = walker
  const needs: Needs = new Set()
  if (flow.index !== start.flow) {
    return all(walker, flow.if, needs) !== false && leads(walker, flow, target, needs, 0, new Set()) ? needs : undefined
  }
  if (waiting === undefined) {
    const spokeNot = start.standing === "entered"
    return !spokeNot && leads(walker, flow, target, needs, Math.max(start.step, 0), new Set()) ? needs : undefined
  }
  const visited = new Set([waiting.step])
  const step = flow.steps[waiting.step]!
  const found = follow(walker, flow, target, needs, step.branches.filter(({ when }) => when.length === 0), visited) ||
    leads(walker, flow, target, needs, waiting.step + 1, visited)
  return found ? needs : undefined
}

const follow = (
  walker: Walker,
  flow: FlowShape,
  target: StepShape,
  needs: Needs,
  branches: ReadonlyArray<BranchShape>,
  visited: Set<number>
): boolean =>
  branches.some(({ then }) => {
    const to = flow.steps.findIndex(({ id }) => id === then.goToStep)
    return to >= 0 && leads(walker, flow, target, needs, to, visited)
  })

const leads = (
  walker: Walker,
  flow: FlowShape,
  target: StepShape,
  needs: Needs,
  from: number,
  visited: Set<number>
): boolean => {
  for (const step of flow.steps.slice(from)) {
    if (visited.has(step.index)) return false
    visited.add(step.index)
    const passes = eligible(walker, step, needs)
    if (passes === false) continue
    if (step === target) return true
    if (follow(walker, flow, target, needs, followed(step), visited)) return true
    const speaks = step.kind !== "auto" && step.collect.length === 0 && step.when.length === 0
    // A step that code may skip does not certainly stop the path here.
    if (speaks && passes === true) return false
  }
  return false
}

/** Returns the branches of a step that the search for a path follows. */
const followed = ({ branches, collect, kind }: StepShape): ReadonlyArray<BranchShape> => {
  if (kind === "auto") return branches
  return collect.length > 0 ? branches.filter(({ when }) => when.length === 0) : []
}
