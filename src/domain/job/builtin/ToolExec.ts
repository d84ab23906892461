/** Calls of the agent's tools in the background. */
import * as Schema from "effect/Schema"
import { said, say } from "../../base/error/ErrorMessage.js"
import { Json, JsonObject } from "../../base/Json.js"
import { optional } from "../../fields/Fields.js"
import { make } from "../Job.js"
import { builtIn } from "./BuiltIn.js"

/**
 * A tool gave no output: the id is unknown, its Schema or a check refuses the call, the call would need approval, or
 * the tool failed.
 */
export class ToolExecError extends Schema.TaggedError<ToolExecError>()("ToolExecError", {
  toolId: Schema.String,
  reason: Schema.Literal("unknown_tool", "invalid", "denied", "needs_approval", "failed", "timed_out", "interrupted"),
  ...said
}) {
  override get message(): string {
    return say(this._tag, this)
  }
}

/**
 * Calls a tool of the agent after all its checks. The tool's writes and directives take effect with the session's next
 * message. Its files are listed in `files` of the session and of the response that reports the result.
 */
export class ToolExec extends builtIn(make("tool.exec", {
  payload: {
    /** A tool of the agent itself, not of a flow or a step. */
    toolId: Schema.NonEmptyString,
    /** An object, or its JSON as text. */
    arguments: Json,
    /** The `callId` for the tool; default: the id of the job. */
    callId: optional(Schema.NonEmptyString),
    /** Time limit of the tool's handler, in milliseconds or words. Default: the tool's own `timeout`. */
    timeout: optional(Schema.Union(Schema.NonNegative, Schema.String)),
    metadata: optional(JsonObject)
  },
  success: Json,
  error: ToolExecError
})) {}
