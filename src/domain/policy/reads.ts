/** The tools, arguments and results that policies read: a session's log keeps these and nothing else. */
import * as Duration from "effect/Duration"
import type { Called, Condition, Policy, Ref } from "./Policy.js"

/** The parts of a tool's calls that are logged. */
export interface Logged {
  readonly args: ReadonlySet<string>
  readonly results: ReadonlySet<string>
}

/** A rule with its time in milliseconds. */
export interface CompiledPolicy extends Omit<Policy, "tool" | "within"> {
  readonly within?: number
}

/** The policies of an agent, by tool. */
export interface Policies {
  readonly of: ReadonlyMap<string, ReadonlyArray<CompiledPolicy>>
  readonly logged: ReadonlyMap<string, Logged>
}

/** Returns the ids of the tools that a policy is about. */
export const toolsOf = ({ tool }: Pick<Policy, "tool">): ReadonlyArray<string> =>
  typeof tool === "string" ? [tool] : tool

/** Returns the `called` conditions within a condition. */
export const callsIn = (condition: Condition): ReadonlyArray<Called> => {
  if ("called" in condition) return [condition]
  if ("compare" in condition) return []
  if ("not" in condition) return callsIn(condition.not)
  if ("inOrder" in condition) return condition.inOrder
  return ("all" in condition ? condition.all : condition.any).flatMap(callsIn)
}

/** Returns the values that a condition reads. */
export const refsIn = (condition: Condition): ReadonlyArray<Ref> => {
  if ("compare" in condition) return [condition.compare[0], condition.compare[2]]
  if ("all" in condition) return condition.all.flatMap(refsIn)
  if ("any" in condition) return condition.any.flatMap(refsIn)
  if ("not" in condition) return refsIn(condition.not)
  return callsIn(condition).flatMap((one) => [...Object.values(one.with ?? {}), ...Object.values(one.result ?? {})])
}

/** A part of the log that a policy reads. */
interface Read {
  readonly tool: string
  readonly args?: ReadonlyArray<string>
  readonly results?: ReadonlyArray<string>
}

const readIn = (condition: Condition): ReadonlyArray<Read> => [
  ...callsIn(condition).flatMap(({ called, result = {}, since, with: args = {} }): ReadonlyArray<Read> => [
    { tool: called, args: Object.keys(args), results: Object.keys(result) },
    ...(since === undefined ? [] : [{ tool: since }])
  ]),
  ...refsIn(condition).flatMap((ref): ReadonlyArray<Read> =>
    "result" in ref ? [{ tool: ref.result, results: [ref.path ?? ""] }] : []
  )
]

const readBy = (policy: Policy): ReadonlyArray<Read> => [
  ...(policy.atMost === undefined ? [] : toolsOf(policy).map((tool): Read => ({ tool, args: policy.per ?? [] }))),
  ...(policy.onlyIf === undefined ? [] : readIn(policy.onlyIf))
]

const union = (before: ReadonlySet<string> | undefined, more: ReadonlyArray<string> = []): ReadonlySet<string> =>
  new Set([...before ?? [], ...more])

const loggedBy = (policies: ReadonlyArray<Policy>): Policies["logged"] => {
  const logged = new Map<string, Logged>()
  for (const { args, results, tool } of policies.flatMap(readBy)) {
    const before = logged.get(tool)
    logged.set(tool, { args: union(before?.args, args), results: union(before?.results, results) })
  }
  return logged
}

const compileOne = ({ within, ...policy }: Policy): CompiledPolicy => ({
  ...policy,
  ...(within !== undefined && { within: Duration.toMillis(within) })
})

/** Compiles policies; undefined if there are none. */
export const compile = (policies: ReadonlyArray<Policy> = []): Policies | undefined => {
  if (policies.length === 0) return undefined
  const of = new Map<string, ReadonlyArray<CompiledPolicy>>()
  for (const policy of policies) {
    for (const tool of toolsOf(policy)) of.set(tool, [...of.get(tool) ?? [], compileOne(policy)])
  }
  return { of, logged: loggedBy(policies) }
}
