/** The check of a call against one policy, as it is recorded: whether the call met it, and what the policy read. */
import * as Schema from "effect/Schema"
import { Json, OwnKey, sizeWithin } from "../base/Json.js"
import { optional } from "../fields/Fields.js"

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

/** True if a value that a policy read is recorded. */
export const isShort = (value: Json): boolean => sizeWithin(value, longest) <= longest
