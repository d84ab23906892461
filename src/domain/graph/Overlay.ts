/** Visit counts on a graph. */
import * as Schema from "effect/Schema"
import * as Groups from "../base/Groups.js"
import { optional } from "../fields/Fields.js"
import type { Edge, Graph, StepNode } from "./GraphModel.js"

/**
 * Visit counts of parts: flows by id; steps as `flow/step`; branches by the id under which their condition is judged;
 * handlers of events and timers by position and trigger: `flow/step on paid`, `flow/* after 2 days`, `* on paid`;
 * signals as handlers of the agent: `* signal angry`.
 */
export const Coverage = Schema.Struct({
  flows: Schema.Record({ key: Schema.String, value: Schema.Number }),
  steps: Schema.Record({ key: Schema.String, value: Schema.Number }),
  branches: Schema.Record({ key: Schema.String, value: Schema.Number }),
  handlers: optional(Schema.Record({ key: Schema.String, value: Schema.Number }))
}).annotations({ identifier: "Coverage" })

export type Coverage = typeof Coverage.Type

/** A part of a definition, and the number of turns that passed through it, as `coxswain/testing` reports it. */
export interface CoveredPart {
  /** `"flow"`, `"step"`, `"branch"`, `"handler"` or `"signal"`; other kinds are ignored in a graph. */
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
 * Returns the number of runs of a step's handlers that have no edge with a count of their own: handlers that stay at
 * the position, and handlers whose code may leave it or stay.
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
 * Adds visit counts to a graph, from counts or from the coverage of a test or a simulation. A flow, step, branch or
 * handler without a count gets 0, and so do other edges from or to an unvisited step. Without `handlers`, handlers of
 * events and timers are not counted.
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

/** `Array.isArray` does not narrow read-only lists. */
const isList = (given: Coverage | ReadonlyArray<CoveredPart>): given is ReadonlyArray<CoveredPart> =>
  Array.isArray(given)
