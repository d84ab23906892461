/** The structure of a definition as a plain value. */
import * as Schema from "effect/Schema"
import { optional } from "../fields/Fields.js"

/** Relation of a session to a part of the graph: the session was at the part, is at it now, or is suspended at it. */
export const Mark = Schema.Literal("visited", "current", "suspended")

export type Mark = typeof Mark.Type

const overlay = {
  mark: optional(Mark),
  /** Number of visits. */
  count: optional(Schema.Number)
}

/** A tool whose calls need approval. */
export const Approval = Schema.Struct({
  tool: Schema.String,
  /** The deciding role: `"user"` for the user; absent: anyone, or code decides. */
  by: optional(Schema.String),
  /** True if every call needs approval. Otherwise code decides. */
  always: Schema.Boolean
}).annotations({ identifier: "GraphApproval" })

export type Approval = typeof Approval.Type

/** The field `approvals` of a node: the tools of the node whose calls need approval. */
const approvals = { approvals: optional(Schema.Array(Approval)) }

/** A flow. */
export const FlowNode = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  /** Conditions in words for choosing the flow. */
  when: Schema.Array(Schema.String),
  /** Conditions in code, as source text. */
  if: Schema.Array(Schema.String),
  tools: Schema.Array(Schema.String),
  ...approvals,
  /** Present if conversations begin with this flow. */
  begins: optional(Schema.Literal(true)),
  ...overlay
}).annotations({ identifier: "GraphFlow" })

export type FlowNode = typeof FlowNode.Type

/**
 * A step of a flow, or an end: `"completed"` and `"aborted"`, `"person"` for a hand-over, and `"unknown"` for a target
 * that does not exist. `"anywhere"` stands for every step of its flow, and in the flow `"*"` for the whole
 * conversation.
 */
export const StepNode = Schema.Struct({
  /** `flow/step`. */
  id: Schema.String,
  flow: Schema.String,
  title: Schema.String,
  kind: Schema.Literal("llm", "auto", "reply", "call", "completed", "aborted", "person", "unknown", "anywhere"),
  collect: Schema.Array(Schema.String),
  /** Present if the step reads the collected values back and waits for a yes. */
  confirms: optional(Schema.Literal(true)),
  requires: Schema.Array(Schema.String),
  tools: Schema.Array(Schema.String),
  /** The only tools of the flow and the agent that this step offers; absent if it offers all. */
  onlyTools: optional(Schema.Array(Schema.String)),
  /** The tool that the flow itself calls at this step. */
  calls: optional(Schema.String),
  ...approvals,
  /** True if the conversation waits at this step for the user. */
  waits: Schema.Boolean,
  /** The condition that the step waits for, in addition to its fields. */
  until: optional(Schema.String),
  /** Present if the flow stays at this step. */
  stays: optional(Schema.Literal(true)),
  /** Events and timers whose handlers keep the conversation at its position, according to the definition. */
  hears: optional(Schema.Array(Schema.String)),
  /**
   * Only with coverage: the runs of handlers (of events, timers and signals) that have no edge of their own, or
   * several.
   */
  heard: optional(Schema.Array(Schema.Struct({ handler: Schema.String, count: Schema.Number }))),
  /** Conditions for entering the step, in words or as code. */
  conditions: Schema.Array(Schema.String),
  ...overlay
}).annotations({ identifier: "GraphStep" })

export type StepNode = typeof StepNode.Type

/**
 * A way from one step to another: the next in order, a branch, an event, a timer, a signal, or the flow after a
 * completion.
 */
export const Edge = Schema.Struct({
  /** For a branch: the id under which its condition is judged. */
  id: Schema.String,
  from: Schema.String,
  to: Schema.String,
  kind: Schema.Literal("next", "branch", "event", "timer", "signal", "follows"),
  /** True if the edge leads into another flow. */
  jump: Schema.Boolean,
  /** The condition of the edge; empty if it has no condition. */
  label: Schema.String,
  /** For an event, a timer or a signal: the name of its handler in coverage. */
  handler: optional(Schema.String),
  /** Present if code decides each time whether the edge is taken. */
  code: optional(Schema.Literal(true)),
  ...overlay
}).annotations({ identifier: "GraphEdge" })

export type Edge = typeof Edge.Type

export const Graph = Schema.Struct({
  agent: Schema.String,
  tools: Schema.Array(Schema.String),
  ...approvals,
  flows: Schema.Array(FlowNode),
  steps: Schema.Array(StepNode),
  edges: Schema.Array(Edge)
}).annotations({ identifier: "Graph" })

export type Graph = typeof Graph.Type
