/**
 * What became of a tool call: what a response tells of it, and a session keeps.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Json } from "../base/Json.js"
import { optional } from "../fields/Fields.js"
import { FileOfCall, ToolFile } from "./part/ToolFile.js"

/**
 * What became of one call. `done_unrecorded`: the handler ran, and what it wrote was refused; the call is not made again in
 * its turn, because nothing that was written tells that it was done.
 *
 * @since 0.1.0
 * @category models
 */
export const ToolOutcome = Schema.Literal(
  "ok",
  "failed",
  "done_unrecorded",
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
 * A call that was done, and whose writes were refused.
 *
 * @since 0.2.0
 * @category schemas
 */
export const Unrecorded = Schema.Struct({
  toolId: Schema.String,
  callId: Schema.String,
  /** Tells the arguments of one call from those of another. */
  params: Schema.String
}).annotations({ identifier: "Unrecorded" })

/**
 * @since 0.2.0
 * @category models
 */
export type Unrecorded = typeof Unrecorded.Type

/** How many of these calls a session keeps. */
const maxUnrecorded = 50

/**
 * A session's calls whose writes were refused, with one more.
 *
 * @since 0.2.0
 * @category combinators
 */
export const withUnrecorded = (before: ReadonlyArray<Unrecorded> = [], one: Unrecorded): ReadonlyArray<Unrecorded> =>
  [...before, one].slice(-maxUnrecorded)

/**
 * What a session keeps of its calls: the files that they gave, of more than 200 the last ones; absent when none gave any.
 * Likewise the calls that were done and could not be recorded, the last 50, for gates that count.
 *
 * @since 0.1.0
 * @category schemas
 */
export const sessionFields = {
  files: optional(Schema.Array(FileOfCall)),
  unrecorded: optional(Schema.Array(Unrecorded))
}
