/**
 * Decides whether a call meets the policies. A condition has three values: it holds, it does not hold, or it cannot be
 * decided; a call runs only if the condition holds.
 */
import type * as DateTime from "effect/DateTime"
import type { Json } from "../base/Json.js"
import type { CallLog, LoggedCall } from "./CallLog.js"
import type { Called, Comparison, Condition, Holds, Predicate, Ref, Result } from "./Policy.js"
import { freshSince, sinceOf } from "./reads.js"
import { between, calculated, chosen, own, partAt, readable } from "./value.js"

/** The facts that policies are checked against. */
export interface Facts {
  /** The arguments of the call, after its Schema and `validateInput`, as JSON. */
  readonly args: Json
  /** Returns the value of a field as JSON; undefined if it is not known. */
  readonly field: (name: string) => Json | undefined
  readonly log: CallLog
  /** The predicates that conditions name. */
  readonly predicates?: Readonly<Record<string, Predicate>>
  readonly now: DateTime.Utc
  /** The tools that the rule is about: results must be newer than their last calls. */
  readonly tools?: ReadonlyArray<string>
  /** True if the logged call was made in this turn. */
  readonly isRecent?: (call: LoggedCall) => boolean
  /** True if a call of this turn, of this tool and with these arguments, had no success. */
  readonly hasFailed?: (call: { readonly tool: string; readonly arguments: Readonly<Record<string, Json>> }) => boolean
}

/** True, false, or undefined if it cannot be decided. */
export type Truth = boolean | undefined

const and = (truths: Iterable<Truth>): Truth => {
  let all: Truth = true
  for (const one of truths) {
    if (one === false) return false
    if (one === undefined) all = undefined
  }
  return all
}

const not = (truth: Truth): Truth => truth === undefined ? undefined : !truth

const or = (truths: ReadonlyArray<Truth>): Truth => not(and(truths.map(not)))

const isObject = (value: Json): value is Exclude<Json, null | boolean | number | string> =>
  typeof value === "object" && value !== null

/** True if two values are the same JSON, whatever the order of their keys. */
export const isSame = (a: Json, b: Json): boolean => {
  if (!isObject(a) || !isObject(b)) return a === b
  const [some, others] = [Object.entries(a), new Map(Object.entries(b))]
  return Array.isArray(a) === Array.isArray(b) && some.length === others.size &&
    some.every(([key, one]) => {
      const other = others.get(key)
      return other !== undefined && isSame(one, other)
    })
}

export const isEqual = (a: Json | undefined, b: Json | undefined): Truth =>
  a === undefined || b === undefined ? undefined : isSame(a, b)

/** Formats an instant as ISO 8601 in UTC. */
export const isoOf = ({ epochMillis }: DateTime.Utc): string => new Date(epochMillis).toISOString()

/** Returns the value of a reference; undefined if it is not known. */
export const valueOf = (ref: Ref, facts: Facts): Json | undefined => {
  if ("value" in ref) return ref.value
  if ("argument" in ref) return partAt(facts.args, ref.argument)
  if ("field" in ref) return ofField(ref, facts)
  if ("now" in ref) return isoOf(facts.now)
  if ("calc" in ref) {
    const [left, by, right] = ref.calc
    return calculated(valueOf(left, facts), by, valueOf(right, facts))
  }
  if ("between" in ref) return between(valueOf(ref.between[0], facts), valueOf(ref.between[1], facts), ref.unit)
  return ofResult(ref, facts)
}

const ofField = ({ field, path }: Extract<Ref, { readonly field: string }>, facts: Facts): Json | undefined => {
  const value = facts.field(field)
  const part = value === undefined || path === undefined ? value : readable(value, path)
  return part === undefined ? undefined : chosen(part, path ?? "", facts.args)
}

const ofResult = (ref: Result, facts: Facts): Json | undefined => {
  const part = sourceOf(ref, facts)?.result
  const kept = part && own(part, ref.path ?? "")
  return kept === undefined ? undefined : chosen(kept, ref.path ?? "", facts.args)
}

/**
 * Returns the call that gave a result; undefined if there is none, if a later call may have had these arguments too, or
 * if the result may be out of date.
 */
export const sourceOf = (ref: Result, facts: Facts): LoggedCall | undefined => {
  const { result, with: wanted = {} } = ref
  const hadThese = ({ args }: LoggedCall): Truth => sameAs(args, wanted, facts)
  const last = facts.log.calls.findLast((call) =>
    call.toolId === result && call.outcome === "done" && hadThese(call) !== false
  )
  return last && hadThese(last) === true && isUpToDate(last, ref, facts) ? last : undefined
}

/** True if a call certainly came after the calls of `since`, and its result still counts. */
export const isUpToDate = (call: LoggedCall, one: Called | Result, facts: Facts): boolean =>
  isAfter(call, sinceOf(one), facts) === true && isFresh(call, one, facts) === true

/** Returns whether no tool of the rule has been called since the call, so that its result still counts. */
const isFresh = (call: LoggedCall, one: Called | Result, { log: { calls }, tools = [] }: Facts): Truth => {
  const guarded = freshSince(one, tools)
  return and(calls.map((other) => other === call || !guarded.includes(other.toolId) || isLater(call, other, calls)))
}

/** Returns whether the values have these parts. */
export const sameAs = (
  values: Readonly<Record<string, Json>>,
  wanted: Readonly<Record<string, Ref>>,
  facts: Facts
): Truth => and(Object.entries(wanted).map(([name, ref]) => isEqual(own(values, name), valueOf(ref, facts))))

