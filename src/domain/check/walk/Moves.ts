/**
 * Moves a walk in the same way as `Transition` moves a session. A walk tracks which fields are known, not their values.
 */
import type * as Directive from "../../directive/Directive.js"
import { flowIndex } from "../shape/Shape.js"
import type { Standing } from "./Position.js"
import type { Walker } from "./Walker.js"

/** Returns those of the given fields that a move clears. */
type Forgotten = (fields: ReadonlyArray<string>) => ReadonlyArray<string>

const all: Forgotten = (fields) => fields

/**
 * Enters a flow at its first step. Clears the fields that `cleared` returns. If it returns none, the fields of a
 * reentrant flow become undecided (known or unknown), except if the turn began outside all flows.
 */
export const begin = (walker: Walker, flow: number, cleared: Forgotten = () => []): void => {
  leave(walker)
  walker.flow = flow
  stand(walker, "begin")
  walker.how = undefined
  walker.confirmed.clear()
  walker.skipped = new Set()
  const { clearable, initialData, reentrant } = walker.currentFlow
  const gone = cleared(clearable)
  if (gone.length > 0) walker.forget(gone)
  else if (reentrant && walker.start.flow >= 0) walker.reopen(clearable)
  walker.write(Object.fromEntries(Object.entries(initialData).filter(([name]) => !walker.known.has(name))))
}

/**
 * Leaves the current flow. Fields that are cleared at its end become undecided, because a suspended flow may keep them.
 */
export const leave = (walker: Walker, how?: "completed" | "aborted"): void => {
  if (walker.flow < 0) return
  walker.reopen(walker.currentFlow.ephemeral)
  suspend(walker)
  walker.how = how
}

/** Suspends the current flow: pushes it onto the stack. */
export const suspend = (walker: Walker): void => {
  if (walker.flow < 0) return
  walker.observe({ _tag: "Left", flow: walker.flow })
  walker.flow = -1
  stand(walker, "start")
}

/** Stands before the first step of the current flow, or outside all flows. */
const stand = (walker: Walker, standing: Standing): void => {
  walker.step = -1
  walker.standing = standing
  walker.spoken = false
}

/**
 * Moves the walk to the target of a directive. If `unstated` is given, the move clears only fields that the message
 * does not state.
 */
export const place = (walker: Walker, to: Directive.Move, unstated: Forgotten | undefined): void =>
  to._tag === "Reset"
    ? again(walker, to.step, to.clearData ? unstated ?? all : undefined, true)
    : goTo(walker, to, to.carry === "reset" ? unstated ?? all : undefined)

const goTo = (
  walker: Walker,
  { flow: name, step }: Extract<Directive.Move, { readonly _tag: "GoTo" }>,
  cleared: Forgotten | undefined
): void => {
  const flow = name === undefined ? walker.flow : flowIndex(walker.world.shape, name)
  if (flow < 0) return
  if (flow === walker.flow) return again(walker, step, cleared, step === undefined || cleared !== undefined)
  begin(walker, flow, cleared)
  const at = stepOf(walker, step)
  if (at >= 0) walker.pend(at)
}

const stepOf = ({ currentFlow }: Walker, id: string | undefined): number =>
  currentFlow.steps.findIndex((step) => step.id === id)

/** Moves to the first step of the current flow, or to a given step of it. */
const again = (walker: Walker, to: string | undefined, cleared: Forgotten | undefined, isAnew: boolean): void => {
  walker.confirmed.clear()
  if (isAnew) walker.skipped = new Set()
  if (cleared !== undefined) walker.forget(cleared(walker.currentFlow.clearable))
  const step = stepOf(walker, to)
  if (step >= 0) walker.pend(step)
  else stand(walker, "start")
}
