/**
 * The checker's version of moves and their effects on known fields: corresponds to `applyDirectives`, `leave` and
 * `Transition`.
 *
 * @since 0.1.0
 */
import * as Directive from "../../directive/Directive.js"
import type { Fields } from "../../fields/Fields.js"
import { flowIndex } from "../shape/Shape.js"
import type { Outcome } from "./Path.js"
import type { Walker } from "./Walker.js"

/** Enters a flow at its beginning; a reentrant flow that completed before clears its fields. */
export const begin = (walker: Walker, flow: number, reset: boolean): void => {
  // A suspended flow may keep fields of the one before it, so they become undecided.
  if (walker.flow !== flow) walker.reopen(walker.world.shape.flows[walker.flow]?.ephemeral ?? [])
  walker.flow = flow
  walker.step = -1
  walker.standing = "begin"
  walker.spoken = false
  walker.confirmed.clear()
  const { fields, initialData, reentrant } = walker.currentFlow
  if (reset) walker.forget(fields)
  else if (reentrant && walker.start.flow >= 0) walker.reopen(fields)
  walker.write(Object.fromEntries(Object.entries(initialData).filter(([name]) => !walker.known.has(name))))
}

export const restart = (walker: Walker): void => {
  walker.step = -1
  walker.standing = "start"
  walker.spoken = false
}

/** Completes the flow. Returns true if another flow took the floor. */
export const complete = (walker: Walker, next?: Directive.Directive): boolean => {
  const { currentFlow: { follows, onComplete } } = walker
  walker.see({ _tag: "Left", flow: walker.flow })
  const named = next === undefined ? undefined : Directive.position(next)
  if (next !== undefined) walker.write(Directive.dataOf(next))
  if (named?._tag === "GoTo" && named.flow !== undefined) return land(walker, named)
  if (follows !== undefined) return land(walker, { flow: follows })
  const moved = walker.run(onComplete)
  if (moved?._tag !== "Flow") return false
  begin(walker, moved.flow, false)
  return true
}

const land = (
  walker: Walker,
  to: { readonly flow?: string; readonly step?: string; readonly carry?: string }
): boolean => {
  const flow = flowIndex(walker.world.shape, to.flow ?? "")
  if (flow < 0) return false
  begin(walker, flow, to.carry === "reset")
  const step = walker.currentFlow.steps.findIndex(({ id }) => id === to.step)
  if (step >= 0) walker.pend(step)
  return true
}

/**
 * Applies a literal directive; `matched`: it belongs to a branch that the message's words met. Returns the outcome if
 * the turn is over.
 */
export const apply = (walker: Walker, directive: Directive.Directive, matched = false): Outcome | undefined => {
  const to = Directive.position(directive)
  const anyway = Directive.cleared(directive, () => matched)
  walker.clear(anyway.filter((name) => walker.isKnown(name)))
  forgetUnlessStated(walker, Directive.cleared(directive).filter((name) => !anyway.includes(name)))
  walker.write(Directive.dataOf(directive))
  if (directive.reply !== undefined) walker.said = true
  const ended = to === undefined ? undefined : move(walker, to, matched)
  if (ended !== undefined) return ended
  return walker.said ? { _tag: "Waits", place: walker.place() } : undefined
}

/**
 * Clears fields unless the message states them, which is undecided. If a cleared field is required, the flow asks for
 * it again.
 */
const forgetUnlessStated = (walker: Walker, names: ReadonlyArray<string>): void => {
  const known = names.filter((name) => walker.isKnown(name) && !walker.hasStated(name))
  const required = walker.world.shape.flows[walker.flow]?.requiredFields ?? []
  walker.clear(known.filter((name) => required.includes(name) && !walker.states(name)))
  walker.reopen(known.filter((name) => !required.includes(name)))
}

/** The user withdraws a value; the fields that depend on it are cleared as well. */
export const takeBack = (walker: Walker, name: string): void => {
  walker.takeBack(name)
  const lapsed = dependentsOf(walker.world.shape.fields, name).filter((one) => walker.isKnown(one, true))
  walker.clear(lapsed)
  walker.askAgain(lapsed)
}

/** The fields that depend on another one, also indirectly. */
const dependentsOf = (fields: Fields, changed: string): ReadonlyArray<string> => {
  const found = new Set([changed])
  for (const cause of found) {
    for (const { dependsOn, name } of fields.values()) if (dependsOn.includes(cause)) found.add(name)
  }
  return Array.from(found).filter((name) => name !== changed)
}

const move = (walker: Walker, to: Directive.Position, matched: boolean): Outcome | undefined => {
  if (to._tag === "HandOff") return handOff(walker)
  // Without a current flow there is none to leave or to reset.
  if (walker.flow < 0 && (to._tag !== "GoTo" || to.flow === undefined)) return undefined
  walker.moves++
  switch (to._tag) {
    case "Abort":
      walker.see({ _tag: "Left", flow: walker.flow })
      return { _tag: "Ends", how: "aborted" }
    case "Complete":
      return complete(walker, to.next) ? undefined : { _tag: "Ends", how: "completed" }
    case "Reset":
      return again(walker, to.step, to.clearData, matched)
    case "GoTo":
      return goTo(walker, to, matched)
  }
}

/** The person who takes over decides how the conversation continues. */
const handOff = (walker: Walker): Outcome => {
  if (walker.flow >= 0) walker.see({ _tag: "Left", flow: walker.flow })
  return { _tag: "Ends", how: "handed over" }
}

const goTo = (
  walker: Walker,
  to: Extract<Directive.Position, { readonly _tag: "GoTo" }>,
  matched: boolean
): undefined => {
  const flow = to.flow === undefined ? walker.flow : flowIndex(walker.world.shape, to.flow)
  if (flow === walker.flow) return again(walker, to.step, to.carry === "reset", matched)
  if (walker.flow >= 0) walker.see({ _tag: "Left", flow: walker.flow })
  land(walker, { ...to, flow: walker.world.shape.flows[flow]?.id ?? "" })
}

/** Restarts the current flow at its beginning, or at a step. */
const again = (walker: Walker, to: string | undefined, isCleared: boolean, matched: boolean): undefined => {
  walker.confirmed.clear()
  if (isCleared && matched) forgetUnlessStated(walker, walker.currentFlow.fields)
  else if (isCleared) walker.forget(walker.currentFlow.fields)
  const step = walker.currentFlow.steps.findIndex(({ id }) => id === to)
  if (step < 0) restart(walker)
  else walker.pend(step)
}
