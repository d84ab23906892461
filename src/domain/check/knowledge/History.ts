/** The calls that a conversation has made, or may have made, along a path of the exploration. */
import { canonical, type Json } from "../../base/Json.js"
import { ownValue } from "../../base/ownValue.js"
import type { Called, Policy } from "../../policy/Policy.js"
import { callsIn, resultsIn, sequencesIn, toolsOf } from "../../policy/reads.js"
import { partAt } from "../../policy/value.js"
import { type After, afterOf, type Before } from "./Possible.js"

/** The calls on a path that matter for one policy. */
export interface History {
  /** Keys of calls that may have been made. */
  readonly may: ReadonlySet<string>
  /** Keys of calls that were certainly made. */
  readonly has: ReadonlySet<string>
  /**
   * For each `inOrder` condition of the policy, the number of its calls, from the first, that may have been made in
   * this order.
   */
  readonly reached: ReadonlyArray<number>
  /** Number of calls that were certainly made and count towards the policy's `atMost`, by the arguments in `per`. */
  readonly counts: Readonly<Record<string, number>>
}

/** Returns the key for the calls of a tool after the last calls of these tools. */
const keyOf = (tool: string, { fresh, since }: After): string => `${tool} ${since.join()} ${fresh.join()}`

/** The parts of one policy that a history follows. */
export interface Followed {
  readonly policy: Policy
  /** The tool that the policy restricts. */
  readonly tool: string
  readonly calls: ReadonlyArray<{ readonly tool: string; readonly after: After }>
  readonly sequences: ReadonlyArray<ReadonlyArray<Called>>
}

export const follow = (policy: Policy, tool: string): Followed => {
  const { onlyIf } = policy
  const tools = toolsOf(policy)
  return {
    policy,
    tool,
    calls: onlyIf === undefined ? [] : [
      ...callsIn(onlyIf).map((one) => ({ tool: one.called, after: afterOf(one, tools) })),
      ...resultsIn(onlyIf).map((one) => ({ tool: one.result, after: afterOf(one, tools) }))
    ],
    sequences: onlyIf === undefined ? [] : sequencesIn(onlyIf)
  }
}

export const empty = ({ sequences }: Followed): History => ({
  may: new Set(),
  has: new Set(),
  reached: sequences.map(() => 0),
  counts: {}
})

/**
 * Returns the key under which `atMost` counts a call: the values of the arguments in `per`. Undefined if they are not
 * literals.
 */
export const limitKey = ({ per = [] }: Policy, args: Json | undefined): string | undefined => {
  if (per.length === 0) return ""
  const values = per.map((name) => args === undefined ? undefined : partAt(args, name))
  return values.includes(undefined) ? undefined : canonical(values as ReadonlyArray<Json>)
}

/** Returns the history after a model may have called these tools. */
export const offering = (followed: Followed, before: History, tools: ReadonlySet<string>): History => {
  const more = followed.calls.filter(({ tool }) => tools.has(tool)).map(({ after, tool }) => keyOf(tool, after))
  return {
    ...before,
    may: more.length === 0 ? before.may : new Set([...before.may, ...more]),
    reached: followed.sequences.map((calls, i) => {
      let at = before.reached[i]!
      while (at < calls.length && tools.has(calls[at]!.called)) at++
      return at
    })
  }
}

/** Returns the history after a step has called a tool and got a result. */
export const calling = (followed: Followed, before: History, tool: string, args: Json | undefined): History => {
  const { calls, policy, sequences } = followed
  const reset = calls.filter(({ after: { fresh, since } }) => since.includes(tool) || fresh.includes(tool))
    .map((one) => keyOf(one.tool, one.after))
  const made = calls.filter((one) => one.tool === tool && !one.after.since.includes(tool))
    .map((one) => keyOf(tool, one.after))
  const without = (keys: ReadonlySet<string>) =>
    new Set([...Array.from(keys).filter((one) => !reset.includes(one)), ...made])
  const key = tool === followed.tool && policy.atMost !== undefined ? limitKey(policy, args) : undefined
  return {
    may: without(before.may),
    has: without(before.has),
    reached: sequences.map((calls, i) => before.reached[i]! + (calls[before.reached[i]!]?.called === tool ? 1 : 0)),
    counts: key === undefined
      ? before.counts
      : { ...before.counts, [key]: Math.min((ownValue(before.counts, key) ?? 0) + 1, policy.atMost!) }
  }
}

/** Returns a text that is the same for equal histories. */
export const nameOf = ({ counts, has, may, reached }: History): string =>
  JSON.stringify([Array.from(may).toSorted(), Array.from(has).toSorted(), reached, counts])

/** Converts a history to the form in which conditions are evaluated. */
export const before = (
  { policy, sequences }: Followed,
  { has, may, reached }: History,
  rest: Pick<Before, "args" | "field" | "predicates">
): Omit<Before, "literals"> => ({
  ...rest,
  tools: toolsOf(policy),
  may: (tool, after) => may.has(keyOf(tool, after)),
  has: (tool, after) => has.has(keyOf(tool, after)),
  mayInOrder: (calls) => {
    const at = sequences.indexOf(calls)
    return reached[at] === calls.length
  }
})
