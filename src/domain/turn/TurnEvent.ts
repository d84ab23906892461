/**
 * What happens in a turn, as it happens. A Schema union: it encodes to JSON and back.
 *
 * @since 0.1.0
 */
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

const common = [
  Schema.TaggedStruct("TurnStarted", {
    sessionId: Schema.String,
    /** The life of the session that the turn is of; see `Session.epochOf`. */
    epoch: optional(Schema.String),
    messageId: optional(Schema.String),
    /** What happened, when the turn answers no message. */
    event: optional(Schema.String)
  }),
  Schema.TaggedStruct("Understood", {
    flowScores: Schema.Record({ key: OwnKey, value: Schema.Number }),
    conditions: Schema.Record({ key: OwnKey, value: Schema.Boolean })
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
  /** The call waits for a person: it ends in a later turn, when somebody has decided. */
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
  /** A guardrail blocked something, or took something out. */
  Schema.TaggedStruct("GuardrailTripped", { tripped: Tripped }),
  /** The text so far is void; this is the message. */
  Schema.TaggedStruct("MessageReplaced", { message: Schema.String }),
  Schema.TaggedStruct("FlowCompleted", { flowId: Schema.String }),
  /** Fields were forgotten: the user took them back, or a directive cleared them. */
  Schema.TaggedStruct("DataCleared", { fields: Schema.Array(Schema.String), reason: Schema.String }),
  /** A directive left the flow uncompleted; without `flowId` no flow was active. */
  Schema.TaggedStruct("FlowAborted", { flowId: optional(Schema.String), reason: Schema.String }),
  Schema.TaggedStruct("DirectiveApplied", { source: Schema.String, phase: DirectivePhase }),
  /** A person has the floor, or is to take it. */
  Schema.TaggedStruct("HandedOver", { by: optional(Person), reason: optional(Schema.String) }),
  /** The user said something while a person has the floor. */
  Schema.TaggedStruct("UserSaid", { text: Schema.String }),
  /** The person who has the floor said something, outside of any turn: only `feed` gives it. */
  Schema.TaggedStruct("PersonSaid", { by: Person, text: Schema.String }),
  /** The agent has the floor again. */
  Schema.TaggedStruct("Released", {}),
  /**
   * A job tells how far it is, outside of any turn: only `feed` gives it. `seq` counts from 1 in each run of the job.
   */
  Schema.TaggedStruct("JobProgress", {
    jobId: Schema.String,
    job: Schema.String,
    run: Schema.Int,
    seq: Schema.Int,
    value: Json
  }),
  /**
   * The session was taken back to the end of this turn, 0 for before the first: what was said since is no longer part of
   * it. Only `feed` gives it.
   */
  Schema.TaggedStruct("SessionRewound", { turn: Schema.Int, version: Schema.Int }),
  /** The caller stopped the turn; `message` is what had been said. */
  Schema.TaggedStruct("Interrupted", { message: Schema.String }),
  /** The turn failed and left no trace; the last event. The error's tag, and what it says to people. */
  Schema.TaggedStruct("TurnFailed", { error: Schema.Struct({ _tag: Schema.String, message: Schema.String }) })
] as const

type Common = typeof common[number]["Type"]

/**
 * @since 0.1.0
 * @category models
 */
export type TurnEvent<D = Record<string, unknown>, C = Record<string, unknown>> =
  | Common
  | { readonly _tag: "DataCollected"; readonly data: Partial<D> }
  | { readonly _tag: "TurnCompleted"; readonly response: TurnResponse<D, C> }

/**
 * The Schema of events of an agent with the given data and context.
 *
 * @since 0.1.0
 * @category schemas
 */
export const schema = <D, DI, C, CI>(
  data: Schema.Schema<D, DI>,
  context: Schema.Schema<C, CI>
): Schema.Schema<TurnEvent<D, C>, JsonObject> =>
  Schema.Union(
    ...common,
    Schema.TaggedStruct("DataCollected", { data: loose(data) }),
    Schema.TaggedStruct("TurnCompleted", { response: responseSchema<D, DI, C, CI>(data, context) })
    // The encoded side of every member is JSON; the union infers the same types as the published one.
  ).annotations({ identifier: "TurnEvent" }) as never

/**
 * The text a consumer shows after the given events: the deltas joined, or what replaced them.
 *
 * @since 0.1.0
 * @category folding
 */
export const message = <D, C>(events: Iterable<TurnEvent<D, C>>): string => {
  let text = ""
  for (const event of events) {
    if (event._tag === "TextDelta") text += event.text
    else if (event._tag === "MessageReplaced") text = event.message
  }
  return text
}
