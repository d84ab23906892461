/**
 * One answer.
 *
 * @since 0.1.0
 */
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
 * Why the turn ended where it did.
 *
 * - `needs_input`: a step spoke and waits for the user.
 * - `last_step`: the same, and it is the flow's last step.
 * - `completed`: a flow completed and no other step spoke after it.
 * - `aborted`: a directive or the caller ended it.
 * - `goto`, `reset`: a directive moved the conversation after the answer; the target speaks in the next turn.
 * - `reply`, `halt`: a directive or a guardrail gave the answer, or a directive forbade one.
 * - `idle`: no flow was active.
 * - `max_tool_rounds`: the model wanted more tools than allowed and was asked to answer without.
 * - `needs_approval`: a tool call waits for a person.
 * - `handled`: an event came, and gave no reason to speak.
 * - `handed_over`: a person has the floor, or is to take it: the agent says nothing by itself.
 *
 * @since 0.1.0
 * @category models
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

/**
 * @since 0.1.0
 * @category models
 */
export type StoppedReason = typeof StoppedReason.Type

/**
 * Where an emission came from in the order of the turn.
 *
 * @since 0.1.0
 * @category models
 */
export const DirectivePhase = Schema.Literal("pending", "pre", "post", "signal-pre", "signal-post", "branch")

/**
 * @since 0.1.0
 * @category models
 */
export type DirectivePhase = typeof DirectivePhase.Type

const tokens = {
  /** Those read from a cache included. */
  inputTokens: Schema.Number,
  outputTokens: Schema.Number,
  cachedInputTokens: Schema.Number,
  /** By the price table; absent when no model asked has a price. */
  cost: optional(Schema.Number)
}

/**
 * A page or a document that an answer rests on; without `url` it has no address.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Source = Schema.Struct({ title: Schema.String, url: optional(Schema.String) })
  .annotations({ identifier: "Source" })

/**
 * What a model did in one call, as far as its provider says so.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Doing = {
  /** The provider's id of the answer. */
  responseId: optional(Schema.String),
  /** What the model thought before it spoke. */
  reasoning: optional(Schema.String),
  /** What the answer rests on, when the provider looked something up. */
  sources: optional(Schema.Array(Source)),
  /** How many of the output tokens went into thinking. */
  reasoningTokens: optional(Schema.Number),
  /** How many of the input tokens were written to the provider's cache. */
  cacheWriteTokens: optional(Schema.Number)
}

/**
 * One attempt at a model call: what for, of which model, what it took.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CallUsage = Schema.Struct({
  purpose: Purpose,
  /** The alias or name of the model. */
  model: Schema.String,
  ...tokens,
  /** Why the model stopped: `stop`, `length`, `tool-calls`, …; `error` or `interrupted` when there is no answer. */
  finishReason: optional(Schema.String),
  ...Doing,
  failure: optional(Schema.Struct({ reason: GenerationFailureReason, message: Schema.String }))
}).annotations({ identifier: "CallUsage" })

/**
 * @since 0.1.0
 * @category models
 */
export type CallUsage = typeof CallUsage.Type

/**
 * Tokens and calls of a turn. `modelCalls` counts every attempt, failed ones included; `calls` has one entry for each.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Usage = Schema.Struct({
  modelCalls: Schema.Int,
  ...tokens,
  // Responses stored before there was such a list still decode.
  calls: Schema.optionalWith(Schema.Array(CallUsage), { default: () => [] })
}).annotations({ identifier: "TurnUsage" })

/**
 * @since 0.1.0
 * @category models
 */
export type Usage = typeof Usage.Type

const AbortedFlow = Schema.Struct({ flowId: optional(Schema.String), reason: Schema.String })

const Rejected = Schema.Struct({ field: Schema.String, value: Json, message: Schema.String })

const AppliedInstruction = Schema.Struct({
  id: Schema.String,
  scope: Schema.Literal("agent", "flow", "step"),
  /** The flow's id, or `flow/step`. */
  scopeRef: optional(Schema.String)
})

/**
 * Something worth knowing that did not change the answer: a defect in a predicate, a failed attempt, a resolved conflict.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TraceEntry = Schema.Struct({
  kind: Schema.String,
  source: Schema.String,
  message: Schema.String
}).annotations({ identifier: "TraceEntry" })

/**
 * @since 0.1.0
 * @category models
 */
export type TraceEntry = typeof TraceEntry.Type

/**
 * How far a flow is. `required` are its `requiredFields`, or, where it names none, the fields that its steps collect, in their
 * order; `completed` are those of them that are known. A struct counts by the parts that it needs, as `address.zip`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Progress = Schema.Struct({
  flow: Schema.String,
  completed: Schema.Array(Schema.String),
  required: Schema.Array(Schema.String)
}).annotations({ identifier: "Progress" })

/**
 * @since 0.1.0
 * @category models
 */
export type Progress = typeof Progress.Type

const shape = <DA, DI, CA, CI>(data: Schema.Schema<DA, DI>, context: Schema.Schema<CA, CI>) => ({
  message: Schema.String,
  stoppedReason: StoppedReason,
  isFlowComplete: Schema.Boolean,
  completedFlows: Schema.Array(Schema.String),
  /** What directives aborted, each with the reason; without `flowId` no flow was active. */
  abortedFlows: Schema.optionalWith(Schema.Array(AbortedFlow), { default: () => [] }),
  executedSteps: Schema.Array(Schema.Struct({ flowId: Schema.String, stepId: Schema.String })),
  toolCalls: Schema.Array(ToolCallRecord),
  /** The files that tools gave, in the order of their calls, after those of a `ToolExec` job whose result the turn tells. */
  files: Schema.optionalWith(Schema.Array(FileOfCall), { default: () => [] }),
  rejected: Schema.Array(Rejected),
  /** The fields that were forgotten, because the user took them back or a directive cleared them. */
  cleared: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  /** The guardrails that blocked something, or took something out. */
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
  /** How far the flow is that has the floor after the turn; absent when none has it. */
  progress: optional(Progress),
  /** What the step that waits still needs, for a page to draw; absent when it needs nothing and offers nothing. */
  expects: optional(Form),
  approvals: Schema.Array(Session.ApprovalRequest),
  usage: Usage,
  trace: Schema.Array(TraceEntry)
})

type Shape = Schema.Struct.Type<ReturnType<typeof shape<object, object, object, object>>>

/**
 * What a turn answered, and everything it did.
 *
 * @since 0.1.0
 * @category models
 */
export interface TurnResponse<D = Record<string, unknown>, C = Record<string, unknown>>
  extends Omit<Shape, "directiveChain">
{
  /** The session as committed. */
  readonly session: Session.Session<D, C>
  /** The fields written in this turn. */
  readonly collected: Partial<D>
  /** Every directive emitted, in order; those that lost keep `applied: false`. */
  readonly directiveChain: ReadonlyArray<
    Omit<Shape["directiveChain"][number], "directive"> & { readonly directive: Directive.Directive<D, C> }
  >
}

/**
 * The Schema of responses of an agent with the given data and context.
 *
 * @since 0.1.0
 * @category schemas
 */
export const schema = <D, DI, C, CI>(
  data: Schema.Schema<D, DI>,
  context: Schema.Schema<C, CI>
): Schema.Schema<TurnResponse<D, C>, JsonObject> =>
  Schema.Struct({
    ...shape(loose(data), loose(context)),
    session: Session.schema<D, DI, C, CI>(data, context),
    collected: loose(data)
    // The struct infers the same shape; the interface is the published one. Its encoded side is JSON.
  }).annotations({ identifier: "TurnResponse" }) as never
