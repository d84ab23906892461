/**
 * The refusal of a call by a policy: why, and the calls that would make the policy hold.
 */
import type { Json } from "../base/Json.js"
import type { LoggedCall } from "./CallLog.js"
import { inWords } from "./inWords.js"
import {
  called,
  candidates,
  type Facts,
  holds,
  isEqual,
  isSame,
  isUpToDate,
  known,
  madeInOrder,
  matches,
  sameAs,
  sourceOf,
  valueOf
} from "./judge.js"
import type { Called, Condition, Result } from "./Policy.js"
import { callsIn, type CompiledPolicy, refsIn, resultsIn } from "./reads.js"
import { own, partAt } from "./value.js"

/** A call that is missing for a policy to hold. */
export interface MissingCall {
  readonly tool: string
  /** The arguments that the call must have, as far as they are known. */
  readonly arguments: Readonly<Record<string, Json>>
}

type Way = ReadonlyArray<MissingCall>

/** The reason why a call is refused. */
export interface Refusal {
  readonly why: string
  /** Calls that would make the condition hold; empty if no call does. Of alternatives, the first one. */
  readonly missing: Way
  /** The other alternatives. */
  readonly or?: ReadonlyArray<Way>
  /** True if the engine makes the missing calls itself. */
  readonly satisfy?: true
  /** Calls that were made in an earlier turn, and whose results may have changed since. Only for the engine. */
  readonly again?: ReadonlyArray<Way>
}

/** How likely a call helps: it was not made, it was made before and did not help, or only its result is read again. */
type Rank = 0 | 1 | 2

/** Calls that would make a condition hold. */
interface Plan {
  readonly calls: Way
  readonly rank: Rank
}

/** Maximum number of plans for one condition. */
const mostPlans = 20

const nothing: ReadonlyArray<Plan> = [{ calls: [], rank: 0 }]

/** Returns plans for both of two conditions. */
const both = (some: ReadonlyArray<Plan>, others: ReadonlyArray<Plan>): ReadonlyArray<Plan> =>
  some.flatMap((one) =>
    others.map((other): Plan => ({
      calls: [...one.calls, ...other.calls],
      rank: one.rank > other.rank ? one.rank : other.rank
    }))
  ).slice(0, mostPlans)

/** Returns the plan of one call, whether or not it was made before. */
const planOf = ({ called: tool, with: args = {} }: Called, facts: Facts): Plan => {
  const missing = { tool, arguments: known(args, facts) }
  return { calls: [missing], rank: facts.hasFailed?.(missing) === true ? 1 : 0 }
}

/** Returns the plan of a call whose result is read; none if the call was made in this turn, with another result. */
const plansOfRead = (tool: string, one: Called | Result, facts: Facts, again: Rank = 1): ReadonlyArray<Plan> => {
  const plan = planOf({ called: tool, ...(one.with !== undefined && { with: one.with }) }, facts)
  const made = facts.log.calls.findLast((call) =>
    call.toolId === tool && call.outcome === "done" && sameAs(call.args, one.with ?? {}, facts) === true &&
    isUpToDate(call, one, facts)
  )
  if (made === undefined) return [plan]
  return facts.isRecent?.(made) === true ? [] : [{ ...plan, rank: again }]
}

/** Returns the plans that read the results of a condition: those that are not known, or else all of them again. */
const plansOfReads = (condition: Condition, facts: Facts): ReadonlyArray<Plan> => {
  const results = resultsIn(condition)
  const unknown = results.filter((ref) => valueOf(ref, facts) === undefined)
  const stale = callsIn(condition).filter((one) => one.result !== undefined && called(one, facts) === undefined)
  const wanted = [...stale, ...unknown]
  const again = holds(condition, facts) === undefined ? wanted : [...wanted, ...results]
  if (again.length === 0) return []
  return again.map((one) => plansOfRead("called" in one ? one.called : one.result, one, facts, 2)).reduce(both, nothing)
}

/** Returns the plans for a condition, in the order of its alternatives; none if no call helps. */
const plansOf = (condition: Condition, facts: Facts): ReadonlyArray<Plan> => {
  if (holds(condition, facts) === true) return nothing
  if ("called" in condition) return plansOfRead(condition.called, condition, facts)
  if ("all" in condition) return condition.all.map((one) => plansOf(one, facts)).reduce(both, nothing)
  if ("any" in condition) return condition.any.flatMap((one) => plansOf(one, facts)).slice(0, mostPlans)
  return "inOrder" in condition
    ? condition.inOrder.slice(madeInOrder(condition.inOrder, facts)).map((one) => [planOf(one, facts)])
      .reduce(both, nothing)
    : plansOfReads(condition, facts)
}

const distinct = (calls: Way): Way =>
  calls.filter((one, i) => calls.findIndex((first) => isSame({ ...first }, { ...one })) === i)

/** Returns the calls that would make a condition hold, with the alternatives that were not made yet first. */
const missingFor = (condition: Condition, facts: Facts): Pick<Refusal, "again" | "missing" | "or"> => {
  const plans = plansOf(condition, facts)
  const ways = (rank: Rank) =>
    plans.filter((plan) => plan.rank === rank && plan.calls.length > 0).map(({ calls }) => distinct(calls))
  const [missing = [], ...or] = [...ways(0), ...ways(1)]
  const again = ways(2)
  return { missing, ...(or.length > 0 && { or }), ...(again.length > 0 && { again }) }
}

/** Returns the earlier calls that a limit counts together with this call. */
const counted = (toolId: string, { per = [], within }: CompiledPolicy, { args, log, now }: Facts) =>
  log.calls.filter((call) =>
    call.toolId === toolId &&
    (within === undefined || now.epochMillis - call.at.epochMillis < within) &&
    // A call counts if its argument is not known.
    per.every((name) => isEqual(own(call.args, name), partAt(args, name)) !== false)
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

/** Returns the refusal of a call by one policy. */
export const refusalBy = (toolId: string, policy: CompiledPolicy, facts: Facts): Refusal | undefined => {
  const { atMost, never, onlyIf, reason, satisfy } = policy
  if (never === true) return { why: reason ?? `"${toolId}" is never called`, missing: [] }
  if (onlyIf !== undefined && holds(onlyIf, facts) !== true) {
    return {
      why: reason ?? `"${toolId}" may be called only if ${inWords(onlyIf)}`,
      ...missingFor(onlyIf, facts),
      ...(satisfy === true && { satisfy })
    }
  }
  return atMost !== undefined && countOf(toolId, policy, facts) >= atMost
    ? { why: reason ?? limitInWords(toolId, policy), missing: [] }
    : undefined
}

/** Describes a limit: "at most 3 times for the same order within 1 day". */
export const limitOf = ({ atMost, per = [], within }: CompiledPolicy): string =>
  `at most ${atMost === 1 ? "once" : `${atMost} times`}` +
  (per.length === 0 ? "" : ` for the same ${per.join(" and ")}`) +
  (within === undefined ? "" : ` within ${spanInWords(within)}`)

const limitInWords = (toolId: string, policy: CompiledPolicy): string =>
  `"${toolId}" may be called ${limitOf(policy)}, and has been`

const units = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]] as const

/** Returns a time in the largest unit that divides it. */
const spanInWords = (millis: number): string => {
  const [unit, size] = units.find(([, size]) => millis % size === 0) ?? ["second", 1000] as const
  const n = millis / size
  return `${n} ${unit}${n === 1 ? "" : "s"}`
}
