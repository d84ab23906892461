/** The check of a call against one policy, as it is recorded: whether the call met it, and what the policy read. */
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { Json, OwnKey, sizeWithin } from "../base/Json.js"
import { optional } from "../fields/Fields.js"
import { inWords, refInWords } from "./inWords.js"
import { type Facts, valueOf } from "./judge.js"
import { type CompiledPolicy, refsIn } from "./reads.js"
import { limitOf, type MissingCall, readBy, type Refusal, refusalBy } from "./refusal.js"

/** The check of a call against one policy. Values of more than 200 characters of JSON are left out. */
export const CheckedPolicy = Schema.Struct({
  /** The place of the policy in the definition: `flows[0].policies[1]`. */
  path: Schema.String,
  /** The policy in words. */
  rule: Schema.String,
  met: Schema.Boolean,
  /** The values that the policy read; a value that was not known is missing. */
  read: Schema.Array(Schema.Struct({ what: Schema.String, value: optional(Json) })),
  /** The earlier calls that the policy counted, or whose results it compared: at most 20, latest first. */
  calls: Schema.Array(Schema.Struct({
    toolId: Schema.String,
    at: Schema.String,
    args: Schema.Record({ key: OwnKey, value: Json })
  })),
  /** Calls that are missing: with them, the policy would hold. Only for a call that does not meet the policy. */
  missing: optional(Schema.Array(Schema.Struct({
    tool: Schema.String,
    arguments: Schema.Record({ key: OwnKey, value: Json })
  })))
}).annotations({ identifier: "CheckedPolicy" })

export type CheckedPolicy = typeof CheckedPolicy.Type

/** Maximum length of a recorded value, in characters of JSON. */
const longest = 200

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
  refused: Refusal | undefined
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
      return value !== undefined && sizeWithin(value, longest) <= longest ? { what, value } : { what }
    }),
    calls: readBy(toolId, policy, facts).slice(-mostCalls).toReversed().map(({ args, at, toolId }) => ({
      toolId,
      at: DateTime.formatIso(at),
      args
    })),
    ...(refused !== undefined && refused.missing.length > 0 && { missing: missingOf(refused.missing) })
  }
}

const missingOf = (calls: ReadonlyArray<MissingCall>) => calls.map((one) => ({ ...one }))

/**
 * Checks a call against the policies about its tool, in order, until the first one that the call does not meet. Returns
 * the checks, and the refusal by that policy.
 */
export const check = (
  toolId: string,
  policies: ReadonlyArray<CompiledPolicy>,
  facts: Facts
): { readonly checked: ReadonlyArray<CheckedPolicy>; readonly refused?: Refusal } => {
  const checked: Array<CheckedPolicy> = []
  for (const policy of policies) {
    const at = { ...facts, tools: policy.tools }
    const refused = refusalBy(toolId, policy, at)
    checked.push(checkedOf(toolId, policy, at, refused))
    if (refused !== undefined) return { checked, refused }
  }
  return { checked }
}
