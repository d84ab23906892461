/** The response of one turn. */
import * as Schema from "effect/Schema"
import { Form } from "../authored/Form.js"
import { Tripped } from "../authored/Guardrail.js"
import { SignalFiring } from "../authored/Signal.js"
import { ToolCallRecord } from "../authored/Tool.js"
import { GenerationFailureReason, Purpose } from "../base/error/Errors.js"
import { Json, type JsonObject } from "../base/Json.js"
import * as Directive from "../directive/Directive.js"
import { loose, optional } from "../fields/Fields.js"
import { FileOfCall } from "../session/part/ToolFile.js"
import * as Session from "../session/Session.js"

/**
 * Why the turn ended.
 *
 * - `needs_input`: a step spoke and waits for the user.
 * - `last_step`: the same, and it is the flow's last step.
 * - `completed`: a flow completed and no other step spoke after it.
 * - `aborted`: a directive or the caller ended it.
 * - `goto`, `reset`: a directive moved the conversation after the reply; the target speaks in the next turn.
 * - `reply`, `halt`: a directive or a guardrail gave the reply, or a directive forbade one.
 * - `idle`: no flow was active.
 * - `max_tool_rounds`: the model wanted more rounds of tool calls than allowed, and was asked to answer without
 *   further calls.
 * - `needs_approval`: a tool call waits for a person.
 * - `handled`: an event was handled without a reply.
 * - `handed_over`: a person has the conversation, or the agent waits for one; the agent is silent.
 */
export const StoppedReason = Schema.Literal(
  "needs_input",
  "last_step",
  "completed",
  "aborted",
  "goto",
  "reset",
  "halt",
  "reply",
  "idle",
  "max_tool_rounds",
  "needs_approval",
  "handled",
  "handed_over"
)

export type StoppedReason = typeof StoppedReason.Type

/** The phase of the turn in which a directive was emitted. */
export const DirectivePhase = Schema.Literal("pending", "pre", "post", "signal-pre", "signal-post", "branch")

export type DirectivePhase = typeof DirectivePhase.Type

/** True if the phase runs after the model has spoken, when directives can no longer change its reply. */
export const isPost = (phase: DirectivePhase): boolean => phase === "post" || phase === "signal-post"

const tokens = {
  /** Number of input tokens, including tokens read from a cache. */
  inputTokens: Schema.Number,
  outputTokens: Schema.Number,
  cachedInputTokens: Schema.Number,
  /** Cost by the price table; absent if no called model has a price. */
  cost: optional(Schema.Number)
}

/** A page or document on which an answer is based; without `url` if it has none. */
export const Source = Schema.Struct({ title: Schema.String, url: optional(Schema.String) })
  .annotations({ identifier: "Source" })

/** Details of one model call, as far as the provider reports them. */
export const Doing = {
  /** The provider's id of the response. */
  responseId: optional(Schema.String),
  /** The model's reasoning before its answer. */
  reasoning: optional(Schema.String),
  /** The sources of the answer, if the provider looked something up. */
  sources: optional(Schema.Array(Source)),
  /** Number of output tokens used for reasoning. */
  reasoningTokens: optional(Schema.Number),
  /** Number of input tokens written to the provider's cache. */
  cacheWriteTokens: optional(Schema.Number)
}

/** One attempt at a model call: its purpose, model and usage. */
export const CallUsage = Schema.Struct({
  purpose: Purpose,
  /** The alias or name of the model. */
  model: Schema.String,
  ...tokens,
  /**
   * The reason why the model stopped: `stop`, `length`, `tool-calls`, …; `error` or `interrupted` if there is no
   * answer.
   */
  finishReason: optional(Schema.String),
  ...Doing,
  failure: optional(Schema.Struct({ reason: GenerationFailureReason, message: Schema.String }))
}).annotations({ identifier: "CallUsage" })

export type CallUsage = typeof CallUsage.Type

/**
 * Tokens and calls of a turn. `modelCalls` counts every attempt, including failed ones; `calls` has one entry for each.
 */
export const Usage = Schema.Struct({
  modelCalls: Schema.Int,
  ...tokens,
  // The default is for stored responses of versions without this field.
  calls: Schema.optionalWith(Schema.Array(CallUsage), { default: () => [] })
}).annotations({ identifier: "TurnUsage" })

export type Usage = typeof Usage.Type

