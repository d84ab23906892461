/**
 * All errors of the library. They are Schemas, so that they can be encoded, and share one format: `[<Tag>] <what>:
 * <why>. <how to fix>.`
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { quoted, said, say } from "./ErrorMessage.js"
import { SessionUnavailable } from "./SessionUnavailable.js"

export { SessionUnavailable } from "./SessionUnavailable.js"
export { TurnUnavailable } from "./TurnUnavailable.js"

/** One problem of a definition. `path` is its location, for example `flows[0].steps[2].collect[1]`. */
export class ConfigurationIssue extends Schema.Class<ConfigurationIssue>("coxswain/ConfigurationIssue")({
  path: Schema.String,
  ...said
}) {}

/** The problem, with its path unless the text already contains it. */
const located = ({ path, what }: Pick<ConfigurationIssue, "path" | "what">): string =>
  !/[.[]/.test(path) || what.includes(path) ? what : `${what} (${path})`

/** The definition, a directive or a target is invalid. Holds all problems; each is one line of `message`. */
export class FlowConfigurationError extends Schema.TaggedError<FlowConfigurationError>()("FlowConfigurationError", {
  issues: Schema.NonEmptyArray(ConfigurationIssue),
  /** Name of the agent that could not be made, if its definition has one. */
  agent: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message(): string {
    return this.issues.map((issue) => say(this._tag, { ...issue, what: located(issue) })).join("\n")
  }

  /** An error with one issue. */
  static one(issue: typeof ConfigurationIssue.Encoded): FlowConfigurationError {
    return FlowConfigurationError.of([issue])
  }

  /** An error with the given issues. */
  static of(
    issues: readonly [typeof ConfigurationIssue.Encoded, ...ReadonlyArray<typeof ConfigurationIssue.Encoded>]
  ): FlowConfigurationError {
    const [first, ...rest] = issues
    return new FlowConfigurationError({
      issues: [new ConfigurationIssue(first), ...rest.map((issue) => new ConfigurationIssue(issue))]
    })
  }

  /** Fails with the given issues, if there are any. */
  static refuse([first, ...rest]: ReadonlyArray<ConfigurationIssue>): Effect.Effect<void, FlowConfigurationError> {
    return first === undefined ? Effect.void : Effect.fail(new FlowConfigurationError({ issues: [first, ...rest] }))
  }
}

/** A layer cannot work with its options or with what it finds around it. `path` is the option. */
export class LayerConfigurationError extends Schema.TaggedError<LayerConfigurationError>()("LayerConfigurationError", {
  path: Schema.String,
  ...said
}) {
  override get message(): string {
    return say(this._tag, { ...this, what: located(this) })
  }
}

/** A `dataUpdate` or `contextUpdate` does not fit its Schema; the whole write was discarded. */
export class DataValidationError extends Schema.TaggedError<DataValidationError>()("DataValidationError", {
  /** The invalid fields, each with the Schema's message. */
  fields: Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String })),
  /** The source of the write, for example `flow:Booking.onEnter`. */
  emitter: Schema.String,
  ...said
}) {
  override get message(): string {
    return say(this._tag, this)
  }

  /**
   * Makes an error for invalid writes of `emitter`; `kept` describes the effect on the other values, as part of `fix`.
   */
  static of(
    emitter: string,
    fields: ReadonlyArray<{ readonly field: string; readonly message: string }>,
    kept: string
  ): DataValidationError {
    return new DataValidationError({
      fields,
      emitter,
      what: `${emitter} wrote ${quoted(fields.map(({ field }) => field))}`,
      why: fields.map(({ field, message }) => `"${field}" ${message}`).join("; "),
      fix: `Write values that the schema accepts; ${kept}`
    })
  }
}

/** A tool cannot be registered. */
export class ToolCreationError extends Schema.TaggedError<ToolCreationError>()("ToolCreationError", {
  toolId: Schema.String,
  cause: Schema.optional(Schema.Defect),
  ...said
}) {
  override get message(): string {
    return say(this._tag, this)
  }
}

/** A tool with `onFailure: "fail"` failed; `cause` is the error of its handler. */
export class ToolExecutionError extends Schema.TaggedError<ToolExecutionError>()("ToolExecutionError", {
  toolId: Schema.String,
  cause: Schema.optional(Schema.Defect),
  ...said
}) {
  override get message(): string {
    return say(this._tag, this)
  }
}

/** Why a model call failed. */
export const GenerationFailureReason = Schema.Literal(
  "rate_limited",
  "overloaded",
  "auth",
  "invalid_request",
  "context_length",
  "content_filter",
  "timeout",
  "network",
  "malformed_output",
  "empty",
  "unknown"
)

export type GenerationFailureReason = typeof GenerationFailureReason.Type

/** The purpose of a model call. */
export const Purpose = Schema.Literal("understand", "speak", "signals", "summarize", "guard")

export type Purpose = typeof Purpose.Type

