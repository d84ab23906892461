/** Results of tool calls, as responses and sessions record them. */
import * as Schema from "effect/Schema"
import { Json, JsonObject } from "../base/Json.js"
import { optional } from "../fields/Fields.js"
import { Origins } from "../origin/Origin.js"
import { CheckedPolicy } from "../policy/PolicyCheck.js"
import { FileOfCall, ToolFile } from "./part/ToolFile.js"

/**
 * The outcome of one call. `done_unrecorded`: the handler ran, but its writes were refused; the call is not repeated in
 * its turn, because the data does not show that it ran.
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

export type ToolOutcome = typeof ToolOutcome.Type

/** The outcomes of calls whose handler ran. */
export const ran: ReadonlySet<ToolOutcome> = new Set(["ok", "failed", "done_unrecorded", "timed_out"])

/** The result fields of a call, shared by records and events. */
export const gave = {
  outcome: ToolOutcome,
  /** The result, as the model gets it. */
  output: Json,
  isFailure: Schema.Boolean,
  details: optional(Json),
  meta: optional(Json),
  /** The files returned by the tool. */
  files: optional(Schema.Array(ToolFile)),
  /** The origins of the arguments; only for agents that keep origins. */
  origins: optional(Origins),
  /** The checks of the call against its policies, if there are any. */
  policies: optional(Schema.Array(CheckedPolicy))
}

/** The result of a handler in a recording: the result of the call, and the directive that the handler returned. */
export const returned = { ...gave, directive: optional(JsonObject) }

/** The record of one tool call: exactly one per call, in call order. */
export const ToolCallRecord = Schema.Struct({
  callId: Schema.String,
  toolId: Schema.String,
  params: Json,
  ...gave
}).annotations({ identifier: "ToolCallRecord" })

export type ToolCallRecord = typeof ToolCallRecord.Type

/** A call that ran but whose writes were refused. */
const Unrecorded = Schema.Struct({
  toolId: Schema.String,
  callId: Schema.String,
  /** Digest of the call's arguments. */
  params: Schema.String
}).annotations({ identifier: "Unrecorded" })

type Unrecorded = typeof Unrecorded.Type

/** Largest number of calls with refused writes that a session keeps. */
const maxUnrecorded = 50

/** Appends a call with refused writes to the session's list. */
export const withUnrecorded = (before: ReadonlyArray<Unrecorded> = [], one: Unrecorded): ReadonlyArray<Unrecorded> =>
  [...before, one].slice(-maxUnrecorded)

/**
 * Session fields about calls: `files`, the last 200 files that calls returned; and `unrecorded`, the last 50 calls that
 * ran but whose writes were refused, so that they are not run again. Absent when empty.
 */
export const sessionFields = {
  files: optional(Schema.Array(FileOfCall)),
  unrecorded: optional(Schema.Array(Unrecorded))
}