/** Returns the values of the references; leaves out unknown values. */
export const known = (refs: Readonly<Record<string, Ref>>, facts: Facts): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(refs).flatMap(([name, ref]) => {
      const value = valueOf(ref, facts)
      return value === undefined ? [] : [[name, value] as const]
    })
  )

const decide = ({ holds, of }: Holds, facts: Facts): Truth => {
  const { predicates = {} } = facts
  return Object.hasOwn(predicates, holds) ? predicates[holds]!.decide(known(of, facts)) : undefined
}

const order: Record<Exclude<Comparison, "==" | "!=" | "in">, (a: number) => boolean> = {
  "<": (a) => a < 0,
  "<=": (a) => a <= 0,
  ">": (a) => a > 0,
  ">=": (a) => a >= 0
}

const compare = (left: Json | undefined, by: Comparison, right: Json | undefined): Truth => {
  if (by === "==") return isEqual(left, right)
  if (by === "!=") return not(isEqual(left, right))
  if (left === undefined || right === undefined) return undefined
  if (by === "in") return Array.isArray(right) ? or(right.map((one: Json) => isEqual(left, one))) : undefined
  return comparePair(left, by, right)
}

/** Compares two finite numbers, or two texts. */
const comparePair = (left: Json, by: keyof typeof order, right: Json): Truth => {
  if (typeof left === "number" && typeof right === "number") {
    return Number.isFinite(left) && Number.isFinite(right) ? order[by](left - right) : undefined
  }
  if (typeof left !== "string" || typeof right !== "string") return undefined
  return order[by](left < right ? -1 : left > right ? 1 : 0)
}

/**
 * Returns whether a logged call is a call that the condition asks for. It is not known of a call whose effect is not
 * known, or whose result may be out of date.
 */
export const matches = (call: LoggedCall, wanted: Called, facts: Facts): Truth => {
  const same = and([
    sameAs(call.args, wanted.with ?? {}, facts),
    sameAs(call.result, wanted.result ?? {}, facts),
    isAfter(call, sinceOf(wanted), facts)
  ])
  return same === true && (call.outcome === "unknown" || isFresh(call, wanted, facts) !== true) ? undefined : same
}

/** Returns whether a call came after all calls of these tools. */
const isAfter = (call: LoggedCall, tools: ReadonlyArray<string>, { log: { calls } }: Facts): Truth =>
  and(calls.map((other) => !tools.includes(other.toolId) || isLater(call, other, calls)))

/**
 * Returns whether a call began after another one had ended. The log is in the order in which calls ended. Calls of jobs
 * may overlap with others: then it is not known which came first.
 */
const isLater = (call: LoggedCall, other: LoggedCall, calls: CallLog["calls"]): Truth => {
  if (calls.indexOf(call) <= calls.indexOf(other)) return call.at.epochMillis > other.at.epochMillis ? undefined : false
  // An entry of a job stands in the log from its beginning.
  if (other.outcome === "unknown" && other.endedAt === undefined) return undefined
  return call.at.epochMillis >= (other.endedAt ?? other.at).epochMillis || undefined
}

/** Returns the logged calls of the tool `called`, oldest first. */
export const candidates = ({ called }: Called, { log: { calls } }: Facts): ReadonlyArray<LoggedCall> =>
  calls.filter(({ toolId }) => toolId === called)

export const called = (wanted: Called, facts: Facts): Truth =>
  or([
    ...candidates(wanted, facts).map((call) => matches(call, wanted, facts)),
    // Not known, because one of the calls that the log has dropped may have met the condition.
    (facts.log.dropped?.[wanted.called] ?? 0) > 0 ? undefined : false
  ])

/** Returns how many of the calls, from the first, were made in this order. */
export const madeInOrder = (
  wanted: ReadonlyArray<Called>,
  facts: Facts,
  counts: (truth: Truth) => boolean = (truth) => truth === true
): number => {
  let at = -1
  const missing = wanted.findIndex((one) => {
    const those = candidates(one, facts)
    at = facts.log.calls.findIndex((call, i) => i > at && those.includes(call) && counts(matches(call, one, facts)))
    return at < 0
  })
  return missing < 0 ? wanted.length : missing
}

const inOrder = (wanted: ReadonlyArray<Called>, facts: Facts): Truth => {
  const { dropped = {} } = facts.log
  const isFound = (counts?: (truth: Truth) => boolean) => madeInOrder(wanted, facts, counts) === wanted.length
  if (isFound()) return true
  // Calls that the log has dropped, and calls whose effects are not known, may complete the order.
  return wanted.some((one) => (dropped[one.called] ?? 0) > 0) || isFound((truth) => truth !== false) ? undefined : false
}

/** Returns whether a condition holds. */
export const holds = (condition: Condition, facts: Facts): Truth => {
  if ("called" in condition) return called(condition, facts)
  if ("compare" in condition) {
    const [left, by, right] = condition.compare
    return compare(valueOf(left, facts), by, valueOf(right, facts))
  }
  if ("all" in condition) return and(condition.all.map((one) => holds(one, facts)))
  if ("any" in condition) return or(condition.any.map((one) => holds(one, facts)))
  if ("not" in condition) return not(holds(condition.not, facts))
  if ("holds" in condition) return decide(condition, facts)
  return inOrder(condition.inOrder, facts)
}
