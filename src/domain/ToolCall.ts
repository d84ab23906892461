/**
 * What became of a tool call: what a response tells of it, and a session keeps.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { optional } from "./Fields.js"
import { Json } from "./Json.js"
import { FileOfCall, ToolFile } from "./ToolFile.js"

/**
 * What became of one call.
 *
 * @since 0.1.0
 * @category models
 */
export const ToolOutcome = Schema.Literal(
  "ok",
  "failed",
  "invalid",
  "denied",
  "unknown_tool",
  "timed_out",
  "interrupted",
  "dry_run",
  "not_recorded"
)

/**
 * @since 0.1.0
 * @category models
 */
export type ToolOutcome = typeof ToolOutcome.Type

/**
 * What a call gave, as the fields of whatever tells of it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const gave = {
  outcome: ToolOutcome,
  /** What the model was told. */
  output: Json,
  isFailure: Schema.Boolean,
  details: optional(Json),
  meta: optional(Json),
  /** The files that the tool gave. */
  files: optional(Schema.Array(ToolFile))
}

/**
 * The record of one tool call: exactly one per call, in call order.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolCallRecord = Schema.Struct({
  callId: Schema.String,
  toolId: Schema.String,
  params: Json,
  ...gave
}).annotations({ identifier: "ToolCallRecord" })

/**
 * @since 0.1.0
 * @category models
 */
export type ToolCallRecord = typeof ToolCallRecord.Type

/**
 * What a session keeps of its calls: the files that they gave, of more than 200 the last ones; absent when none gave any.
 *
 * @since 0.1.0
 * @category schemas
 */
export const sessionFields = { files: optional(Schema.Array(FileOfCall)) }
