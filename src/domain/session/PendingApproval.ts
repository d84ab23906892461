/**
 * A turn that stopped because some of its tool calls wait for a person: what was asked, what was decided so far, and what the
 * turn needs to go on.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Json, JsonObject } from "../base/Json.js"
import * as Directive from "../directive/Directive.js"
import { optional } from "../fields/Fields.js"
import { Binding, Decision } from "./Approval.js"
import { ToolCallRecord } from "./ToolCall.js"

/**
 * A tool call that waits for a person.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ApprovalRequest = Schema.Struct({
  /** The request's own id; no other request has it, in any session. `agent.approve` takes it. */
  id: Schema.String,
  /** The call, as in events and records. No other request of this session ever has the same. */
  callId: Schema.String,
  toolId: Schema.String,
  /** The arguments as the model gave them. */
  params: Json,
  /** The arguments as they were decoded and corrected: what the handler will see, as JSON. A decision is about these. */
  args: Json,
  reason: optional(Schema.String),
  requestedAt: Schema.DateTimeUtc,
  /** From then on the request can no longer be approved. */
  expiresAt: optional(Schema.DateTimeUtc),
  /** Whose turn it was, when that is known. */
  requestedBy: optional(Schema.String),
  /** Whether the decision may carry other arguments. */
  editable: optional(Schema.Literal(true)),
  /** `"user"`: it is asked in the conversation, and a message can answer it. */
  by: optional(Schema.Literal("user")),
  /** What is asked of whoever decides. */
  question: optional(Schema.String),
  /** The role that whoever decides must have. */
  role: optional(Schema.String)
}).annotations({ identifier: "ApprovalRequest" })

/**
 * @since 0.1.0
 * @category models
 */
export type ApprovalRequest = typeof ApprovalRequest.Type

/**
 * Whether somebody with these roles may decide it.
 *
 * @since 0.2.0
 * @category guards
 */
export const mayDecide = ({ role }: Pick<ApprovalRequest, "role">, roles: ReadonlyArray<string> = []): boolean =>
  role === undefined || roles.includes(role)

const pendingShape = {
  /** The calls that were asked for, each with what it was bound to. */
  requests: Schema.Array(Schema.Struct({ ...ApprovalRequest.fields, binding: Binding })),
  /** What was decided so far, by request. */
  decisions: Schema.Array(Schema.Struct({
    id: Schema.String,
    ...Decision.fields,
    decidedAt: Schema.DateTimeUtc,
    /** The user said so in a message. */
    via: optional(Schema.Literal("user"))
  })),
  /** The flow made the call, and not the model: it stands in no transcript. */
  byFlow: optional(Schema.Literal(true)),
  /** What tells the flow's call from equal ones of the turn. */
  mark: optional(Schema.String),
  /** Where the call was made; absent when no flow was active. */
  at: optional(Schema.Struct({ flowId: Schema.String, stepId: Schema.String })),
  /** What the turn said stands in the transcript already, because the user was asked or told something in it. */
  told: optional(Schema.Literal(true)),
  /** The request that the last message of the agent asked the user about. */
  asking: optional(Schema.String),
  /** Somebody runs what was approved, and nobody else may until then. */
  claim: optional(Schema.Struct({ id: Schema.String, until: Schema.DateTimeUtc })),
  /** The user's message that began the turn. */
  message: Schema.String,
  /** The idempotency key of that message, if it had one. */
  messageId: optional(Schema.String),
  /** The turn's transcript so far, ending with the round's assistant message. */
  transcript: Schema.Array(JsonObject),
  /** The records of the calls that have run, in call order. */
  records: Schema.Array(ToolCallRecord),
  /** Which round of the tool loop waits, from 1. */
  round: Schema.Int,
  /** What was already said. */
  said: Schema.String,
  /** Lines appended to this turn's prompt. */
  appendPrompt: Schema.Array(Schema.String),
  requestedAt: Schema.DateTimeUtc
}

/**
 * The most call ids in `askedCalls`; once there are as many, every call gets an id of the library's own.
 *
 * @since 0.1.0
 * @category models
 */
export const maxAskedCalls = 500

/**
 * The requests of a stopped turn that nobody has decided yet, as they are shown.
 *
 * @since 0.1.0
 * @category getters
 */
export const openRequests = ({ decisions, requests }: Pick<PendingApproval, "decisions" | "requests">) =>
  requests.flatMap(({ binding: _, ...request }): ReadonlyArray<ApprovalRequest> =>
    decisions.some(({ id }) => id === request.id) ? [] : [request]
  )

/**
 * Everything a stopped turn needs to go on, also in another process.
 *
 * @since 0.1.0
 * @category models
 */
export interface PendingApproval<D = Record<string, unknown>, C = Record<string, unknown>>
  extends Schema.Struct.Type<typeof pendingShape>
{
  /** The context the turn began with; it goes on with it. */
  readonly context?: Partial<C>
  /** Moves and replies of the calls that have run: they count when the round is over. */
  readonly emissions: ReadonlyArray<{ readonly source: string; readonly directive: Directive.Directive<D, C> }>
}

/** Of an agent with the given data and context. */
export const schema = <DA, DI, CA, CI>(data: Schema.Schema<DA, DI>, context: Schema.Schema<CA, CI>) =>
  Schema.Struct({
    ...pendingShape,
    context: optional(context),
    emissions: Schema.Array(Schema.Struct({ source: Schema.String, directive: Directive.schema(data, context) }))
  }).annotations({ identifier: "PendingApproval" })
