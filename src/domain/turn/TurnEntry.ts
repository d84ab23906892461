/**
 * What a turn log keeps of one turn: what it began with, and everything that came to it from outside. With the
 * definition of the agent, that is the whole turn.
 *
 * @since 0.1.0
 */
import * as Response from "@effect/ai/Response"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { GenerationFailureReason, Purpose } from "../base/error/Errors.js"
import { Json, JsonObject } from "../base/Json.js"
import { complaints, optional } from "../fields/Fields.js"
import * as Decode from "../fields/schema/Decode.js"
import { Told } from "../job/StoredJob.js"
import * as Decision from "../session/Approval.js"
import { gave } from "../session/ToolCall.js"
import { Principal } from "../session/TurnRequest.js"
import * as Given from "../session/Understood.js"

const around = {
  messageId: optional(Schema.String),
  /** Encoded, without what is `Redacted`. */
  context: optional(JsonObject),
  /** The names of context values that were secret, and are not here. */
  withheld: optional(Schema.Array(Schema.String)),
  metadata: optional(JsonObject),
  principal: optional(Principal)
}

/**
 * What a turn answers.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Input = Schema.Union(
  Schema.TaggedStruct("Message", {
    message: Schema.String,
    /** What was filled in. */
    values: optional(JsonObject),
    /** Nothing was said beside what was filled in. */
    isForm: optional(Schema.Boolean),
    understood: optional(Given.Understood),
    ...around
  }),
  Schema.TaggedStruct("Begin", { flow: optional(Schema.String), ...around }),
  Schema.TaggedStruct("Approval", { request: Schema.String, decision: Decision.Decision, ...around }),
  Schema.TaggedStruct("Event", { event: Schema.String, payload: Json, ...around }),
  Schema.TaggedStruct("Timer", {}),
  Schema.TaggedStruct("Job", { jobId: Schema.String, lease: Schema.String, told: Told })
).annotations({ identifier: "TurnEntryInput" })

/**
 * @since 0.1.0
 * @category models
 */
export type Input = typeof Input.Type

/**
 * How something that a turn asked for ended: with a value, with a failure of the library, with a defect, or not at all
 * because the turn was stopped before.
 *
 * @since 0.1.0
 * @category schemas
 */
export const End = Schema.Union(
  Schema.TaggedStruct("Gave", { value: Json }),
  Schema.TaggedStruct("Failed", { error: JsonObject }),
  Schema.TaggedStruct("Died", { message: Schema.String }),
  Schema.TaggedStruct("Stopped", {
    /** What a model had said by then. */
    said: optional(Schema.String)
  })
).annotations({ identifier: "TurnEntryEnd" })

/**
 * @since 0.1.0
 * @category models
 */
export type End = typeof End.Type

/** What each attempt at a model used, as `ModelObserver` was told. */
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

/**
 * @since 0.1.0
 * @category models
 */
export type Used = typeof Used.Type

const used = Schema.Array(Used)

const marks = Schema.Record({ key: Schema.String, value: Schema.Number })

/**
 * One question to the understanding. What was asked is kept by its names, each with a mark that changes when its words do.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Understood = Schema.Struct({
  asked: Schema.Struct({ flows: marks, fields: marks, conditions: marks, signals: marks }),
  /** Asked after the agent had answered. */
  afterwards: optional(Schema.Literal(true)),
  used,
  end: End
}).annotations({ identifier: "TurnEntryUnderstood" })

/**
 * @since 0.1.0
 * @category models
 */
export type Understood = typeof Understood.Type

/**
 * One question to a model.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Spoken = Schema.Struct({
  purpose: Schema.String,
  /** Changes when anything that the model was told, or offered, does. */
  asked: Schema.Number,
  /** Asked before it was known whether the answer is wanted; and whether it was, when the call ended. */
  speculative: optional(Schema.Literal("wanted", "open")),
  used,
  end: End
}).annotations({ identifier: "TurnEntrySpoken" })

/**
 * @since 0.1.0
 * @category models
 */
export type Spoken = typeof Spoken.Type

