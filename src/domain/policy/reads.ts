/** The names of the tools, arguments and results that policies read: a session's call log holds only these. */
import type { Called, Condition, Holds, Policy, Predicate, Ref, Result, Rule } from "./Policy.js"

/** The parts of a tool's calls that are logged. */
export interface Logged {
  readonly args: ReadonlySet<string>
  readonly results: ReadonlySet<string>
}

/** A policy, with its position in the definition. */
export interface PolicyEntry {
  readonly policy: Policy
  /** The path of the policy in the definition: `flows[0].policies[1]`. */
  readonly path: string
  /** The id of the flow in which the policy applies; default: everywhere. */
  readonly flow?: string
}

/** A rule with its time span in milliseconds. */
export interface CompiledPolicy extends Omit<Rule, "within">, Omit<PolicyEntry, "policy"> {
  readonly within?: number
  /** The tools that the rule is about. */
  readonly tools: ReadonlyArray<string>
}

/** The policies of a definition. */
export interface Policies {
  /** The rules about each tool. */
  readonly of: ReadonlyMap<string, ReadonlyArray<CompiledPolicy>>
  readonly logged: ReadonlyMap<string, Logged>
  /** The tools whose calls run alone: those with rules, and those after whose calls another call must come. */
  readonly alone: ReadonlySet<string>
  readonly predicates: Readonly<Record<string, Predicate>>
}

/** Returns the ids of the tools to which a policy applies. */
export const toolsOf = ({ tool }: Pick<Policy, "tool">): ReadonlyArray<string> =>
  typeof tool === "string" ? [tool] : tool

/** Returns the tools after whose last calls a call must come. */
export const sinceOf = ({ since = [] }: Pick<Called, "since">): ReadonlyArray<string> =>
  typeof since === "string" ? [since] : since

/**
 * Returns the tools after whose last calls a call must come because its result is read. Without `ever`, these are the
 * tools that the rule is about.
 */
export const freshSince = (one: Called | Result, tools: ReadonlyArray<string>): ReadonlyArray<string> =>
  one.ever === true || one.result === undefined ? [] : tools

/** A condition that does not contain other conditions. */
type Atom = Exclude<Condition, { readonly all: unknown } | { readonly any: unknown } | { readonly not: unknown }>

/** Returns the conditions within a condition that do not contain others. */
const atomsIn = (condition: Condition): ReadonlyArray<Atom> => {
  if ("all" in condition) return condition.all.flatMap(atomsIn)
  if ("any" in condition) return condition.any.flatMap(atomsIn)
  return "not" in condition ? atomsIn(condition.not) : [condition]
}

const callsOf = (atom: Atom): ReadonlyArray<Called> => "called" in atom ? [atom] : "inOrder" in atom ? atom.inOrder : []

/** Returns the `called` conditions within a condition. */
export const callsIn = (condition: Condition): ReadonlyArray<Called> => atomsIn(condition).flatMap(callsOf)

const refsOf = (atom: Atom): ReadonlyArray<Ref> => {
  if ("compare" in atom) return [atom.compare[0], atom.compare[2]].flatMap(withIn)
  return "holds" in atom
    ? valuesOf(atom.of)
    : callsOf(atom).flatMap((one) => [...valuesOf(one.with), ...valuesOf(one.result)])
}

/** Returns the values that a condition reads. */
export const refsIn = (condition: Condition): ReadonlyArray<Ref> => atomsIn(condition).flatMap(refsOf)

const valuesOf = (refs: Readonly<Record<string, Ref>> = {}): ReadonlyArray<Ref> => Object.values(refs).flatMap(withIn)

/** Returns a reference and the references within it. */
const withIn = (ref: Ref): ReadonlyArray<Ref> => {
  if ("calc" in ref) return [ref, ...withIn(ref.calc[0]), ...withIn(ref.calc[2])]
  if ("between" in ref) return [ref, ...ref.between.flatMap(withIn)]
  return "result" in ref ? [ref, ...valuesOf(ref.with)] : [ref]
}

/** Returns the `inOrder` conditions within a condition. */
export const sequencesIn = (condition: Condition): ReadonlyArray<ReadonlyArray<Called>> =>
  atomsIn(condition).flatMap((atom) => "inOrder" in atom ? [atom.inOrder] : [])

/** Returns the predicates that a condition names. */
export const predicatesIn = (condition: Condition): ReadonlyArray<Holds> =>
  atomsIn(condition).flatMap((atom) => "holds" in atom ? [atom] : [])

/** Returns the results that a condition reads. */
export const resultsIn = (condition: Condition): ReadonlyArray<Result> =>
  refsIn(condition).flatMap((ref) => "result" in ref ? [ref] : [])
