/**
 * Checks a call against policies. Turns and jobs of agents with policies load it; it imports nothing of Effect, so that a
 * bundle in one file is not larger for it.
 */
import type { Json } from "../base/Json.js"
import { inWords, refInWords } from "./inWords.js"
import { type Facts, isoOf, valueOf } from "./judge.js"
import type { CheckedPolicy } from "./PolicyCheck.js"
import { type CompiledPolicy, refsIn } from "./reads.js"
import { limitOf, type MissingCall, readBy, type Refusal, refusalBy } from "./refusal.js"

export { isEqual } from "./judge.js"
export { partAt, readable } from "./value.js"

/** Maximum number of earlier calls that are recorded for a policy. */
const mostCalls = 20

const ruleInWords = (toolId: string, policy: CompiledPolicy): string => {
  const { atMost, never, onlyIf, reason } = policy
  if (reason !== undefined) return reason
  if (never === true) return `"${toolId}" is never called`
  return [
    ...(onlyIf === undefined ? [] : [`only if ${inWords(onlyIf)}`]),
    ...(atMost === undefined ? [] : [limitOf(policy)])
  ].join("; ")
}

const checkedOf = (
  toolId: string,
  policy: CompiledPolicy,
  facts: Facts,
  refused: Refusal | undefined,
  isShort: (value: Json) => boolean
): CheckedPolicy => {
  const { onlyIf, path } = policy
  const read = new Map(
    (onlyIf === undefined ? [] : refsIn(onlyIf)).filter((ref) => !("value" in ref)).map((ref) => [refInWords(ref), ref])
  )
  return {
    path,
    rule: ruleInWords(toolId, policy),
    met: refused === undefined,
    read: Array.from(read, ([what, ref]) => {
      const value = valueOf(ref, facts)
      return value !== undefined && isShort(value) ? { what, value } : { what }
    }),
    calls: readBy(toolId, policy, facts).slice(-mostCalls).toReversed().map(({ args, at, toolId }) => ({
      toolId,
      at: isoOf(at),
      args
    })),
    ...(refused !== undefined && refused.missing.length > 0 && { missing: missingOf(refused.missing) })
  }
}

const missingOf = (calls: ReadonlyArray<MissingCall>) => calls.map((one) => ({ ...one }))

/**
 * Checks a call against the policies about its tool, in order, until the first one that the call does not meet. Returns
 * the checks, and the refusal by that policy. `isShort` tells the values that are recorded.
 */
export const check = (
  toolId: string,
  policies: ReadonlyArray<CompiledPolicy>,
  facts: Facts,
  isShort: (value: Json) => boolean
): { readonly checked: ReadonlyArray<CheckedPolicy>; readonly refused?: Refusal } => {
  const checked: Array<CheckedPolicy> = []
  for (const policy of policies) {
    const at = { ...facts, tools: policy.tools }
    const refused = refusalBy(toolId, policy, at)
    checked.push(checkedOf(toolId, policy, at, refused, isShort))
    if (refused !== undefined) return { checked, refused }
  }
  return { checked }
}
