/**
 * What an agent outside is asked, what it tells while it works, what comes of it, and why nothing does.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { said, say } from "../base/error/ErrorMessage.js"
import { Json, JsonObject } from "../base/Json.js"
import { optional } from "../fields/Fields.js"

/**
 * How long an agent may take for a request that does not say: 5 minutes.
 *
 * @since 0.1.0
 * @category limits
 */
export const defaultTimeout: Duration.Duration = Duration.minutes(5)

/**
 * An event shows at most this many characters of a tool's input, and of its output. Longer ones are cut, and say so.
 *
 * @since 0.1.0
 * @category limits
 */
export const maxToolText = 5000

/**
 * The most characters of one `Message` event. An agent that says more at once is told in several events.
 *
 * @since 0.1.0
 * @category limits
 */
export const maxDelta = 8000

/** It becomes an argument of a command line, which would take a word that begins with a dash for an option. */
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
 * A task for an agent outside. `input`, the two limits and `metadata` work with every agent.
 * The other options are passed on to the agent; one that its adapter does not have fails as `unsupported`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Request = Schema.Struct({
  /** The task, in words. */
  input: Schema.String.pipe(Schema.filter((text) => text.trim() !== "" || "must not be empty")),
  /** The agent's own session, from an earlier result or failure: the agent goes on with what it knows from there. */
  sessionId: optional(Word),
  /** Which model the agent is to use, as the agent calls it. */
  model: optional(Word),
  /** The folder in which the agent works; default: the one of this process. */
  workingDirectory: optional(Schema.NonEmptyString),
  /** The tools that the agent may use without asking, as the agent calls them. */
  allowedTools: optional(Schema.Array(Word)),
  /** The longest that the task may take: a span such as `"20 minutes"`, or milliseconds. Default 5 minutes. */
  timeout: optional(Span),
  /** The longest that the agent may be silent; without limit by default. */
  idleTimeout: optional(Span),
  /** How often the agent may ask its model. */
  maxTurns: optional(Schema.Int.pipe(Schema.positive())),
  /** Whatever the caller wants to keep with the request; the agent does not see it. */
  metadata: optional(JsonObject)
}).annotations({ identifier: "DelegateRequest", parseOptions: { onExcessProperty: "error" } })

/**
 * @since 0.1.0
 * @category models
 */
export type Request = typeof Request.Type

/**
 * What a task has cost in tokens, as the agent tells it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Usage = Schema.Struct({
  /** Including those that were read from a cache. */
  inputTokens: Schema.NonNegative,
  outputTokens: Schema.NonNegative,
  cachedInputTokens: Schema.NonNegative,
  /** In US dollars; absent when the agent does not tell. */
  cost: optional(Schema.NonNegative)
}).annotations({ identifier: "DelegateUsage" })

/**
 * @since 0.1.0
 * @category models
 */
export type Usage = typeof Usage.Type

/**
 * What came of a task.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Result = Schema.Struct({
  /** The agent's last words: its answer. */
  output: Schema.String,
  /** Absent when the agent does not tell. */
  usage: optional(Usage),
  /** The agent's own session, for a later request to resume. */
  sessionId: Schema.String
}).annotations({ identifier: "DelegateResult" })

/**
 * @since 0.1.0
 * @category models
 */
export type Result = typeof Result.Type

/** The place of an event in its task, from 1, without gaps. */
const number = Schema.Int.pipe(Schema.positive())

/**
 * What happens while an agent works.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Progress = Schema.Union(
  Schema.TaggedStruct("Started", { number, sessionId: Schema.String, model: optional(Schema.String) }),
  /** The agent says something. A change of `messageId` begins another message. */
  Schema.TaggedStruct("Message", { number, delta: Schema.String, messageId: optional(Schema.String) }),
  /** The agent uses a tool of its own: `started` first, then, with the same `callId`, how it ended. */
  Schema.TaggedStruct("ToolCall", {
    number,
    status: Schema.Literal("started", "completed", "failed"),
    callId: Schema.String,
    name: Schema.String,
    /** What the tool was given. */
    input: optional(Json),
    /** What the tool gave, or what went wrong. */
    output: optional(Schema.String)
  }),
  /** How many tokens the agent has used so far. */
  Schema.TaggedStruct("Progress", { number, tokens: Schema.NonNegative })
).annotations({ identifier: "DelegateProgress" })

/**
 * @since 0.1.0
 * @category models
 */
export type Progress = typeof Progress.Type

/**
 * What a task consists of: `Started` first, what happens, and `Completed` with the result as the last.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Event = Schema.Union(Progress, Schema.TaggedStruct("Completed", { number, ...Result.fields })).annotations(
  {
    identifier: "DelegateEvent"
  }
)

/**
 * @since 0.1.0
 * @category models
 */
export type Event = typeof Event.Type

/**
 * Why an agent outside did not do its task.
 *
 * - `timeout`: it took longer than the request's `timeout`.
 * - `idle`: it gave no sign of life for the request's `idleTimeout`.
 * - `exit`: its program could not be started, or ended before it gave a result.
 * - `protocol`: it sent something that its own protocol does not allow.
 * - `refused`: the request is wrong, or the agent says that it did not do the task.
 * - `unsupported`: the request has an option that this adapter, or the agent behind it, does not have.
 *
 * @since 0.1.0
 * @category models
 */
export const DelegateFailureReason = Schema.Literal("timeout", "idle", "exit", "protocol", "refused", "unsupported")

/**
 * @since 0.1.0
 * @category models
 */
export type DelegateFailureReason = typeof DelegateFailureReason.Type

/**
 * An agent outside did not do its task. Files that it has already changed in its working directory stay changed.
 *
 * @since 0.1.0
 * @category errors
 */
export class DelegateFailure extends Schema.TaggedError<DelegateFailure>()("DelegateFailure", {
  /** The name of the adapter: `claude-code`. */
  adapter: Schema.String,
  reason: DelegateFailureReason,
  /** The agent's own session, when it had begun one: a later request may resume it. */
  sessionId: optional(Schema.String),
  ...said
}) {
  override get message(): string {
    return say(this._tag, this)
  }
}
