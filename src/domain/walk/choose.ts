/** The rules by which a walk chooses its next step. */
import type { Branch, Flow, Ground, Knowledge, Rule, Step, Tests } from "./Ground.js"

/** The next move of a walk. */
export type Choice<T, S extends Step<T>> =
  | { readonly _tag: "Enter" | "Hold"; readonly step: S }
  | { readonly _tag: "Branch"; readonly branch: Branch<T>; readonly step: S }
  | { readonly _tag: "End" | "Stuck" }

/** True for a step that does not speak, so that the walk continues after it. */
export const speaksNot = ({ kind }: Pick<Step<unknown>, "kind">): boolean => kind === "auto" || kind === "call"

/** True if the step collects fields and all are known. */
export const isSatisfied = (
  { collect }: Pick<Step<unknown>, "collect">,
  isKnown: Knowledge<never>["isKnown"]
): boolean => collect.length > 0 && collect.every(isKnown)

/**
 * True if all predicates give the result `wanted`; undefined if the answer depends on a predicate with an unknown
 * result.
 */
export function* allAre<T, R extends boolean | undefined>(
  ground: Tests<T, R>,
  source: string,
  tests: ReadonlyArray<T>,
  wanted: boolean
): Rule<R | boolean> {
  let all: R | boolean = true
  for (const test of tests) {
    const holds = yield* ground.holds(source, test)
    if (holds === !wanted) return false
    if (holds === undefined) all = holds
  }
  return all
}

/** True if the predicates in the flow's `isComplete` hold. */
export function* isDone<T, S extends Step<T>>(
  ground: Ground<T, S>,
  { id, isComplete }: Pick<Flow<T, S>, "id" | "isComplete">
): Rule<boolean> {
  return isComplete.length > 0 && (yield* allAre(ground, `flow:${id}.isComplete`, isComplete, true))
}

/** True if `if` and `skip` allow the step to be entered. */
export function* isEligible<T, R extends boolean | undefined>(
  ground: Tests<T, R>,
  { id, if: tests, skip }: Pick<Step<T>, "id" | "if" | "skip">
): Rule<R | boolean> {
  const passes = tests.length === 0 || (yield* allAre(ground, `step:${id}.if`, tests, true))
  if (passes === false || skip.length === 0) return passes
  return (yield* allAre(ground, `step:${id}.skip`, skip, false)) && passes
}

/**
 * True if the step is done. A step that collects fields: all are known and confirmed. Any other step: it
 * has spoken. In both cases `until` must hold, if the step has one.
 */
export function* isFinished<T, S extends Step<T>>(ground: Ground<T, S>, step: S): Rule<boolean> {
  if (step.kind === "auto") return true
  if (step.collect.length > 0) {
    const knowledge = ground.knowledge()
    if (!isSatisfied(step, knowledge.isKnown) || !knowledge.isConfirmed(step)) return false
  } else if (!ground.standing().spoken) return false
  return step.kind === "call" || step.until === undefined || (yield* ground.holds(`step:${step.id}.until`, step.until))
}

/**
 * Returns the first branch that holds. If the step is not finished, tries only branches with `when`: branches without
 * `when`, such as the fallback, are for a finished step.
 */
function* firstBranch<T, S extends Step<T>>(
  ground: Ground<T, S>,
  step: S,
  finished: boolean
): Rule<Branch<T> | undefined> {
  for (const branch of step.branches) {
    if (!finished && branch.when.length === 0) continue
    if (yield* isMet(ground, branch, step)) return branch
  }
  return undefined
}

/** True if a branch holds: all its predicates in `if` hold, and the message meets its `when`. */
export function* isMet<T, S extends Step<T>>(
  ground: Ground<T, S>,
  branch: Branch<T>,
  step: S | undefined
): Rule<boolean> {
  ground.observe?.({ _tag: "Asked", branch: branch.id })
  const holds = branch.if.length === 0 || (yield* allAre(ground, `${branch.id}.if`, branch.if, true))
  return holds && ground.isMet(branch, step)
}

/** Chooses the next move of the walk from the current position. */
export function* choose<T, S extends Step<T>>(
  ground: Ground<T, S>,
  flow: Flow<T, S>
): Rule<Choice<T, S>> {
  if (yield* isDone(ground, flow)) return { _tag: "End" }
  const { pending, step: current } = ground.standing()
  if (current === undefined) return yield* scan(ground, flow, 0, undefined)
  if (pending) return yield* scan(ground, flow, current.index, undefined)
  if (yield* isEligible(ground, current)) {
    const finished = yield* isFinished(ground, current)
    const branch = yield* firstBranch(ground, current, finished)
    if (branch !== undefined) return { _tag: "Branch", step: current, branch }
    if (!finished) return yield* hold(ground, flow, current)
  }
  return yield* scan(ground, flow, current.index + 1, current)
}

