/** The policies of a definition: the agent's, those of its flows, and those of its tools. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { arrayOf, recordOf } from "../base/Json.js"
import * as Policy from "../policy/Policy.js"
import type { PolicyEntry } from "../policy/reads.js"
import { flowId } from "./Definition.js"
import * as Erase from "./Erase.js"

/** A policy that is not checked yet. */
interface WrittenPolicy extends Omit<PolicyEntry, "policy"> {
  readonly policy: unknown
}

/** Returns the policies of a definition, whether or not it is valid. */
const all = (options: object, toolkits: ReadonlyArray<unknown> = []): ReadonlyArray<WrittenPolicy> => {
  const agent = recordOf(options)
  const seen = new Set<unknown>()
  const ofTool = (given: unknown, path: string): ReadonlyArray<WrittenPolicy> => {
    if (!Predicate.isObject(given)) return []
    const { id, policies } = Erase.tool(given)
    // The same tool may be in several lists.
    if (seen.has(policies)) return []
    seen.add(policies)
    return arrayOf(policies).map((rule, i) => ({
      path: `${path}.policies[${i}]`,
      policy: Predicate.isRecord(rule) ? { ...rule, tool: id } : rule
    }))
  }
  const ofTools = (given: unknown, path: string) => arrayOf(given).flatMap((tool, i) => ofTool(tool, `${path}[${i}]`))
  const ofScope = (
    scope: object,
    path: string,
    place: Pick<WrittenPolicy, "flow"> = {}
  ): ReadonlyArray<WrittenPolicy> => [
    ...arrayOf(recordOf(scope).policies).map((policy, i) => ({ path: `${path}policies[${i}]`, policy, ...place })),
    ...ofTools(recordOf(scope).tools, `${path}tools`)
  ]
  return [
    ...ofScope(agent, ""),
    ...toolkits.flatMap((toolkit, i) =>
      Object.entries(recordOf(recordOf(toolkit).tools)).flatMap(([id, tool]) => ofTool(tool, `toolkits[${i}].${id}`))
    ),
    ...arrayOf(agent.flows).filter(Predicate.isRecord).flatMap((written, f) => {
      const path = `flows[${f}].`
      const steps = arrayOf(written.steps).filter(Predicate.isRecord).flatMap((step, s) => [
        ...ofTools(step.tools, `${path}steps[${s}].tools`),
        ...(Predicate.isObject(step.call) ? ofTool(recordOf(step.call).tool, `${path}steps[${s}].call`) : [])
      ])
      return [...ofScope(written, path, { flow: flowId(written) }), ...steps]
    })
  ]
}

const fits = Schema.is(Policy.Policy)
const isPolicy = (u: unknown): u is Policy.Policy => fits(u)

/** Returns the policies of a definition that have the right shape. */
export const valid = (options: object, toolkits: ReadonlyArray<unknown> = []): ReadonlyArray<PolicyEntry> =>
  all(options, toolkits).flatMap(({ policy, ...place }) => isPolicy(policy) ? [{ policy, ...place }] : [])
