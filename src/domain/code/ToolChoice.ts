/** The `toolChoice` option, and counts of calls. */
import * as Schema from "effect/Schema"

/**
 * The rule that the model must, may or must not call a tool. `"required"` and `{ tool }` apply to the first answer
 * after a message: once tools have run, the model may answer.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolChoice = Schema.Union(
  Schema.Literal("auto", "none", "required"),
  Schema.Struct({ tool: Schema.NonEmptyString })
).annotations({
  identifier: "ToolChoice",
  message: () => ({ message: "must be \"auto\", \"none\", \"required\" or { tool: … }", override: true })
})

/**
 * @since 0.1.0
 * @category models
 */
export type ToolChoice = typeof ToolChoice.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const PositiveCount = Schema.Int.pipe(Schema.positive()).annotations({
  message: () => "must be a positive whole number"
})
