/**
 * What is laid over a graph: where a session is, and how often parts were visited.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Groups from "../base/Groups.js"
import { optional } from "../fields/Fields.js"
import type { Session } from "../session/Session.js"
import type { Edge, Graph, Mark, StepNode } from "./GraphModel.js"

/**
 * How often each part was visited: flows by id, steps as `flow/step`, branches by the id their condition is asked by, handlers
 * of events and times by where they stand and what they hear: `flow/step on paid`, `flow/* after 2 days`, `* on paid`, and
 * signals as handlers of the agent: `* signal angry`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Coverage = Schema.Struct({
  flows: Schema.Record({ key: Schema.String, value: Schema.Number }),
  steps: Schema.Record({ key: Schema.String, value: Schema.Number }),
  branches: Schema.Record({ key: Schema.String, value: Schema.Number }),
  handlers: optional(Schema.Record({ key: Schema.String, value: Schema.Number }))
}).annotations({ identifier: "Coverage" })

/**
 * @since 0.1.0
 * @category models
 */
export type Coverage = typeof Coverage.Type

/** The parts of a session that say where it is. */
type Position = Pick<
  Session<never, never>,
  "currentFlow" | "currentStep" | "suspended" | "flowHistory" | "handOver"
>

/** Where a person is drawn who has the floor, or is waited for: in the flow, where its steps lead there. */
const personOf = ({ steps }: Graph, { currentFlow, handOver }: Position): ReadonlyArray<string> =>
  handOver === undefined ?
    [] :
    steps.filter(({ flow, kind }) => kind === "person" && [currentFlow?.id, "*"].includes(flow))
      .slice(0, 1).map(({ id }) => id)

/**
 * Marks where a session is, what waits in it, whether a person has the floor, and the flows it has been in. A session does not keep its steps: pass
 * those of `response.executedSteps` that are to be marked too.
 *
 * @since 0.1.0
 * @category overlays
 */
export const withSession = (
  graph: Graph,
  session: Position,
  executed: ReadonlyArray<{ readonly flowId: string; readonly stepId: string }> = []
): Graph => {
  const { currentFlow, currentStep, flowHistory, suspended } = session
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
  for (const person of personOf(graph, session)) steps.set(person, "current")
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
  /** `"flow"`, `"step"`, `"branch"`, `"handler"` or `"signal"`; other parts are not counted on a graph. */
  readonly kind: string
  readonly name: string
  readonly turns: number
}

const countsOf = (parts: ReadonlyArray<CoveredPart>): Coverage => {
  const of = (wanted: string) =>
    Object.fromEntries(parts.flatMap(({ kind, name, turns }) => kind === wanted ? [[name, turns]] : []))
  const signals = Object.fromEntries(Object.entries(of("signal")).map(([id, turns]) => [`* signal ${id}`, turns]))
  return {
    flows: of("flow"),
    steps: of("step"),
    branches: of("branch"),
    handlers: { ...of("handler"), ...signals }
  }
}

const isStep = ({ kind }: StepNode): boolean => kind === "llm" || kind === "auto" || kind === "reply" || kind === "call"

type Counts = Readonly<Record<string, number>>

const countIn = (counts: Counts, id: string): number => Object.hasOwn(counts, id) ? counts[id]! : 0

/**
 * How often the handlers of a step ran, of which no edge says so by itself: those that stay, and those in code, which may
 * lead somewhere or not.
 */
const heardOf = (
  leaving: ReadonlyArray<Edge>,
  { hears = [], id, kind }: StepNode,
  counts: Counts
): Pick<StepNode, "heard"> => {
  const place = kind === "person" ? "handOff" : id
  const inCode = leaving.filter(({ code, handler }) => code === true && handler !== undefined)
    .map(({ handler = "" }) => handler.slice(place.length + 1))
  const heard = Array.from(
    new Set([...hears, ...inCode]),
    (handler) => ({ handler, count: countIn(counts, `${place} ${handler}`) })
  )
  return heard.length === 0 ? {} : { heard }
}

/**
 * Writes to each part how often it was visited, from counts or from the coverage of a test or a simulation. A flow, step,
 * branch or handler that is not named was never visited, and neither was any other edge of a step that never was. Counts
 * without `handlers` say nothing of events and times.
 *
 * @since 0.1.0
 * @category overlays
 */
export const withCoverage = (graph: Graph, coverage: Coverage | ReadonlyArray<CoveredPart>): Graph => {
  const { branches, flows, handlers, steps } = isList(coverage) ? countsOf(coverage) : coverage
  const never = new Set(graph.steps.filter((step) => isStep(step) && countIn(steps, step.id) === 0).map(({ id }) => id))
  const ran = ({ code, handler }: Edge): number | undefined => {
    const count = handler === undefined || handlers === undefined ? undefined : countIn(handlers, handler)
    return count === 0 || code !== true ? count : undefined
  }
  const leaving = Groups.by(graph.edges, ({ from }) => from)
  const edgeOf = (edge: Edge): Edge => {
    const missed = never.has(edge.from) || never.has(edge.to) ? 0 : undefined
    const count = edge.kind === "branch" ? countIn(branches, edge.id) : ran(edge) ?? missed
    return count === undefined ? edge : { ...edge, count }
  }
  return {
    ...graph,
    flows: graph.flows.map((flow) => ({ ...flow, count: countIn(flows, flow.id) })),
    steps: graph.steps.map((step) => ({
      ...step,
      ...(isStep(step) && { count: countIn(steps, step.id) }),
      ...(handlers !== undefined && heardOf(leaving.get(step.id) ?? [], step, handlers))
    })),
    edges: graph.edges.map(edgeOf)
  }
}

/** `Array.isArray` does not know lists that are read only. */
const isList = (given: Coverage | ReadonlyArray<CoveredPart>): given is ReadonlyArray<CoveredPart> =>
  Array.isArray(given)
