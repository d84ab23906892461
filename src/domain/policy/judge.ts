/**
 * Decides whether a call meets the policies. A condition has three values: it holds, it does not hold, or it cannot be
 * decided; a call runs only if the condition holds.
 */
import * as DateTime from "effect/DateTime"
import { canonical, type Json, sizeWithin } from "../base/Json.js"
import type { CallLog, LoggedCall } from "./CallLog.js"
import { inWords } from "./inWords.js"
import type { Called, Comparison, Condition, Holds, Predicate, Ref, Result } from "./Policy.js"
import type { CompiledPolicy } from "./reads.js"
import { callsIn, refsIn } from "./reads.js"

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
}

/** A call that is missing for a policy to hold. */
export interface MissingCall {
  readonly tool: string
  /** The arguments that the call must have, as far as they are known. */
  readonly arguments: Readonly<Record<string, Json>>
}

/** The reason why a call is refused. */
export interface Refusal {
  readonly why: string
  /** Calls that would make the condition hold; empty if no call does. */
  readonly missing: ReadonlyArray<MissingCall>
  /** True if the engine makes the missing calls itself. */
  readonly satisfy?: true
}

/** True, false, or undefined if it cannot be decided. */
type Truth = boolean | undefined

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

const equal = (a: Json | undefined, b: Json | undefined): Truth =>
  a === undefined || b === undefined ? undefined : canonical(a) === canonical(b)

const own = (values: Readonly<Record<string, Json>>, name: string): Json | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** Returns the part of a value at a path; undefined if there is none. */
export const partAt = (value: Json, path: string): Json | undefined =>
  path === "" ? value : path.split(".").reduce<Json | undefined>((at, key) => {
    if (Array.isArray(at)) return /^\d+$/.test(key) ? at[Number(key)] as Json | undefined : undefined
    return typeof at === "object" && at !== null ? own(at as Readonly<Record<string, Json>>, key) : undefined
  }, value)

/** Returns the value of a reference; undefined if it is not known. */
export const valueOf = (ref: Ref, facts: Facts): Json | undefined => {
  if ("value" in ref) return ref.value
  if ("argument" in ref) return partAt(facts.args, ref.argument)
  if ("field" in ref) return facts.field(ref.field)
  return "now" in ref ? DateTime.formatIso(facts.now) : resultOf(ref, facts)
}

/** Returns a part of the latest result; undefined if it is not known which call gave the result. */
const resultOf = (ref: Result, facts: Facts): Json | undefined => {
  const call = sourceOf(ref, facts)
  return call && own(call.result, ref.path ?? "")
}

/** Returns the call that gave a result; undefined if there is none, or a later call may have had these arguments too. */
const sourceOf = ({ result, with: wanted = {} }: Result, facts: Facts): LoggedCall | undefined => {
  const hadThese = ({ args }: LoggedCall): Truth => sameAs(args, wanted, facts)
  const last = facts.log.calls.findLast((call) =>
    call.toolId === result && call.outcome === "done" && hadThese(call) !== false
  )
  return last && hadThese(last) === true ? last : undefined
}

/** Returns whether the values have these parts. */
const sameAs = (
  values: Readonly<Record<string, Json>>,
  wanted: Readonly<Record<string, Ref>>,
  facts: Facts
): Truth => and(Object.entries(wanted).map(([name, ref]) => equal(own(values, name), valueOf(ref, facts))))

/** Returns the values of the references; leaves out unknown values. */
const known = (refs: Readonly<Record<string, Ref>>, facts: Facts): Readonly<Record<string, Json>> =>
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

const order: Record<Exclude<Comparison, "==" | "!=">, (a: number) => boolean> = {
  "<": (a) => a < 0,
  "<=": (a) => a <= 0,
  ">": (a) => a > 0,
  ">=": (a) => a >= 0
}

const compare = (left: Json | undefined, by: Comparison, right: Json | undefined): Truth => {
  if (by === "==") return equal(left, right)
  if (by === "!=") return not(equal(left, right))
  if (typeof left === "number" && typeof right === "number") return order[by](left - right)
  if (typeof left === "string" && typeof right === "string") return order[by](left < right ? -1 : left > right ? 1 : 0)
  return undefined
}

/** Returns whether a logged call is a call that the condition asks for. */
const matches = (call: LoggedCall, wanted: Called, facts: Facts): Truth => {
  const same = and([
    sameAs(call.args, wanted.with ?? {}, facts),
    sameAs(call.result, wanted.result ?? {}, facts),
    isSince(call, wanted, facts)
  ])
  return same === true && call.outcome === "unknown" ? undefined : same
}

/**
 * Returns whether a call came after all calls of the tool `since`. The log is in the order in which calls ended. A call
 * of a job may have begun before a call of `since` and ended after it: then it is not known which came first.
 */
const isSince = (call: LoggedCall, { since }: Called, { log: { calls } }: Facts): Truth => {
  const ended = calls.indexOf(call)
  return and(calls.flatMap(({ at, toolId }, i): ReadonlyArray<Truth> => {
    if (toolId !== since) return []
    const began = call.at.epochMillis - at.epochMillis
    return [ended > i ? began >= 0 || undefined : began > 0 ? undefined : false]
  }))
}

