/**
 * What is laid over a graph: where a session is, and how often parts were visited.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { Session } from "../Session.js"
import type { Edge, Graph, Mark, StepNode } from "./Model.js"

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
 * One part of a definition, and in how many turns it was come through: what `coxswain/testing` reports.
 *
 * @since 0.1.0
 * @category models
 */
export interface CoveredPart {
  /** `"flow"`, `"step"` or `"branch"`; other parts are not counted on a graph. */
  readonly kind: string
  readonly name: string
  readonly turns: number
}

const countsOf = (parts: ReadonlyArray<CoveredPart>): Coverage => {
  const of = (wanted: string) =>
    Object.fromEntries(parts.flatMap(({ kind, name, turns }) => kind === wanted ? [[name, turns]] : []))
  return { flows: of("flow"), steps: of("step"), branches: of("branch") }
}

const isStep = ({ kind }: StepNode): boolean => kind === "llm" || kind === "auto" || kind === "reply" || kind === "call"

/**
 * Writes to each part how often it was visited, from counts or from the coverage of a test or a simulation. A flow, step
 * or branch that is not named was never visited, and neither was any other edge of a step that never was.
 *
 * @since 0.1.0
 * @category overlays
 */
export const withCoverage = (graph: Graph, coverage: Coverage | ReadonlyArray<CoveredPart>): Graph => {
  const { branches, flows, steps } = isList(coverage) ? countsOf(coverage) : coverage
  const count = (counts: Readonly<Record<string, number>>, id: string) => Object.hasOwn(counts, id) ? counts[id]! : 0
  const never = new Set(graph.steps.filter((step) => isStep(step) && count(steps, step.id) === 0).map(({ id }) => id))
  const edgeOf = (edge: Edge): Edge =>
    edge.kind === "branch"
      ? { ...edge, count: count(branches, edge.id) }
      : never.has(edge.from) || never.has(edge.to)
      ? { ...edge, count: 0 }
      : edge
  return {
    ...graph,
    flows: graph.flows.map((flow) => ({ ...flow, count: count(flows, flow.id) })),
    steps: graph.steps.map((step) => isStep(step) ? { ...step, count: count(steps, step.id) } : step),
    edges: graph.edges.map(edgeOf)
  }
}

/** `Array.isArray` does not know lists that are read only. */
const isList = (given: Coverage | ReadonlyArray<CoveredPart>): given is ReadonlyArray<CoveredPart> =>
  Array.isArray(given)