const AbortedFlow = Schema.Struct({ flowId: optional(Schema.String), reason: Schema.String })

const Rejected = Schema.Struct({ field: Schema.String, value: Json, message: Schema.String })

const AppliedInstruction = Schema.Struct({
  id: Schema.String,
  scope: Schema.Literal("agent", "flow", "step"),
  /** The id of the flow, or `flow/step`. */
  scopeRef: optional(Schema.String)
})

/** A noteworthy fact that did not change the answer: a defect in a predicate, a failed attempt, a resolved conflict. */
export const TraceEntry = Schema.Struct({
  kind: Schema.String,
  source: Schema.String,
  message: Schema.String
}).annotations({ identifier: "TraceEntry" })

export type TraceEntry = typeof TraceEntry.Type

/**
 * Progress of a flow. `required` are its `requiredFields` or, without those, the fields that its steps collect, in
 * order; `completed` are the known ones among them. A struct is listed by its required parts, such as `address.zip`.
 */
export const Progress = Schema.Struct({
  flow: Schema.String,
  completed: Schema.Array(Schema.String),
  required: Schema.Array(Schema.String)
}).annotations({ identifier: "Progress" })

export type Progress = typeof Progress.Type

const shape = <DA, DI, CA, CI>(data: Schema.Schema<DA, DI>, context: Schema.Schema<CA, CI>) => ({
  message: Schema.String,
  stoppedReason: StoppedReason,
  isFlowComplete: Schema.Boolean,
  completedFlows: Schema.Array(Schema.String),
  /** Flows aborted by directives, with the reasons; without `flowId`, no flow was active. */
  abortedFlows: Schema.optionalWith(Schema.Array(AbortedFlow), { default: () => [] }),
  executedSteps: Schema.Array(Schema.Struct({ flowId: Schema.String, stepId: Schema.String })),
  toolCalls: Schema.Array(ToolCallRecord),
  /** The files returned by tools, in call order. Files of a `ToolExec` job whose result the turn reports come first. */
  files: Schema.optionalWith(Schema.Array(FileOfCall), { default: () => [] }),
  rejected: Schema.Array(Rejected),
  /** The fields that were cleared, because the user withdrew them or a directive cleared them. */
  cleared: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  /** The guardrails that blocked or rewrote a text. */
  tripped: Schema.optionalWith(Schema.Array(Tripped), { default: () => [] }),
  appliedInstructions: Schema.Array(AppliedInstruction),
  triggeredSignals: Schema.Array(SignalFiring),
  directiveChain: Schema.Array(Schema.Struct({
    source: Schema.String,
    phase: DirectivePhase,
    directive: Directive.schema(data, context),
    applied: Schema.Boolean,
    reason: optional(Schema.String)
  })),
  /** Progress of the flow that is active after the turn; absent without an active flow. */
  progress: optional(Progress),
  /**
   * The form of the waiting step, for a page to render; absent if the step asks for no field and suggests no answers.
   */
  expects: optional(Form),
  approvals: Schema.Array(Session.ApprovalRequest),
  usage: Usage,
  trace: Schema.Array(TraceEntry)
})

type Shape = Schema.Struct.Type<ReturnType<typeof shape<object, object, object, object>>>

/** The answer of a turn, and a record of what it did. */
export interface TurnResponse<D = Record<string, unknown>, C = Record<string, unknown>>
  extends Omit<Shape, "directiveChain">
{
  /** The session as committed. */
  readonly session: Session.Session<D, C>
  /** The fields written in this turn. */
  readonly collected: Partial<D>
  /** All emitted directives, in order; a directive that was not applied has `applied: false`. */
  readonly directiveChain: ReadonlyArray<
    Omit<Shape["directiveChain"][number], "directive"> & { readonly directive: Directive.Directive<D, C> }
  >
}

/** The Schema of responses of an agent with the given data and context. */
export const schema = <D, DI, C, CI>(
  data: Schema.Schema<D, DI>,
  context: Schema.Schema<C, CI>
): Schema.Schema<TurnResponse<D, C>, JsonObject> =>
  Schema.Struct({
    ...shape(loose(data), loose(context)),
    session: Session.schema<D, DI, C, CI>(data, context),
    collected: loose(data)
    // The cast is needed, because the published type is the interface. The struct infers the same shape; its encoded
    // side is JSON.
  }).annotations({ identifier: "TurnResponse" }) as never
