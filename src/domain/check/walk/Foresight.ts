/**
 * Determines which conditions in words a message can have been asked about, like `conditions.foreseen` of the pipeline.
 * They are asked before the message's values are written, so the fields known before the message decide.
 *
 * @since 0.1.0
 */
import type { BranchShape, FlowShape, StepShape, Test } from "../shape/Shape.js"
import type { Walker } from "./Walker.js"

/** The fields that must have been known before the message for a condition to be asked. */
type Needs = Set<string>

/** Whether the predicate held before the message; `undefined` if its code cannot be evaluated. */
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

/** Fields that must have been known for the branch to be asked about, apart from its step; `undefined` if it was not. */
export const ofBranch = (
  walker: Walker,
  branch: Pick<BranchShape, "if">,
  needs: Needs = new Set()
): Needs | undefined => all(walker, branch.if, needs) === false ? undefined : needs

/** The fields that must have been known for the path through a flow to reach a step. */
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
    // A step that code may skip does not certainly hold the walk.
    if (speaks && passes === true) return false
  }
  return false
}

/** The branches that the foresight follows. */
const followed = ({ branches, collect, kind }: StepShape): ReadonlyArray<BranchShape> => {
  if (kind === "auto") return branches
  return collect.length > 0 ? branches.filter(({ when }) => when.length === 0) : []
}
