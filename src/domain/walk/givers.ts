/**
 * The steps that give a value: by collecting it, or by a call that binds it. A value that is forgotten leads back to
 * such a step.
 */
import { isEligible, speaksNot } from "./choose.js"
import type { Acts, Flow, Rule, Step } from "./Ground.js"
import { returnTo } from "./leave.js"

/** The cause of a forgotten value: the user takes it back or changes what it depends on, or code clears it. */
export type ForgottenBy = "user" | "code"

/**
 * Goes back to the earliest step before the current one that gives one of the forgotten fields, so that the value is
 * asked for, or the call made, before anything later uses it.
 *
 * Values that code has forgotten do not lead back if the flow comes to a step that gives them anyway, or if a call may
 * have used them up; fields that the flow requires always do.
 */
export function* askAgain<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  flow: F,
  current: S | undefined,
  names: ReadonlyArray<string>,
  by: ForgottenBy
): Rule<void, E> {
  if (current === undefined) return
  const always = by === "user" ? names : names.filter((name) => flow.requiredFields.includes(name))
  const others = names.filter((name) => !always.includes(name) && !givesLater(flow, current, name))
  const first = yield* giverOf(acts, flow, current, always)
  const other = yield* giverOf(acts, flow, current, others)
  const second = other !== undefined && isUsed(acts, flow, other, current) ? undefined : other
  const earliest = first === undefined || (second !== undefined && second.index < first.index) ? second : first
  if (earliest !== undefined) yield* returnTo(acts, earliest)
}

/**
 * Returns the earliest step before `current` that gives one of the fields. Leaves out steps that may not be entered, and
 * steps that a branch has passed over on purpose.
 */
export function* giverOf<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  flow: F,
  current: S,
  names: ReadonlyArray<string>
): Rule<S | undefined> {
  if (names.length === 0) return undefined
  const skipped = acts.skipped()
  for (const step of flow.steps.slice(0, current.index)) {
    if (step.when.length > 0 || skipped.includes(step) || !step.gives.some((name) => names.includes(name))) continue
    if (yield* isEligible(acts, step)) return step
  }
  return undefined
}

const givesLater = <T, S extends Step<T>>({ steps }: Flow<T, S>, { index }: S, name: string): boolean =>
  steps.slice(index).some(({ gives }) => gives.includes(name))

/**
 * True if code may have forgotten the value because it is used up: a call came after the step that gives it, or that
 * step's own call was made in this turn.
 */
const isUsed = <T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  { steps }: F,
  from: S,
  to: S
): boolean =>
  (speaksNot(from) && acts.hasRun(from)) ||
  steps.slice(from.index + 1, to.index + 1).some((step) => acts.hasCalled(step))

/** Notes that code moves past steps, unless their fields are known: it does not want them to be asked for. */
export const passOver = <T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  { steps }: F,
  from: S,
  to: S
): void => {
  const { isKnown } = acts.knowledge()
  const passed = steps.slice(from.index, to.index).filter((step) =>
    (step !== from && step.gives.length === 0) || !step.gives.every((name) => isKnown(name))
  )
  if (passed.length > 0) acts.skip([...acts.skipped(), ...passed])
}

/**
 * Follows a branch with `go`, and notes the steps that it passes over: those between, and the branch's own step if the
 * step has not given its fields.
 */
export function* skipping<T, S extends Step<T>, F extends Flow<T, S>, E, A>(
  acts: Acts<T, S, F, E>,
  from: S | undefined,
  go: Rule<A, E>
): Rule<A, E> {
  const flow = acts.flow()
  const { isKnown } = acts.knowledge()
  const isOpen = from !== undefined && !from.gives.every((name) => isKnown(name))
  const result = yield* go
  const { pending, step: to } = acts.standing()
  if (flow === undefined || from === undefined || to === undefined || !pending || acts.flow() !== flow) return result
  const passed = flow.steps.slice(isOpen ? from.index : from.index + 1, to.index)
  acts.skip([...acts.skipped(), ...passed])
  return result
}
