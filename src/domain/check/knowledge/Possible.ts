/** Decides from the earlier calls whether a condition of a policy can hold at a position of a conversation. */
import * as DateTime from "effect/DateTime"
import type { Json } from "../../base/Json.js"
import { type Facts, holds, valueOf as evaluate } from "../../policy/judge.js"
import type {
  Between,
  Calculation,
  Called,
  Comparison,
  Condition,
  Predicate,
  Ref,
  Result
} from "../../policy/Policy.js"
import { freshSince, sinceOf } from "../../policy/reads.js"
import { partAt } from "../../policy/value.js"
import { argumentsIn } from "../../policy/valuePath.js"

/** The tools after whose last calls a call must come; of a call of one of `fresh` itself, the last one counts. */
export interface After {
  readonly since: ReadonlyArray<string>
  readonly fresh: ReadonlyArray<string>
}

/** Returns the tools after whose last calls a call or result must come. */
export const afterOf = (one: Called | Result, tools: ReadonlyArray<string>): After => ({
  since: sinceOf(one),
  fresh: freshSince(one, tools)
})

/** The calls before a position that the conditions of one policy refer to. */
export interface Before {
  /** The tools that the policy is about. */
  readonly tools: ReadonlyArray<string>
  /** True if the tool may have been called, after the last calls of these tools. */
  readonly may: (tool: string, after: After) => boolean
  /** True if the tool has certainly been called, after the last calls of these tools. */
  readonly has: (tool: string, after: After) => boolean
  /** True if the calls may have been made in this order. */
  readonly mayInOrder: (calls: ReadonlyArray<Called>) => boolean
  /** True if the field can have a value. */
  readonly field: (name: string) => boolean
  /** The arguments of the call that the policy is about, if they are literals. */
  readonly args: Json | undefined
  readonly predicates: Readonly<Record<string, Predicate>>
  /** The arguments of all calls of a tool, if they are literals; undefined if a call can have other arguments. */
  readonly literals: (tool: string) => ReadonlyArray<Json> | undefined
}

/** The possible results of a condition: `yes` if it can be true, `no` if it can be false. */
interface Can {
  readonly yes: boolean
  readonly no: boolean
}

const open: Can = { yes: true, no: true }
const undecided: Can = { yes: false, no: false }

/** Returns the value of a reference if it is a literal; otherwise true if it can have a value. */
const valueOf = (ref: Ref, before: Before): { readonly literal: Json } | boolean => {
  if ("value" in ref) return { literal: ref.value }
  if ("now" in ref) return true
  if ("field" in ref) return before.field(ref.field) && areGiven(ref.path, before)
  if ("calc" in ref || "between" in ref) return composed(ref, before)
  if ("result" in ref) return mayResult(ref, before)
  if (before.args === undefined) return true
  const literal = partAt(before.args, ref.argument)
  return literal === undefined ? false : { literal }
}

/** True if there may be a result as the reference names it. */
const mayResult = (ref: Extract<Ref, { readonly result: string }>, before: Before): boolean =>
  areGiven(ref.path, before) && before.may(ref.result, afterOf(ref, before.tools)) &&
  areKnown(ref.with, before) &&
  fits(ref.result, ref.with, before)

/** True if the arguments that a path names may be given. */
const areGiven = (path: string | undefined, { args }: Before): boolean =>
  args === undefined || argumentsIn(path).every((name) => partAt(args, name) !== undefined)

/** Returns the value of a calculation: a literal if all its values are. */
const composed = (ref: Calculation | Between, before: Before): { readonly literal: Json } | boolean => {
  const [left, right] = "calc" in ref ? [ref.calc[0], ref.calc[2]] : ref.between
  const values = [valueOf(left, before), valueOf(right, before)]
  if (values.includes(false)) return false
  const [a, b] = values
  if (typeof a !== "object" || typeof b !== "object") return true
  const parts = [{ value: a.literal }, { value: b.literal }] as const
  const literal = evaluate(
    "calc" in ref ? { calc: [parts[0], ref.calc[1], parts[1]] } : { ...ref, between: parts },
    nothing
  )
  return literal === undefined ? false : { literal }
}

const areKnown = (refs: Refs = {}, before: Before): boolean =>
  Object.values(refs).every((ref) => valueOf(ref, before) !== false)

type Refs = Readonly<Record<string, Ref>>

/**
 * Returns whether a call has the wanted arguments, if both are literals; undefined if this is not known. Values of
 * different types may be equal after decoding.
 */
const isEqual = (args: Json, name: string, ref: Ref, before: Before): boolean | undefined => {
  const [has, wants] = [partAt(args, name), valueOf(ref, before)]
  return typeof wants === "object" && typeof has === typeof wants.literal && typeof has !== "object"
    ? has === wants.literal
    : undefined
}

/** True if a call of the tool can have these arguments. */
const fits = (tool: string, wanted: Refs = {}, before: Before): boolean =>
  before.literals(tool)?.some((args) =>
    Object.entries(wanted).every(([name, ref]) => isEqual(args, name, ref, before) !== false)
  ) ?? true

/** True if every call of the tool has these arguments. */
const isAlways = (tool: string, wanted: Refs = {}, before: Before): boolean =>
  Object.entries(wanted).every(([name, ref]) =>
    before.literals(tool)?.every((args) => isEqual(args, name, ref, before) === true) === true
  )

const compared = ([left, by, right]: readonly [Ref, Comparison, Ref], before: Before): Can => {
  const values = [valueOf(left, before), valueOf(right, before)]
  if (values.includes(false)) return undecided
  const [a, b] = values
  if (typeof a !== "object" || typeof b !== "object") return open
  const truth = holds({ compare: [{ value: a.literal }, by, { value: b.literal }] }, nothing)
  return { yes: truth === true, no: truth === false }
}

const nothing: Facts = {
  args: null,
  field: () => undefined,
  log: { calls: [] },
  now: DateTime.unsafeMake(0)
}

const calledOf = (one: Called, before: Before): Can => {
  const { called, result, with: args } = one
  const after = afterOf(one, before.tools)
  return {
    yes: before.may(called, after) && areKnown(args, before) && areKnown(result, before) && fits(called, args, before),
    // A call with other arguments does not make the condition true.
    no: !(before.has(called, after) && isAlways(called, args, before) && result === undefined)
  }
}

/** Returns whether a condition can be true at a position, and whether it can be false. */
export const can = (condition: Condition, before: Before): Can => {
  if ("called" in condition) return calledOf(condition, before)
  if ("compare" in condition) return compared(condition.compare, before)
  if ("holds" in condition) {
    const needed = Object.entries(condition.of).filter(([name]) =>
      before.predicates[condition.holds]?.values.get(name) === false
    )
    return areKnown(Object.fromEntries(needed), before) ? open : undecided
  }
  if ("not" in condition) {
    const { no, yes } = can(condition.not, before)
    return { yes: no, no: yes }
  }
  if ("inOrder" in condition) {
    const each = condition.inOrder.every((one) => calledOf(one, before).yes)
    return { yes: each && before.mayInOrder(condition.inOrder), no: true }
  }
  const parts = ("all" in condition ? condition.all : condition.any).map((one) => can(one, before))
  return "all" in condition
    ? { yes: parts.every(({ yes }) => yes), no: parts.some(({ no }) => no) }
    : { yes: parts.some(({ yes }) => yes), no: parts.every(({ no }) => no) }
}
