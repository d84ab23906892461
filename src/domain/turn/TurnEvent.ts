/** The events of a running turn: a Schema union that encodes to JSON and back. */
import * as Schema from "effect/Schema"
import { Tripped } from "../authored/Guardrail.js"
import { SignalFiring } from "../authored/Signal.js"
import { GenerationFailureReason, Purpose } from "../base/error/Errors.js"
import { Json, type JsonObject, OwnKey } from "../base/Json.js"
import { loose, optional } from "../fields/Fields.js"
import { Person } from "../session/HandOver.js"
import { ApprovalRequest } from "../session/Session.js"
import { gave } from "../session/ToolCall.js"
import { DirectivePhase, Doing, schema as responseSchema, type TurnResponse } from "./TurnResponse.js"

const Tokens = Schema.Struct({
  inputTokens: Schema.Number,
  outputTokens: Schema.Number,
  cachedInputTokens: Schema.Number
})

const Words = Schema.Record({ key: OwnKey, value: Schema.String })

const common = [
  Schema.TaggedStruct("TurnStarted", {
    sessionId: Schema.String,
    /** The epoch of the session; see `Session.epochOf`. */
    epoch: optional(Schema.String),
    /** The version of the session before the turn. If a turn is reported twice, both reports have the same version. */
    version: optional(Schema.Number),
    messageId: optional(Schema.String),
    /** Name of the event that the turn answers, if it does not answer a message. */
    event: optional(Schema.String)
  }),
  Schema.TaggedStruct("Understood", {
    flowScores: Schema.Record({ key: OwnKey, value: Schema.Number }),
    conditions: Schema.Record({ key: OwnKey, value: Schema.Boolean }),
    /** The words of the message that state values, ask for flows and say conditions, by their names. */
    words: optional(Words),
    flowWords: optional(Words),
    conditionWords: optional(Words)
  }),
  Schema.TaggedStruct("FlowEntered", { flowId: Schema.String, title: Schema.String, resumed: Schema.Boolean }),
  Schema.TaggedStruct("StepEntered", { flowId: Schema.String, stepId: Schema.String }),
  Schema.TaggedStruct("SignalFired", { firing: SignalFiring }),
  Schema.TaggedStruct("TextDelta", { text: Schema.String }),
  Schema.TaggedStruct("ReasoningDelta", { text: Schema.String }),
  Schema.TaggedStruct("ToolCallStarted", { id: Schema.String, name: Schema.String, params: Json }),
  Schema.TaggedStruct("ToolProgress", { id: Schema.String, name: Schema.String, progress: Json }),
  Schema.TaggedStruct("ToolCallCompleted", {
    id: Schema.String,
    name: Schema.String,
    ...gave
  }),
  /** The call waits for a person; it ends in a later turn, after the decision. */
  Schema.TaggedStruct("ApprovalRequested", { request: ApprovalRequest }),
  Schema.TaggedStruct("ModelCallFinished", {
    purpose: Purpose,
    model: Schema.String,
    finishReason: Schema.String,
    failure: optional(Schema.Struct({ reason: GenerationFailureReason, message: Schema.String })),
    usage: Tokens,
    ...Doing,
    cost: optional(Schema.Number)
  }),
  /** A guardrail blocked or rewrote a text. */
  Schema.TaggedStruct("GuardrailTripped", { tripped: Tripped }),
  /** The message that replaces all text of the turn so far. */
  Schema.TaggedStruct("MessageReplaced", { message: Schema.String }),
  Schema.TaggedStruct("FlowCompleted", { flowId: Schema.String }),
  /** Fields were cleared: the user withdrew them, or a directive cleared them. */
  Schema.TaggedStruct("DataCleared", { fields: Schema.Array(Schema.String), reason: Schema.String }),
  /** A directive left the flow uncompleted; without `flowId`, no flow was active. */
  Schema.TaggedStruct("FlowAborted", { flowId: optional(Schema.String), reason: Schema.String }),
  Schema.TaggedStruct("DirectiveApplied", { source: Schema.String, phase: DirectivePhase }),
  /** A person has the conversation, or the agent waits for one. */
  Schema.TaggedStruct("HandedOver", { by: optional(Person), reason: optional(Schema.String) }),
  /** The user's message as it is stored: after the guardrails that rewrite it, with the files. */
  Schema.TaggedStruct("UserSaid", {
    text: Schema.String,
    files: optional(Schema.Array(Schema.Struct({
      name: Schema.String,
      mediaType: Schema.String,
      /** Id in the `BlobStore`. */
      ref: optional(Schema.String),
      url: optional(Schema.String)
    })))
  }),
  /** The person who has the conversation said something, outside any turn; only in `feed`. */
  Schema.TaggedStruct("PersonSaid", { by: Person, text: Schema.String }),
  /** The agent has the conversation again. */
  Schema.TaggedStruct("Released", {}),
  /** Progress of a job, outside any turn; only in `feed`. `seq` counts from 1 in each run of the job. */
  Schema.TaggedStruct("JobProgress", {
    jobId: Schema.String,
    job: Schema.String,
    run: Schema.Int,
    seq: Schema.Int,
    value: Json
  }),
  /**
   * The session was rewound to the end of this turn (0: before the first); later messages are no longer part of it.
   * Only in `feed`.
   */
  Schema.TaggedStruct("SessionRewound", { turn: Schema.Int, version: Schema.Int }),
  /** The caller stopped the turn; `message` is the text said before that. */
  Schema.TaggedStruct("Interrupted", { message: Schema.String }),
  /**
   * The turn failed and its changes were discarded. This is the last event of the turn. It contains the error's tag and
   * message.
   */
  Schema.TaggedStruct("TurnFailed", {
    error: Schema.Struct({ _tag: Schema.String, message: Schema.String }),
    /** Id of the HTTP request that began the turn; the server's log has the failure under it. */
    requestId: optional(Schema.String)
  })
] as const

type Common = typeof common[number]["Type"]

export type TurnEvent<D = Record<string, unknown>, C = Record<string, unknown>> =
  | Common
  | { readonly _tag: "DataCollected"; readonly data: Partial<D> }
  | { readonly _tag: "TurnCompleted"; readonly response: TurnResponse<D, C> }

/** The Schema of events of an agent with the given data and context. */
export const schema = <D, DI, C, CI>(
  data: Schema.Schema<D, DI>,
  context: Schema.Schema<C, CI>
): Schema.Schema<TurnEvent<D, C>, JsonObject> =>
  Schema.Union(
    ...common,
    Schema.TaggedStruct("DataCollected", { data: loose(data) }),
    Schema.TaggedStruct("TurnCompleted", { response: responseSchema<D, DI, C, CI>(data, context) })
    // The cast is needed, because the published type is the interface. The union infers the same types; the encoded
    // side of every member is JSON.
  ).annotations({ identifier: "TurnEvent" }) as never

/** Returns the text that a client shows after the given events: the joined deltas, or their replacement. */
export const message = <D, C>(events: Iterable<TurnEvent<D, C>>): string => {
  let text = ""
  for (const event of events) {
    if (event._tag === "TextDelta") text += event.text
    else if (event._tag === "MessageReplaced") text = event.message
  }
  return text
}
