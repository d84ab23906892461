/** Compiles policies: by tool, with the calls of which the log holds parts. */
import * as Duration from "effect/Duration"
import type { Condition, Policy, Predicate } from "./Policy.js"
import {
  callsIn,
  type CompiledPolicy,
  freshSince,
  type Logged,
  type Policies,
  type PolicyEntry,
  resultsIn,
  sinceOf,
  toolsOf
} from "./reads.js"

/** A part of the log that a policy reads. */
interface Read {
  readonly tool: string
  readonly args?: ReadonlyArray<string>
  readonly results?: ReadonlyArray<string>
}

const readIn = (condition: Condition, tools: ReadonlyArray<string>): ReadonlyArray<Read> => [
  ...callsIn(condition).map(({ called: tool, result, with: args }) => ({
    tool,
    args: Object.keys(args ?? {}),
    results: Object.keys(result ?? {})
  })),
  ...resultsIn(condition).map(({ path = "", result: tool, with: args }) => ({
    tool,
    args: Object.keys(args ?? {}),
    results: [path]
  })),
  ...[...callsIn(condition), ...resultsIn(condition)].flatMap((one) =>
    [...sinceOf(one), ...freshSince(one, tools)].map((tool) => ({ tool }))
  )
]

const readBy = (policy: Policy): ReadonlyArray<Read> => [
  ...(policy.atMost === undefined ? [] : toolsOf(policy).map((tool): Read => ({ tool, args: policy.per ?? [] }))),
  ...(policy.onlyIf === undefined ? [] : readIn(policy.onlyIf, toolsOf(policy)))
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

const aloneBy = (policies: ReadonlyArray<Policy>): Policies["alone"] =>
  new Set(policies.flatMap(({ onlyIf, tool }) => [
    ...toolsOf({ tool }),
    ...(onlyIf === undefined ? [] : [...callsIn(onlyIf), ...resultsIn(onlyIf)]).flatMap(sinceOf)
  ]))

const compileOne = ({ policy: { tool, within, ...rule }, ...place }: PolicyEntry): CompiledPolicy => ({
  ...rule,
  ...place,
  tools: toolsOf({ tool }),
  ...(within !== undefined && { within: Duration.toMillis(within) })
})

/** Compiles policies; undefined if there are none. */
export const compile = (
  written: ReadonlyArray<PolicyEntry>,
  predicates: Readonly<Record<string, Predicate>> = {}
): Policies | undefined => {
  if (written.length === 0) return undefined
  const of = new Map<string, ReadonlyArray<CompiledPolicy>>()
  for (const one of written) {
    for (const tool of toolsOf(one.policy)) of.set(tool, [...of.get(tool) ?? [], compileOne(one)])
  }
  const policies = written.map(({ policy }) => policy)
  return { of, logged: loggedBy(policies), alone: aloneBy(policies), predicates }
}
