/**
 * The log entry of one turn: its input, and all results from outside. Together with the agent's definition it
 * reproduces the turn.
 */
import * as Response from "@effect/ai/Response"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { GenerationFailureReason, Purpose } from "../base/error/Errors.js"
import { Json, JsonObject } from "../base/Json.js"
import { complaints, optional } from "../fields/Fields.js"
import * as Decode from "../fields/schema/Decode.js"
import { Told } from "../job/StoredJob.js"
import { Origins } from "../origin/Origin.js"
import * as Approval from "../session/Approval.js"
import { returned } from "../session/ToolCall.js"
import { Principal } from "../session/TurnRequest.js"
import * as SessionUnderstood from "../session/Understood.js"

const around = {
  messageId: optional(Schema.String),
  /** The encoded context, without `Redacted` values. */
  context: optional(JsonObject),
  /** Names of the secret context values that were left out. */
  withheld: optional(Schema.Array(Schema.String)),
  metadata: optional(JsonObject),
  principal: optional(Principal)
}

/** The input of a turn. */
export const Input = Schema.Union(
  Schema.TaggedStruct("Message", {
    message: Schema.String,
    /** The submitted form values. */
    values: optional(JsonObject),
    /** The user submitted a form without a message. */
    isForm: optional(Schema.Boolean),
    understood: optional(SessionUnderstood.Understood),
    /** No person reads the answer. */
    unattended: optional(Schema.Boolean),
    ...around
  }),
  Schema.TaggedStruct("Begin", { flow: optional(Schema.String), ...around }),
  Schema.TaggedStruct("Approval", { request: Schema.String, decision: Approval.Decision, ...around }),
  Schema.TaggedStruct("Event", { event: Schema.String, payload: Json, ...around }),
  Schema.TaggedStruct("Timer", {}),
  Schema.TaggedStruct("Job", { jobId: Schema.String, lease: Schema.String, told: Told })
).annotations({ identifier: "TurnEntryInput" })

export type Input = typeof Input.Type

/** An input that comes from inside the library. */
export type Internal = Extract<Input, { readonly _tag: "Timer" | "Job" }>

export const isInternal = (input: Input): input is Internal => input._tag === "Timer" || input._tag === "Job"

/**
 * The result of a request by the turn: a value, an error of the library, a defect, or an interruption because the turn
 * was stopped.
 */
export const End = Schema.Union(
  Schema.TaggedStruct("Gave", { value: Json }),
  Schema.TaggedStruct("Failed", { error: JsonObject }),
  Schema.TaggedStruct("Died", { message: Schema.String }),
  Schema.TaggedStruct("Stopped", {
    /** The text of the model before it was stopped. */
    said: optional(Schema.String)
  })
).annotations({ identifier: "TurnEntryEnd" })

export type End = typeof End.Type

/** The usage of each attempt at a model call, as reported to `ModelObserver`. */
const Used = Schema.Struct({
  purpose: Purpose,
  model: Schema.String,
  finishReason: Schema.Union(Response.FinishReason, Schema.Literal("interrupted")),
  failure: optional(Schema.Struct({ reason: GenerationFailureReason, message: Schema.String })),
  usage: Schema.Struct({
    inputTokens: Schema.Number,
    outputTokens: Schema.Number,
    cachedInputTokens: Schema.Number
  }),
  cost: optional(Schema.Number)
})

export type Used = typeof Used.Type

const used = Schema.Array(Used)

const marks = Schema.Record({ key: Schema.String, value: Schema.Number })

/** One request for understanding a message. The questions are stored by name, each with a hash of its text. */
export const Understood = Schema.Struct({
  asked: Schema.Struct({ flows: marks, fields: marks, conditions: marks, signals: marks }),
  /** True if the call came after the agent's reply. */
  afterwards: optional(Schema.Literal(true)),
  used,
  end: End
}).annotations({ identifier: "TurnEntryUnderstood" })

export type Understood = typeof Understood.Type

/** One call to a model. */
export const Spoken = Schema.Struct({
  purpose: Schema.String,
  /** Hash of the prompt and the offered tools. */
  asked: Schema.Number,
  /**
   * Present for a speculative call: `wanted` if the turn had decided to use its answer when the call ended, `open` if
   * this was still undecided.
   */
  speculative: optional(Schema.Literal("wanted", "open")),
  used,
  end: End
}).annotations({ identifier: "TurnEntrySpoken" })

export type Spoken = typeof Spoken.Type

