/** The `toolChoice` option, and limits on the number of tool calls. */
import * as Schema from "effect/Schema"

/**
 * Decides whether the model must, may or must not call a tool. `"required"` and `{ tool }` apply to the first answer
 * after a message: after tools have run, the model may answer without a call.
 */
export const ToolChoice = Schema.Union(
  Schema.Literal("auto", "none", "required"),
  Schema.Struct({ tool: Schema.NonEmptyString })
).annotations({
  identifier: "ToolChoice",
  message: () => ({ message: "must be \"auto\", \"none\", \"required\" or { tool: … }", override: true })
})

export type ToolChoice = typeof ToolChoice.Type

export const PositiveCount = Schema.Int.pipe(Schema.positive()).annotations({
  message: () => "must be a positive whole number"
})

/**
 * Limits on the tools of a flow or a step. Without limits, tools add up: a step offers its own, its flow's and the
 * agent's.
 */
export interface ToolLimits {
  /** Offers only the tools with these ids, whatever the flow and the agent offer. */
  readonly onlyTools?: ReadonlyArray<string>
  /** Requires, allows or forbids tool calls of the model. Default: the value of the enclosing flow or agent. */
  readonly toolChoice?: ToolChoice
  /** Largest number of tool calls run per model response. Default: the value of the enclosing flow or agent. */
  readonly maxToolCallsPerRound?: number
  /** Largest number of model responses with tool calls in one turn. Default: the value of the enclosing flow or agent. */
  readonly maxToolRounds?: number
}

export const ToolLimits = {
  onlyTools: Schema.optional(Schema.Array(Schema.String)),
  toolChoice: Schema.optional(ToolChoice),
  maxToolCallsPerRound: Schema.optional(PositiveCount),
  maxToolRounds: Schema.optional(PositiveCount)
}
