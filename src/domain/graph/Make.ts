/**
 * From a definition to its graph. No code of it runs.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import { entries, type Rec, strings } from "../definition/CheckParts.js"
import { flowId, stepId } from "../definition/Definition.js"
import { initialOf } from "../definition/Target.js"
import { recordOf } from "../Json.js"
import { follows, type Handled, handled, leads, signals, taken } from "./Leads.js"
import type { Edge, FlowNode, Graph, StepNode } from "./Model.js"
import { code, codes, conditions, toolIds, words } from "./Said.js"
import { endOf, type FlowPart } from "./Target.js"

/**
 * The graph of a definition, as it is given to `kit.make`. One that `make` would refuse has a graph too, as far as it
 * can be read: a branch to nowhere leads to a node that says so.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: object): Graph => {
  const agent = recordOf(options)
  const flows = entries(agent.flows).map(([, written]): FlowPart => ({
    id: flowId(written),
    title: Predicate.isString(written.title) ? written.title : "",
    steps: entries(written.steps).map(([i, step]) => stepId(step, i)),
    written
  }))
  const anywhere: FlowPart = { id: "*", title: "", steps: [], written: agent }
  const parts = [...flows.map((flow) => flowOf(flows, flow)), partOf(anywhere, [], everywhere(flows, anywhere, "*"))]
  const begins = initialOf(agent, flows)
  return {
    agent: Predicate.isString(agent.name) ? agent.name : "",
    tools: toolIds(agent.tools),
    flows: flows.map(({ id, title, written }): FlowNode => ({
      id,
      title,
      when: words(written),
      if: conditions(written),
      tools: toolIds(written.tools),
      ...(id === begins && { begins: true as const })
    })),
    steps: parts.flatMap(({ steps }) => steps),
    edges: parts.flatMap(({ edges }) => edges)
  }
}

interface Part {
  readonly steps: ReadonlyArray<StepNode>
  readonly edges: ReadonlyArray<Edge>
}

const flowOf = (flows: ReadonlyArray<FlowPart>, flow: FlowPart): Part => {
  const steps = entries(flow.written.steps).map(([, step], i): Part => {
    const heard = handled(flows, flow, `${flow.id}/${flow.steps[i]}`, step)
    return { steps: [withHeard(stepOf(flow, step, i), heard)], edges: [...leads(flows, flow, step, i), ...heard.edges] }
  })
  const part = partOf(
    flow,
    steps.flatMap(({ steps }) => steps),
    everywhere(flows, flow, `${flow.id}/*`),
    steps.flatMap(({ edges }) => edges)
  )
  return { ...part, edges: [...part.edges, ...follows(flows, flow, part.edges)] }
}

/** What holds in every step of a flow, or in all flows: a node of its own, where there is any. */
const everywhere = (flows: ReadonlyArray<FlowPart>, flow: FlowPart, id: string): Part => {
  const heard = handled(flows, flow, id, flow.written)
  const edges = [
    ...taken(flows, flow, id, entries(flow.written.branches)),
    ...heard.edges,
    ...signals(flows, flow, id)
  ]
  const title = id === "*" ? "at any time" : "in every step"
  return {
    steps: edges.length + heard.stays.length === 0 ? [] : [withHeard(endNode(flow, id, "anywhere", title), heard)],
    edges
  }
}

const withHeard = (node: StepNode, { stays }: Handled): StepNode =>
  stays.length === 0 ? node : { ...node, hears: stays }

/** The nodes of a flow, with those that its edges end at. */
const partOf = (
  flow: FlowPart,
  steps: ReadonlyArray<StepNode>,
  anywhere: Part,
  found: ReadonlyArray<Edge> = []
): Part => {
  const edges = [...found, ...anywhere.edges]
  const ends = new Set(edges.map(({ to }) => to))
  const kinds = ["completed", "aborted"] as const
  return {
    steps: [
      ...steps,
      ...anywhere.steps,
      ...kinds.filter((kind) => ends.has(endOf(flow, kind))).map((kind) =>
        endNode(flow, endOf(flow, kind), kind, kind)
      ),
      ...Array.from(ends).filter((to) => to.startsWith(`${flow.id}/?`)).map((to) =>
        endNode(flow, to, "unknown", to.slice(flow.id.length + 2))
      )
    ],
    edges
  }
}

const endNode = (flow: FlowPart, id: string, kind: StepNode["kind"], title: string): StepNode => ({
  id,
  flow: flow.id,
  title,
  kind,
  collect: [],
  requires: [],
  tools: [],
  waits: false,
  conditions: []
})

const stepOf = (flow: FlowPart, step: Rec, i: number): StepNode => {
  const kind = step.auto === true
    ? "auto"
    : step.call !== undefined
    ? "call"
    : step.reply === undefined
    ? "llm"
    : "reply"
  return {
    id: `${flow.id}/${flow.steps[i]}`,
    flow: flow.id,
    title: flow.steps[i]!,
    kind,
    collect: strings(step.collect),
    requires: strings(step.requires),
    tools: toolIds(step.tools),
    waits: kind !== "auto" && kind !== "call",
    ...(step.stays === true && { stays: true as const }),
    ...(typeof step.until === "function" && { until: code(step.until) }),
    conditions: [
      ...words(step).slice(0, 1).map((one) => `when ${one}`),
      ...conditions(step).map((one) => `if ${one}`),
      ...codes(step.skip).map((one) => `unless ${one}`)
    ]
  }
}