/** The result of a tool call. */
export const ToolGave = Schema.Union(
  Schema.TaggedStruct("ToolResult", returned),
  Schema.TaggedStruct("ApprovalNeeded", {
    args: Json,
    fingerprint: Schema.String,
    editable: Schema.Boolean,
    role: optional(Schema.String),
    reason: optional(Schema.String),
    origins: optional(Origins),
    by: optional(Schema.Literal("user")),
    question: optional(Schema.String),
    pendingReply: optional(Schema.String),
    expiresAfter: optional(Schema.DurationFromMillis)
  })
).annotations({ identifier: "TurnEntryToolGave" })

/** One tool call, in the order in which calls ended. */
export const Called = Schema.Struct({
  callId: Schema.String,
  toolId: Schema.String,
  params: Json,
  /** The tool's fingerprint. If it has changed, the tool's checks run again before the recorded result is used. */
  fingerprint: Schema.String,
  /** The directives and writes of its handler, in order. */
  dispatched: Schema.Array(JsonObject),
  end: End
}).annotations({ identifier: "TurnEntryCalled" })

export type Called = typeof Called.Type

const Message = Schema.Struct({ seq: Schema.Int, message: JsonObject, createdAt: Schema.String })

/** One write to the store. */
export const Written = Schema.Struct({
  session: JsonObject,
  messages: Schema.Array(Message),
  /** The error with which the store refused it. */
  refused: optional(JsonObject)
}).annotations({ identifier: "TurnEntryWritten" })

export type Written = typeof Written.Type

/** The log entry of one turn. Times are milliseconds since 1970. */
export const TurnEntry = Schema.Struct({
  format: Schema.Literal(1),
  agent: Schema.String,
  sessionId: Schema.String,
  /** Version of the session at the start of the turn; 0 for a new one. */
  from: Schema.Int,
  /**
   * The session as the turn loaded it, if it differs from the previous entry of the log: because the log began later,
   * or because something other than a recorded turn changed or removed the session.
   */
  before: optional(Schema.Struct({ session: Schema.NullOr(JsonObject), messages: Schema.Array(Message) })),
  /** The record of the values that are kept by user, as the turn read it; absent if there was none. */
  user: optional(JsonObject),
  input: Input,
  /** The readings of the clock: the first is a time, the others are milliseconds after it. */
  clock: Schema.Array(Schema.Number),
  /** The seed of the turn's random numbers. */
  seed: Schema.Int,
  /** The generated ids, in order. */
  ids: Schema.Array(Schema.String),
  /** The result of the agent's `contextProvider`. */
  context: optional(End),
  /** The stored journal of this turn. */
  journal: optional(Schema.Array(JsonObject)),
  /** The summary of the conversation that became available during the turn. */
  summary: optional(JsonObject),
  /** True if the last attempt to summarize the conversation had failed; otherwise absent. */
  unsummarized: optional(Schema.Literal(true)),
  understood: Schema.Array(Understood),
  spoken: Schema.Array(Spoken),
  called: Schema.Array(Called),
  /** The entered steps, as `flow/step`. */
  steps: Schema.Array(Schema.String),
  written: Schema.Array(Written),
  /**
   * The events that explain the turn, in order, each with `at`, its milliseconds since the turn began; of `TurnCompleted`
   * only what explains it. Absent in entries of earlier versions.
   */
  told: optional(Schema.Array(JsonObject)),
  /**
   * The ending of the turn: `answered`, `interrupted` (by its caller), `gone` (its reader left), `Died` (a defect), or
   * the tag of its failure.
   */
  end: Schema.String,
  /** The agent's message. */
  reply: Schema.String,
  /**
   * The whole turn, encrypted; the entry's other fields then contain only the session, its owner and the start time.
   */
  sealed: optional(JsonObject)
}).annotations({ identifier: "TurnEntry" })

export type TurnEntry = typeof TurnEntry.Type

/** Returns the user of the turn: its sender, or else the user of the session at the end of the turn. */
export const userOf = ({ input, written }: {
  readonly input?: {
    readonly _tag?: string
    readonly principal?: { readonly userId: string } | undefined
    readonly metadata?: { readonly userId?: unknown } | undefined
  } | undefined
  readonly written?: ReadonlyArray<{ readonly session: { readonly userId?: unknown } }> | undefined
}): unknown => input?.principal?.userId ?? input?.metadata?.userId ?? written?.at(-1)?.session.userId

const decodeEntry = Decode.either(TurnEntry)

/** Decodes one entry; `Left` says what is wrong. */
export const decode = (u: unknown): Either.Either<TurnEntry, string> =>
  Either.mapLeft(decodeEntry(u), (error) => complaints(error))

/** Decodes one line of a log. */
export const parse = (line: string): Either.Either<TurnEntry, string> =>
  Either.flatMap(
    Either.try({ try: (): unknown => JSON.parse(line), catch: () => "it is not JSON" }),
    decode
  )