/**
 * What a tool call gave.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ToolGave = Schema.Union(
  Schema.TaggedStruct("ToolResult", {
    ...gave,
    directive: optional(JsonObject)
  }),
  Schema.TaggedStruct("ApprovalNeeded", {
    args: Json,
    fingerprint: Schema.String,
    editable: Schema.Boolean,
    role: optional(Schema.String),
    reason: optional(Schema.String),
    expiresAfter: optional(Schema.DurationFromMillis)
  })
).annotations({ identifier: "TurnEntryToolGave" })

/**
 * One tool call, in the order in which calls ended.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Called = Schema.Struct({
  callId: Schema.String,
  toolId: Schema.String,
  params: Json,
  /** The tool as it was: another one is asked by its gates before what is recorded counts. */
  fingerprint: Schema.String,
  /** What its handler dispatched and wrote, in order. */
  dispatched: Schema.Array(JsonObject),
  end: End
}).annotations({ identifier: "TurnEntryCalled" })

/**
 * @since 0.1.0
 * @category models
 */
export type Called = typeof Called.Type

const Message = Schema.Struct({ seq: Schema.Int, message: JsonObject, createdAt: Schema.String })

/**
 * One write to the store.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Written = Schema.Struct({
  session: JsonObject,
  messages: Schema.Array(Message),
  /** The error that the store refused it with. */
  refused: optional(JsonObject)
}).annotations({ identifier: "TurnEntryWritten" })

/**
 * @since 0.1.0
 * @category models
 */
export type Written = typeof Written.Type

/**
 * One turn. Times are milliseconds since 1970.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TurnEntry = Schema.Struct({
  format: Schema.Literal(1),
  agent: Schema.String,
  sessionId: Schema.String,
  /** The version of the session that the turn began with; 0 for a new one. */
  from: Schema.Int,
  /**
   * The session that the turn found, where it is not what the log's turn before it left: the log began later, or something
   * else wrote to the session, or removed it.
   */
  before: optional(Schema.Struct({ session: Schema.NullOr(JsonObject), messages: Schema.Array(Message) })),
  input: Input,
  /** What the clock said each time it was asked: the first time, then how much later. */
  clock: Schema.Array(Schema.Number),
  /** What the turn's random numbers were made from. */
  seed: Schema.Int,
  /** The ids that were made, in order. */
  ids: Schema.Array(Schema.String),
  /** What the agent's `contextProvider` gave. */
  context: optional(End),
  /** What the store had in the journal of this turn. */
  journal: optional(Schema.Array(JsonObject)),
  /** The summary of the conversation that came while the turn ran. */
  summary: optional(JsonObject),
  /** The last summary had failed. */
  unsummarized: optional(Schema.Literal(true)),
  understood: Schema.Array(Understood),
  spoken: Schema.Array(Spoken),
  called: Schema.Array(Called),
  /** The steps that were entered, as `flow/step`. */
  steps: Schema.Array(Schema.String),
  written: Schema.Array(Written),
  /** How the turn ended: `answered`, `interrupted` by its caller, `gone` with its reader, or the tag of its failure. */
  end: Schema.String,
  /** What was said. */
  reply: Schema.String,
  /** The whole turn, encrypted; the other fields say no more than which session and whose it is, and when it began. */
  sealed: optional(JsonObject)
}).annotations({ identifier: "TurnEntry" })

/**
 * @since 0.1.0
 * @category models
 */
export type TurnEntry = typeof TurnEntry.Type

/**
 * A turn as it is kept.
 *
 * @since 0.1.0
 * @category models
 */
export type Encoded = typeof TurnEntry.Encoded

const decodeEntry = Decode.either(TurnEntry)

/**
 * Reads one entry; `Left` says what is wrong with it.
 *
 * @since 0.1.0
 * @category decoding
 */
export const decode = (u: unknown): Either.Either<TurnEntry, string> =>
  Either.mapLeft(decodeEntry(u), (error) => complaints(error))

/**
 * Reads one line of a log.
 *
 * @since 0.1.0
 * @category decoding
 */
export const parse = (line: string): Either.Either<TurnEntry, string> =>
  Either.flatMap(
    Either.try({ try: (): unknown => JSON.parse(line), catch: () => "it is not JSON" }),
    decode
  )
