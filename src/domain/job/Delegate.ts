/** Requests to external agents, their progress, results and failures. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { said, say } from "../base/error/ErrorMessage.js"
import { Json, JsonObject } from "../base/Json.js"
import { optional } from "../fields/Fields.js"

/** Time limit of a request without its own: 5 minutes. */
export const defaultTimeout: Duration.Duration = Duration.minutes(5)

/** Largest number of characters of a tool's input and output in an event. Longer texts are cut, with a notice. */
export const maxToolText = 5000

/** Largest number of characters of one `Message` event. Longer messages are split into several events. */
export const maxDelta = 8000

/** A command line argument. It must not begin with a dash, because it would be read as an option. */
const Word = Schema.String.pipe(
  Schema.filter((word) => /^[^-\s\0][^\0]*$/.test(word) || "must not be empty, begin with a dash, or hold a NUL")
)

const Span: Schema.Schema<string | number> = Schema.Union(Schema.String, Schema.Number).pipe(
  Schema.filter((span) => {
    const millis = Option.map(Duration.decodeUnknown(span), Duration.toMillis)
    return Option.exists(millis, (n) => n > 0 && n < Infinity) || `must be a span above zero, such as "5 minutes"`
  })
)

/**
 * A task for an external agent. `input`, the two limits and `metadata` work with every agent. The other options are
 * passed to the agent; if the adapter does not support one, the request fails as `unsupported`.
 */
export const Request = Schema.Struct({
  /** The task, in words. */
  input: Schema.String.pipe(Schema.filter((text) => text.trim() !== "" || "must not be empty")),
  /**
   * Id of the external agent's own session, from an earlier result or failure; the agent then continues that session.
   */
  sessionId: optional(Word),
  /** The model to use, by the agent's own name for it. */
  model: optional(Word),
  /** The agent's working directory; default: that of this process. */
  workingDirectory: optional(Schema.NonEmptyString),
  /** The tools that the agent may use without asking, by the agent's own names. */
  allowedTools: optional(Schema.Array(Word)),
  /** Time limit of the task: a span such as `"20 minutes"`, or milliseconds. Default 5 minutes. */
  timeout: optional(Span),
  /** Longest time without any output of the agent. Default: no limit. */
  idleTimeout: optional(Span),
  /** Largest number of model calls by the agent. */
  maxTurns: optional(Schema.Int.pipe(Schema.positive())),
  /** Data that the caller keeps with the request; not passed to the agent. */
  metadata: optional(JsonObject)
}).annotations({ identifier: "DelegateRequest", parseOptions: { onExcessProperty: "error" } })

export type Request = typeof Request.Type

/** Token usage of a task, as reported by the agent. */
export const Usage = Schema.Struct({
  /** Number of input tokens, including tokens read from a cache. */
  inputTokens: Schema.NonNegative,
  outputTokens: Schema.NonNegative,
  cachedInputTokens: Schema.NonNegative,
  /** Cost in US dollars; absent if the agent does not report it. */
  cost: optional(Schema.NonNegative)
}).annotations({ identifier: "DelegateUsage" })

export type Usage = typeof Usage.Type

/** The result of a task. */
export const Result = Schema.Struct({
  /** The agent's last message: its answer. */
  output: Schema.String,
  /** Absent if the agent does not report it. */
  usage: optional(Usage),
  /** Id of the external agent's own session; a later request with this id continues it. */
  sessionId: Schema.String
}).annotations({ identifier: "DelegateResult" })

export type Result = typeof Result.Type

/** Sequence number of an event in its task, from 1, without gaps. */
const number = Schema.Int.pipe(Schema.positive())

/** Progress of a working agent. */
export const Progress = Schema.Union(
  Schema.TaggedStruct("Started", { number, sessionId: Schema.String, model: optional(Schema.String) }),
  /** Text of the agent. A new `messageId` begins another message. */
  Schema.TaggedStruct("Message", { number, delta: Schema.String, messageId: optional(Schema.String) }),
  /**
   * A call of one of the agent's own tools: a first event with `started`, then an event about the end with the same
   * `callId`.
   */
  Schema.TaggedStruct("ToolCall", {
    number,
    status: Schema.Literal("started", "completed", "failed"),
    callId: Schema.String,
    name: Schema.String,
    /** The tool's input. */
    input: optional(Json),
    /** The tool's output, or its error. */
    output: optional(Schema.String)
  }),
  /** Number of tokens used so far. */
  Schema.TaggedStruct("Progress", { number, tokens: Schema.NonNegative })
).annotations({ identifier: "DelegateProgress" })

export type Progress = typeof Progress.Type

/** The events of a task: first `Started`, then progress, and last `Completed` with the result. */
export const Event = Schema.Union(Progress, Schema.TaggedStruct("Completed", { number, ...Result.fields })).annotations(
  {
    identifier: "DelegateEvent"
  }
)

export type Event = typeof Event.Type

/**
 * Why an external agent failed.
 *
 * - `timeout`: it took longer than the request's `timeout`.
 * - `idle`: it was silent for longer than the request's `idleTimeout`.
 * - `exit`: its program could not be started, or ended before it gave a result.
 * - `protocol`: it violated its own protocol.
 * - `refused`: the request is invalid, or the agent reports that it did not do the task.
 * - `unsupported`: the request has an option that this adapter, or its agent, does not support.
 */
export const DelegateFailureReason = Schema.Literal("timeout", "idle", "exit", "protocol", "refused", "unsupported")

export type DelegateFailureReason = typeof DelegateFailureReason.Type

/**
 * An external agent did not complete its task. Files that it has already changed in its working directory stay changed.
 */
export class DelegateFailure extends Schema.TaggedError<DelegateFailure>()("DelegateFailure", {
  /** The name of the adapter: `claude-code`. */
  adapter: Schema.String,
  reason: DelegateFailureReason,
  /** Id of the external agent's own session, if it had started one; a later request may continue it. */
  sessionId: optional(Schema.String),
  ...said
}) {
  override get message(): string {
    return say(this._tag, this)
  }
}
