/**
 * What is laid over a graph: where a session is, and how often parts were visited.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { Session } from "../Session.js"
import type { Graph, Mark } from "./Model.js"

/**
 * How often each part was visited: flows by id, steps as `flow/step`, branches by the id their condition is asked by.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Coverage = Schema.Struct({
  flows: Schema.Record({ key: Schema.String, value: Schema.Number }),
  steps: Schema.Record({ key: Schema.String, value: Schema.Number }),
  branches: Schema.Record({ key: Schema.String, value: Schema.Number })
}).annotations({ identifier: "Coverage" })

/**
 * @since 0.1.0
 * @category models
 */
export type Coverage = typeof Coverage.Type

/** The parts of a session that say where it is. */
type Position = Pick<Session<never, never>, "currentFlow" | "currentStep" | "suspended" | "flowHistory">

/**
 * Marks where a session is, what waits in it, and the flows it has been in. A session does not keep its steps: pass
 * those of `response.executedSteps` that are to be marked too.
 *
 * @since 0.1.0
 * @category overlays
 */
export const withSession = (
  graph: Graph,
  { currentFlow, currentStep, flowHistory, suspended }: Position,
  executed: ReadonlyArray<{ readonly flowId: string; readonly stepId: string }> = []
): Graph => {
  const flows = new Map<string, Mark>()
  const steps = new Map<string, Mark>()
  for (const { flowId } of flowHistory) flows.set(flowId, "visited")
  for (const { flowId, stepId } of executed) {
    flows.set(flowId, "visited")
    steps.set(`${flowId}/${stepId}`, "visited")
  }
  for (const { flow, step } of suspended) {
    flows.set(flow.id, "suspended")
    if (step !== undefined) steps.set(`${flow.id}/${step.id}`, "suspended")
  }
  if (currentFlow !== undefined) {
    flows.set(currentFlow.id, "current")
    if (currentStep !== undefined) steps.set(`${currentFlow.id}/${currentStep.id}`, "current")
  }
  const marked = <A extends { readonly id: string }>(part: A, marks: ReadonlyMap<string, Mark>): A => {
    const mark = marks.get(part.id)
    return mark === undefined ? part : { ...part, mark }
  }
  return {
    ...graph,
    flows: graph.flows.map((flow) => marked(flow, flows)),
    steps: graph.steps.map((step) => marked(step, steps))
  }
}

/**
 * Writes to each part how often it was visited; one that the record does not name was never visited.
 *
 * @since 0.1.0
 * @category overlays
 */
export const withCoverage = (graph: Graph, { branches, flows, steps }: Coverage): Graph => {
  const count = (counts: Readonly<Record<string, number>>, id: string) => Object.hasOwn(counts, id) ? counts[id]! : 0
  const isStep = (kind: string) => kind === "llm" || kind === "auto" || kind === "reply" || kind === "call"
  return {
    ...graph,
    flows: graph.flows.map((flow) => ({ ...flow, count: count(flows, flow.id) })),
    steps: graph.steps.map((step) => isStep(step.kind) ? { ...step, count: count(steps, step.id) } : step),
    edges: graph.edges.map((edge) => edge.kind === "branch" ? { ...edge, count: count(branches, edge.id) } : edge)
  }
}