/** Chooses the next step in order, from index `from`, that is not skipped; or the end of the flow. */
function* scan<T, S extends Step<T>>(
  ground: Ground<T, S>,
  flow: Flow<T, S>,
  from: number,
  current: S | undefined
): Rule<Choice<T, S>> {
  for (const step of flow.steps.slice(from)) {
    ground.observe?.({ _tag: "Considered", step })
    if (!(yield* isEligible(ground, step))) continue
    if (!ground.isAdmittedByWhen(step)) continue
    const knowledge = ground.knowledge()
    if (isSatisfied(step, knowledge.isKnown) && (yield* isFinished(ground, step))) {
      const branch = yield* firstBranch(ground, step, true)
      if (branch !== undefined) return { _tag: "Branch", step, branch }
      continue
    }
    const missing = missingOf(step.requires, knowledge)
    return missing.length === 0 ? { _tag: "Enter", step } : yield* goBack(ground, flow, missing, current, step)
  }
  const missing = missingOf(flow.requiredFields, ground.knowledge())
  return missing.length === 0 ? { _tag: "End" } : yield* goBack(ground, flow, missing, current, undefined)
}

const missingOf = (
  required: ReadonlyArray<string>,
  { isKnown }: Pick<Knowledge<never>, "isKnown">
): ReadonlyArray<string> => required.filter((name) => !isKnown(name))

/**
 * Stays at the current step if all fields that it requires are known; otherwise goes back to a step that asks for a
 * missing one.
 */
function* hold<T, S extends Step<T>>(
  ground: Ground<T, S>,
  flow: Flow<T, S>,
  step: S
): Rule<Choice<T, S>> {
  if (!lacks(ground, step)) return { _tag: "Hold", step }
  return yield* goBack(ground, flow, missingOf(step.requires, ground.knowledge()), step, step)
}

/** True if a field that the step requires is unknown. */
export const lacks = <T, S extends Step<T>>(ground: Ground<T, S>, { requires }: S): boolean =>
  requires.length > 0 && missingOf(requires, ground.knowledge()).length > 0

/**
 * Goes back to the earliest step that collects a missing field. If there is none, stays at the current step if this can
 * speak; otherwise the walk is stuck.
 */
function* goBack<T, S extends Step<T>>(
  ground: Ground<T, S>,
  flow: Flow<T, S>,
  missing: ReadonlyArray<string>,
  current: S | undefined,
  by: S | undefined
): Rule<Choice<T, S>> {
  for (const step of flow.steps) {
    if (step.collect.some((name) => missing.includes(name)) && (yield* isEligible(ground, step))) {
      ground.observe?.({ _tag: "Missing", by, fields: missing, to: step })
      return step === current ? { _tag: "Hold", step } : { _tag: "Enter", step }
    }
  }
  ground.observe?.({ _tag: "Missing", by, fields: missing, to: undefined })
  const mayHold = current !== undefined && !speaksNot(current) && !lacks(ground, current)
  return mayHold ? { _tag: "Hold", step: current } : { _tag: "Stuck" }
}

/**
 * True if a change of data, without a message, may finish a step that has spoken: the step collects fields, has
 * `until`, or the walk would stay at it.
 */
export function* awaitsCode<T, S extends Step<T>>(
  ground: Ground<T, S>,
  flow: Flow<T, S>,
  step: S
): Rule<boolean> {
  return step.collect.length > 0 || step.until !== undefined || (yield* wouldHold(ground, flow))
}

/** True if a walk that started now would stay at the current step. */
export function* wouldHold<T, S extends Step<T>>(
  ground: Ground<T, S>,
  flow: Flow<T, S>
): Rule<boolean> {
  const { _tag } = yield* choose(ground, flow)
  return _tag === "Hold" || _tag === "Stuck"
}

/**
 * True if the step that has just spoken ends its flow: `isComplete` holds, or the step is finished, no step follows,
 * and no required field is missing.
 */
export function* endsFlow<T, S extends Step<T>>(
  ground: Ground<T, S>,
  flow: Flow<T, S>,
  step: S
): Rule<boolean> {
  if (yield* isDone(ground, flow)) return true
  if (step.branches.length > 0 || !(yield* isFinished(ground, step))) return false
  const knowledge = ground.knowledge()
  for (const later of flow.steps.slice(step.index + 1)) {
    const satisfied = isSatisfied(later, knowledge.isKnown)
    if (!(satisfied && knowledge.isConfirmed(later)) && (yield* isEligible(ground, later))) return false
    if (satisfied && later.branches.length > 0) return false
  }
  return flow.requiredFields.every(knowledge.isKnown)
}