/** A model call failed after its retries and fallbacks. */
export class ResponseGenerationError extends Schema.TaggedError<ResponseGenerationError>()("ResponseGenerationError", {
  /** Purpose of the failed call. */
  phase: Purpose,
  reason: GenerationFailureReason,
  /** True if the same call may succeed later without a change. */
  retryable: Schema.Boolean,
  /** Time to wait before a new attempt, if the provider gave one. */
  retryAfter: Schema.optional(Schema.DurationFromMillis),
  cause: Schema.optional(Schema.Defect),
  ...said
}) {
  override get message(): string {
    return say(this._tag, this)
  }
}

/** Another writer committed first. This write was discarded as a whole. */
export class SessionConflict extends Schema.TaggedError<SessionConflict>()("SessionConflict", {
  sessionId: Schema.String,
  /** The version the writer had read; 0 when it expected no session. */
  expected: Schema.Number,
  /** The version found; 0 when there is no session. */
  actual: Schema.Number
}) {
  override get message(): string {
    return say(this._tag, {
      what: `session "${this.sessionId}"`,
      why: `expected version ${this.expected} but found ${this.actual}: another writer committed first`,
      fix: "Load the session again and repeat the turn"
    })
  }
}

/**
 * The session stayed locked by another turn for longer than the caller was willing to wait. The session is unchanged.
 */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", {
  sessionId: Schema.String,
  /** Time that the caller waited for the session's lock. */
  after: Schema.DurationFromMillis
}) {
  override get message(): string {
    return say(this._tag, {
      what: `session "${this.sessionId}"`,
      why: `another turn of it still runs after ${Duration.format(this.after)} of waiting`,
      fix: "Send the message again in a while, or wait longer"
    })
  }
}

/** A stored session cannot be decoded. It stays stored unchanged. */
export class SessionCorrupt extends Schema.TaggedError<SessionCorrupt>()("SessionCorrupt", {
  sessionId: Schema.String,
  why: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return say(this._tag, {
      what: `session "${this.sessionId}"`,
      why: this.why,
      fix: "Repair the stored row, register a migration for its version, or remove the session"
    })
  }
}

/** The store itself failed (connection, disk, driver). */
export class SessionStoreError extends Schema.TaggedError<SessionStoreError>()("SessionStoreError", {
  /** The operation of the store that failed: `load`, `commit`, … */
  operation: Schema.String,
  why: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return say(this._tag, {
      what: this.operation,
      why: this.why,
      fix: "Check that the store is reachable and its schema is in place, then repeat the call"
    })
  }
}

/** The blob store failed (connection, disk, rights). */
export class BlobStoreError extends Schema.TaggedError<BlobStoreError>()("BlobStoreError", {
  /** The operation of the blob store that failed. */
  operation: Schema.Literal("put", "get", "remove", "list"),
  why: Schema.String,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message(): string {
    return say(this._tag, {
      what: this.operation,
      why: this.why,
      fix: "Check that the store of files is reachable and may be written, then repeat the call"
    })
  }
}

/** The time limit of the turn or of the store was exceeded. The turn was not stored. */
export class TurnTimeout extends Schema.TaggedError<TurnTimeout>()("TurnTimeout", {
  sessionId: Schema.String,
  /** The exceeded limit among the agent's `timeouts`. */
  limit: Schema.Literal("turn", "store"),
  after: Schema.DurationFromMillis
}) {
  override get message(): string {
    return say(this._tag, {
      what: this.limit === "turn" ? `turn of session "${this.sessionId}"` : `the store of session "${this.sessionId}"`,
      why: `took longer than timeouts.${this.limit}`,
      fix: this.limit === "turn"
        ? "Raise timeouts.turn or make the hooks, tools and models of this turn faster"
        : "Check that the store answers, or raise timeouts.store"
    })
  }
}

/** A token or cost budget would be exceeded by the next model call. */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  /** The budget's name: `maxTokensPerTurn`, `maxTokensPerSession` or `maxCostPerSession`. */
  budget: Schema.String,
  limit: Schema.Number,
  /** Usage before the refused call. */
  used: Schema.Number
}) {
  override get message(): string {
    return say(this._tag, {
      what: this.budget,
      why: `${this.used} of ${this.limit} are used and the next model call would exceed it`,
      fix: `Raise ${this.budget} or start a new session`
    })
  }
}

/** The request is invalid: a bad session id, an empty message, a context that does not decode. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", said) {
  override get message(): string {
    return say(this._tag, this)
  }
}

/**
 * Following a session failed: the feed is unreachable, or the reader fell behind. The session is unaffected; to
 * continue, load the session and follow it again.
 */
export class SessionFeedError extends Schema.TaggedError<SessionFeedError>()("SessionFeedError", {
  sessionId: Schema.String,
  cause: Schema.optional(Schema.Defect),
  ...said
}) {
  override get message(): string {
    return say(this._tag, this)
  }
}

/** The errors of a turn, besides the typed errors of the agent's own hooks. */
export const TurnError = Schema.Union(
  FlowConfigurationError,
  DataValidationError,
  ToolCreationError,
  ToolExecutionError,
  ResponseGenerationError,
  SessionConflict,
  SessionBusy,
  SessionUnavailable,
  SessionCorrupt,
  SessionStoreError,
  BlobStoreError,
  TurnTimeout,
  BudgetExceeded,
  InvalidRequest
)

export type TurnError = typeof TurnError.Type
