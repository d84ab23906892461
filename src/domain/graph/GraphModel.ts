/** The structure of a definition as a plain value. */
import * as Schema from "effect/Schema"
import { optional } from "../fields/Fields.js"

/**
 * Relation of a session to a part: it was there, it is there, or it is suspended there.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Mark = Schema.Literal("visited", "current", "suspended")

/**
 * @since 0.1.0
 * @category models
 */
export type Mark = typeof Mark.Type

const overlay = {
  mark: optional(Mark),
  /** Number of visits. */
  count: optional(Schema.Number)
}

/**
 * A tool whose calls need approval.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Approval = Schema.Struct({
  tool: Schema.String,
  /** The deciding role: `"user"` for the user; absent: anyone, or code decides. */
  by: optional(Schema.String),
  /** Whether every call needs approval. Otherwise code decides. */
  always: Schema.Boolean
}).annotations({ identifier: "GraphApproval" })

/**
 * @since 0.1.0
 * @category models
 */
export type Approval = typeof Approval.Type

/** The tools of the same node whose calls need approval. */
const approvals = { approvals: optional(Schema.Array(Approval)) }

/**
 * A flow.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FlowNode = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  /** Conditions in words for choosing the flow. */
  when: Schema.Array(Schema.String),
  /** Conditions in code, as source text. */
  if: Schema.Array(Schema.String),
  tools: Schema.Array(Schema.String),
  ...approvals,
  /** Conversations begin with it. */
  begins: optional(Schema.Literal(true)),
  ...overlay
}).annotations({ identifier: "GraphFlow" })

/**
 * @since 0.1.0
 * @category models
 */
export type FlowNode = typeof FlowNode.Type

/**
 * A step of a flow, or an end: `"completed"` and `"aborted"`, `"person"` for a hand-over, and `"unknown"` for a target
 * that does not exist. `"anywhere"` stands for every step of its flow, and in the flow `"*"` for the whole
 * conversation.
 *
 * @since 0.1.0
 * @category schemas
 */
export const StepNode = Schema.Struct({
  /** `flow/step`. */
  id: Schema.String,
  flow: Schema.String,
  title: Schema.String,
  kind: Schema.Literal("llm", "auto", "reply", "call", "completed", "aborted", "person", "unknown", "anywhere"),
  collect: Schema.Array(Schema.String),
  /** The collected values are read back, and the conversation waits for a yes. */
  confirms: optional(Schema.Literal(true)),
  requires: Schema.Array(Schema.String),
  tools: Schema.Array(Schema.String),
  /** The only tools of its flow and its agent that are offered here. */
  onlyTools: optional(Schema.Array(Schema.String)),
  /** The tool that the flow itself calls here. */
  calls: optional(Schema.String),
  ...approvals,
  /** Whether the conversation waits here for the user. */
  waits: Schema.Boolean,
  /** The condition it waits for besides its fields. */
  until: optional(Schema.String),
  /** The flow stays at it. */
  stays: optional(Schema.Literal(true)),
  /** Events and timers whose handlers do not leave the position, as far as that can be read. */
  hears: optional(Schema.Array(Schema.String)),
  /** With coverage: how often a handler of an event, a timer or a signal ran, if no single edge tells it. */
  heard: optional(Schema.Array(Schema.Struct({ handler: Schema.String, count: Schema.Number }))),
  /** Conditions for entering the step, in words or as code. */
  conditions: Schema.Array(Schema.String),
  ...overlay
}).annotations({ identifier: "GraphStep" })

/**
 * @since 0.1.0
 * @category models
 */
export type StepNode = typeof StepNode.Type

/**
 * A way from one step to another: the next in order, a branch, an event, a timer, a signal, or the flow after a
 * completion.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Edge = Schema.Struct({
  /** For a branch: the id under which its condition is judged. */
  id: Schema.String,
  from: Schema.String,
  to: Schema.String,
  kind: Schema.Literal("next", "branch", "event", "timer", "signal", "follows"),
  /** Whether it leads into another flow. */
  jump: Schema.Boolean,
  /** Its condition; empty without one. */
  label: Schema.String,
  /** For an event, a timer or a signal: the name of its handler in coverage. */
  handler: optional(Schema.String),
  /** Code decides each time whether it is taken. */
  code: optional(Schema.Literal(true)),
  ...overlay
}).annotations({ identifier: "GraphEdge" })

/**
 * @since 0.1.0
 * @category models
 */
export type Edge = typeof Edge.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const Graph = Schema.Struct({
  agent: Schema.String,
  tools: Schema.Array(Schema.String),
  ...approvals,
  flows: Schema.Array(FlowNode),
  steps: Schema.Array(StepNode),
  edges: Schema.Array(Edge)
}).annotations({ identifier: "Graph" })

/**
 * @since 0.1.0
 * @category models
 */
export type Graph = typeof Graph.Type
