/**
 * Determines which conditions in words a model may have judged for a message, like `conditions.foreseen` of the
 * pipeline. They are judged before the message's values are written, so the result depends on the fields that were
 * known before the message.
 *
 * @since 0.1.0
 */
import * as Ahead from "../../walk/ahead.js"
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
  const needs: Needs = new Set()
  const path = pathIn(walker, flow, needs)
  if (path === undefined) return undefined
  for (let step = path.next(); step !== undefined; step = path.next()) {
    const passes = eligible(walker, step, needs)
    if (passes !== false && step === target) return needs
    path.pass(step, passes)
  }
  return undefined
}

const pathIn = (walker: Walker, flow: FlowShape, needs: Needs) => {
  const { start, waiting } = walker
  const { steps } = flow
  if (flow.index !== start.flow) return all(walker, flow.if, needs) === false ? undefined : Ahead.begin(steps, 0)
  if (waiting !== undefined) return Ahead.begin(steps, waiting.step + 1, steps[waiting.step])
  // The current step was entered and has not spoken since: it speaks before the walk continues.
  return start.standing === "entered" ? undefined : Ahead.begin(steps, Math.max(start.step, 0))
}
