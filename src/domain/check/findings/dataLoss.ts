/** The values that can be lost in a turn: the user withdraws them, or code clears them. */
import * as Memo from "../../base/Memo.js"
import * as Directive from "../../directive/Directive.js"
import { isSayable } from "../../fields/Fields.js"
import * as Reads from "../knowledge/Reads.js"
import type { FlowShape, Shape, Test } from "../shape/Shape.js"
import { branchesIn } from "../shape/Shape.js"
import * as Source from "../shape/Source.js"
import * as Hearing from "../walk/Hearing.js"
import type { Path } from "../walk/Path.js"
import { hasSpoken, type Place } from "../walk/Position.js"

/** A known value that is lost in a turn: the user withdraws it, or code clears it. */
export type LostValue =
  | { readonly _tag: "TakenBack"; readonly name: string }
  | { readonly _tag: "Forgotten"; readonly name: string; readonly path: string }

/** Returns the values that can be withdrawn or cleared at a position, with a message for `flow`. */
export const at = (shape: Shape, place: Place, flow: FlowShape): ReadonlyArray<LostValue> =>
  Array.from(place.known).flatMap((name) => [
    ...(isAsked(shape, place, flow, name) ? [{ _tag: "TakenBack" as const, name }] : []),
    ...shape.anywhere.filter(({ source }) => Source.mayForget(source, name)).map(({ path }) => ({
      _tag: "Forgotten" as const,
      name,
      path
    }))
  ])

/**
 * True if a message for `flow` can state or withdraw the field: the flow declares the field, or a repeatable flow
 * without `if` does.
 */
const isAsked = ({ fields, flows }: Shape, place: Place, flow: FlowShape, name: string): boolean => {
  const isDeclared = flow.fields.includes(name) ||
    flows.some((one) => one.if.length === 0 && one.repeats && one.fields.includes(name))
  if (!isDeclared) return false
  const waiting = hasSpoken(place) ? flows[place.flow]?.steps[place.step] : undefined
  const field = fields.get(name)
  return field === undefined || isSayable(field, waiting?.collect.includes(name) === true)
}

/**
 * True if the checker can skip a path on which a value is withdrawn or cleared: the turn did not need the value; and
 * either no later turn reads the value, or the next turn can withdraw or clear it with the same consequences.
 */
export const isIdle = (shape: Shape, lost: LostValue, { minds, outcome }: Path): boolean => {
  if (minds) return false
  if (outcome._tag !== "Waits") return true
  const { place } = outcome
  if (!Reads.from(shape, place.flow, place.step).has(lost.name)) return true
  const flow = shape.flows[place.flow]
  if (flow === undefined || foreseen(shape).has(lost.name)) return false
  const after = { ...place, known: new Set([lost.name]) }
  return isQuiet(shape, place, flow) && at(shape, after, flow).some((one) => one._tag === lost._tag)
}

/** True if messages are the only inputs that can move the conversation from a position. */
const isQuiet = ({ heard }: Shape, place: Place, { follows, onComplete, steps }: FlowShape): boolean =>
  Hearing.at(heard, place).length === 0 && !steps.some(({ depends, index }) => depends && index < place.step) &&
  !(steps[place.step]?.interrupted.includes("complete") === true && (follows !== undefined || onComplete.length > 0))

/**
 * The fields that decide whether the model is asked to judge a condition in words. This is decided before the message
 * is understood, so a withdrawn value has an effect on it only in the next turn.
 */
const foreseen = Memo.weak((shape: Shape): ReadonlySet<string> => {
  const isWorded = [...branchesIn(shape), ...shape.steps].some(({ when }) => when.length > 0)
  return new Set(isWorded ? testsOf(shape).flatMap((test) => Reads.fieldsOf(shape, test)) : [])
})

const testsOf = (shape: Shape): ReadonlyArray<Test> => [
  ...[...branchesIn(shape), ...shape.flows].flatMap((part) => part.if),
  ...shape.steps.flatMap((step) => [...step.if, ...step.skip])
]

/** For each field, the fields that a predicate or step reads together with it. */
const together = Memo.weak((shape: Shape): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  const { branches, flows, steps } = shape
  const tests = [
    ...testsOf(shape),
    ...flows.flatMap(({ isComplete }) => isComplete),
    ...steps.flatMap(({ until }) => until ?? [])
  ]
  const groups = [
    ...tests.map((test) => Reads.fieldsOf(shape, test)),
    ...steps.flatMap(({ collect, requires }) => [collect, requires]),
    ...branches.map(({ then }) => Directive.cleared(then))
  ]
  for (const group of groups) {
    for (const name of group) {
      const others = found.get(name) ?? new Set()
      for (const other of group) others.add(other)
      found.set(name, others)
    }
  }
  return found
})

/**
 * True if the checker explores the loss of this value in addition to those already lost: it explores at most two lost
 * values, and only if a predicate or step reads them together.
 */
export const isWithin = (shape: Shape, already: ReadonlySet<string>, { name }: LostValue): boolean =>
  already.size === 0 || (already.size === 1 && Array.from(already).every((one) => together(shape).get(one)?.has(name)))
