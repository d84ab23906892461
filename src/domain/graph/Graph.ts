/**
 * The graph of a definition as a plain value, and its renderings.
 *
 * @example
 * ```ts
 * import { Agent } from "coxswain"
 * import * as Graph from "coxswain/graph"
 * import { Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 *
 * const graph = Graph.make(kit.agent({
 *   name: "Trips",
 *   flows: [{ title: "Plan a trip", steps: [{ id: "city", collect: ["city"] }, { id: "done", prompt: "Wish a good trip" }] }]
 * }))
 * console.log(Graph.toMermaid(graph))
 * ```
 */
export { toDot } from "./Dot.js"
export { Approval, Edge, FlowNode, Graph, Mark, StepNode } from "./GraphModel.js"
export { make } from "./Make.js"
export { toMermaid } from "./Mermaid.js"
export { Coverage, type CoveredPart, withCoverage } from "./Overlay.js"
export { withSession } from "./SessionOverlay.js"