/** Returns the logged calls of the tool `called`, oldest first. */
const candidates = ({ called }: Called, { log: { calls } }: Facts): ReadonlyArray<LoggedCall> =>
  calls.filter(({ toolId }) => toolId === called)

const called = (wanted: Called, facts: Facts): Truth =>
  or([
    ...candidates(wanted, facts).map((call) => matches(call, wanted, facts)),
    // Not known, because one of the calls that the log has dropped may have met the condition.
    (facts.log.dropped?.[wanted.called] ?? 0) > 0 ? undefined : false
  ])

const inOrder = (wanted: ReadonlyArray<Called>, facts: Facts): Truth => {
  const { calls, dropped = {} } = facts.log
  const isFound = (counts: (truth: Truth) => boolean): boolean => {
    let at = -1
    return wanted.every((one) => {
      const those = candidates(one, facts)
      at = calls.findIndex((call, i) => i > at && those.includes(call) && counts(matches(call, one, facts)))
      return at >= 0
    })
  }
  if (isFound((truth) => truth === true)) return true
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

/** Returns the calls that would make a condition hold. If it has alternatives, uses only the first. */
const missingFor = (condition: Condition, facts: Facts): ReadonlyArray<MissingCall> => {
  if (holds(condition, facts) === true) return []
  if ("called" in condition) {
    return [{ tool: condition.called, arguments: known(condition.with ?? {}, facts) }]
  }
  if ("all" in condition) return condition.all.flatMap((one) => missingFor(one, facts))
  if ("any" in condition) return missingFor(condition.any[0]!, facts)
  if ("inOrder" in condition) {
    return condition.inOrder.filter((one) => called(one, facts) !== true).flatMap((one) => missingFor(one, facts))
  }
  return "not" in condition ?
    [] :
    refsIn(condition).flatMap((ref) =>
      "result" in ref && valueOf(ref, facts) === undefined
        ? [{ tool: ref.result, arguments: known(ref.with ?? {}, facts) }]
        : []
    )
}

const distinct = (calls: ReadonlyArray<MissingCall>): ReadonlyArray<MissingCall> =>
  Array.from(new Map(calls.map((one) => [canonical({ ...one }), one])).values())

/** Returns the earlier calls that a limit counts together with this call. */
const counted = (toolId: string, { per = [], within }: CompiledPolicy, { args, log, now }: Facts) =>
  log.calls.filter((call) =>
    call.toolId === toolId &&
    (within === undefined || now.epochMillis - call.at.epochMillis < within) &&
    // A call counts if its argument is not known.
    per.every((name) => equal(own(call.args, name), partAt(args, name)) !== false)
  )

const countOf = (toolId: string, policy: CompiledPolicy, facts: Facts): number =>
  counted(toolId, policy, facts).length + (facts.log.dropped?.[toolId] ?? 0)

/** Returns the logged calls that a policy reads: the calls that it counts, and the calls whose results it compares. */
export const readBy = (toolId: string, policy: CompiledPolicy, facts: Facts): ReadonlyArray<LoggedCall> => {
  const { atMost, onlyIf } = policy
  const found = new Set([
    ...(onlyIf === undefined ? [] : callsIn(onlyIf)).flatMap((one) =>
      candidates(one, facts).filter((call) => matches(call, one, facts) !== false)
    ),
    ...(onlyIf === undefined ? [] : refsIn(onlyIf)).map((ref) => "result" in ref ? sourceOf(ref, facts) : undefined),
    ...(atMost === undefined ? [] : counted(toolId, policy, facts))
  ])
  return facts.log.calls.filter((call) => found.has(call))
}

/** Maximum length of a value that is logged or recorded, in characters of JSON. */
const longest = 200

/** True if a value is known, and short enough to be logged or recorded. */
export const isShort = (value: Json | undefined): value is Json =>
  value !== undefined && sizeWithin(value, longest) <= longest

/** Returns the refusal of a call by one policy. */
export const refusalBy = (toolId: string, policy: CompiledPolicy, facts: Facts): Refusal | undefined => {
  const { atMost, never, onlyIf, reason, satisfy } = policy
  if (never === true) return { why: reason ?? `"${toolId}" is never called`, missing: [] }
  if (onlyIf !== undefined && holds(onlyIf, facts) !== true) {
    return {
      why: reason ?? `"${toolId}" may be called only if ${inWords(onlyIf)}`,
      missing: distinct(missingFor(onlyIf, facts)),
      ...(satisfy === true && { satisfy })
    }
  }
  return atMost !== undefined && countOf(toolId, policy, facts) >= atMost
    ? { why: reason ?? limitInWords(toolId, policy), missing: [] }
    : undefined
}

const limitInWords = (toolId: string, { atMost, per = [], within }: CompiledPolicy): string =>
  `"${toolId}" may be called at most ${atMost === 1 ? "once" : `${atMost} times`}` +
  (per.length === 0 ? "" : ` for the same ${per.join(" and ")}`) +
  (within === undefined ? "" : ` within ${spanInWords(within)}`) + ", and has been"

const units = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]] as const

/** Returns a time in the largest unit that divides it. */
const spanInWords = (millis: number): string => {
  const [unit, size] = units.find(([, size]) => millis % size === 0) ?? ["second", 1000] as const
  const n = millis / size
  return `${n} ${unit}${n === 1 ? "" : "s"}`
}
