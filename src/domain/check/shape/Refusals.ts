/** The checks that can refuse the call of a step. */
import type { Flow } from "../../authored/Flow.js"
import type { Step } from "../../authored/Step.js"
import { flowId } from "../../definition/Definition.js"
import type { ErasedAgent } from "../../definition/Erase.js"
import * as Erase from "../../definition/Erase.js"
import * as CallWays from "../../definition/shorthand/CallWays.js"
import * as WrittenPolicies from "../../definition/WrittenPolicies.js"
import * as Accept from "../../origin/accept.js"
import { toolsOf } from "../../policy/reads.js"

type Values = Record<string, unknown>

/**
 * Returns the check that can refuse a step's call, in words; undefined if there is none, or if `then` says what follows
 * every refusal.
 */
export const unhandledBy = (
  options: ErasedAgent,
  flow: Flow<Values, Values>,
  { call, then }: Step<Values, Values>
): string | undefined => {
  if (call === undefined || CallWays.of(then).some((way) => way.end === "denied" && way.if === undefined)) {
    return undefined
  }
  const { accepts, checkPermissions, id } = Erase.tool(Erase.toolCall(call).tool)
  if (checkPermissions !== undefined) return `checkPermissions of "${id}"`
  const policy = WrittenPolicies.valid(options, options.toolkits).find((one) =>
    toolsOf(one.policy).includes(id) && (one.flow === undefined || one.flow === flowId(flow))
  )
  if (policy !== undefined) return policy.path
  return Accept.read(accepts).otherwise === "refuse" ? `accepts of "${id}"` : undefined
}
