/** Makes the graph of a definition, without running its code. */
import * as Predicate from "effect/Predicate"
import { recordOf } from "../base/Json.js"
import { initialOf } from "../definition/Target.js"
import { entries, flowsOf, type Rec, strings } from "../definition/validation/CheckParts.js"
import { codes, conditions, doesStay, words } from "./Captions.js"
import { endOf, type WrittenFlow } from "./EdgeTarget.js"
import type { Edge, FlowNode, Graph, StepNode } from "./GraphModel.js"
import { follows, handled, type HandlerEdges, leads, signals, taken } from "./Leads.js"
import { approvals, called, toolIds } from "./Tools.js"

/**
 * Returns the graph of a definition, given as to `kit.make`. An invalid definition has a graph too, as far as it can be
 * read: a branch with an unknown target leads to an `"unknown"` node.
 */
export const make = (options: object): Graph => {
  const agent = recordOf(options)
  const flows = flowsOf(agent)
  const anywhere = { id: "*", title: "", steps: [], path: "", written: agent, flows }
  const parts = [...flows.map((flow) => flowOf({ ...flow, flows }, agent.tools)), agentOf(anywhere)]
  const begins = initialOf(agent, flows)
  const tools = toolIds(agent.tools)
  return {
    agent: Predicate.isString(agent.name) ? agent.name : "",
    tools,
    ...approvals(tools, agent.tools),
    flows: flows.map(({ id, title, written }): FlowNode => ({
      id,
      title,
      when: words(written),
      if: conditions(written),
      tools: toolIds(written.tools),
      ...approvals(toolIds(written.tools), written.tools, agent.tools),
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

const flowOf = (flow: WrittenFlow, tools: unknown): Part => {
  const parts = entries(flow.written.steps).map(([, step], i): Part => {
    const heard = handled(flow, `${flow.id}/${flow.steps[i]}`, step)
    const node = withHeard(stepOf(flow, step, i, tools), heard)
    return { steps: [node], edges: [...leads(flow, step, i), ...heard.edges] }
  })
  const all = [...parts, everywhere(flow, `${flow.id}/*`)]
  const edges = all.flatMap(({ edges }) => edges)
  return withEnds(flow, {
    steps: all.flatMap(({ steps }) => steps),
    edges: [...edges, ...follows(flow, edges)]
  })
}

/** Returns the branches and handlers of the agent, which apply in all flows, and the handlers of `handOff`. */
const agentOf = (anywhere: WrittenFlow): Part => {
  const { edges, steps } = everywhere(anywhere, "*")
  const waiting = handled(anywhere, endOf(anywhere, "person"), recordOf(anywhere.written.handOff), "handOff")
  return withEnds(anywhere, { steps, edges: [...edges, ...waiting.edges] }, waiting)
}

/**
 * Returns a node for the branches and handlers that apply in every step of a flow, or in all flows; empty if there are
 * none.
 */
const everywhere = (flow: WrittenFlow, id: string): Part => {
  const heard = handled(flow, id, flow.written)
  const edges = [
    ...taken(flow, id, entries(flow.written.branches)),
    ...heard.edges,
    ...signals(flow, id)
  ]
  const title = id === "*" ? "at any time" : "in every step"
  return {
    steps: edges.length + heard.stays.length === 0 ? [] : [withHeard(endNode(flow, id, "anywhere", title), heard)],
    edges
  }
}

const withHeard = (node: StepNode, { stays }: Pick<HandlerEdges, "stays">): StepNode =>
  stays.length === 0 ? node : { ...node, hears: stays }

const nothing: HandlerEdges = { edges: [], stays: [] }

const titles = { completed: "completed", aborted: "aborted", person: "a person takes over" } as const

/**
 * Adds the end nodes to which edges lead. `waiting` has the handlers that run while the conversation waits for a
 * person.
 */
const withEnds = (flow: WrittenFlow, { edges, steps }: Part, waiting = nothing): Part => {
  const ends = new Set(edges.map(({ to }) => to))
  if (waiting.edges.length + waiting.stays.length > 0) ends.add(endOf(flow, "person"))
  const kinds = ["completed", "aborted", "person"] as const
  return {
    steps: [
      ...steps,
      ...kinds.filter((kind) => ends.has(endOf(flow, kind))).map((kind) =>
        withHeard(endNode(flow, endOf(flow, kind), kind, titles[kind]), kind === "person" ? waiting : nothing)
      ),
      ...Array.from(ends).filter((to) => to.startsWith(`${flow.id}/?`)).map((to) =>
        endNode(flow, to, "unknown", to.slice(flow.id.length + 2))
      )
    ],
    edges
  }
}

const endNode = (flow: WrittenFlow, id: string, kind: StepNode["kind"], title: string): StepNode => ({
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

const staying = (step: Rec): Pick<StepNode, "stays" | "until"> => {
  const [until] = codes(step.until)
  return doesStay(step) ? { stays: true } : until === undefined ? {} : { until }
}

const stepOf = (flow: WrittenFlow, step: Rec, i: number, agentTools: unknown): StepNode => {
  const kind = step.auto === true
    ? "auto"
    : step.call !== undefined
    ? "call"
    : step.reply === undefined
    ? "llm"
    : "reply"
  const tools = toolIds(step.tools)
  const onlyTools = strings(step.onlyTools)
  const call = called(step.call)
  const [calls] = toolIds(call)
  return {
    id: `${flow.id}/${flow.steps[i]}`,
    flow: flow.id,
    title: flow.steps[i]!,
    kind,
    collect: strings(step.collect),
    ...(step.confirm !== undefined && { confirms: true as const }),
    requires: strings(step.requires),
    tools,
    ...(onlyTools.length > 0 && { onlyTools }),
    ...(calls !== undefined && { calls }),
    ...approvals([...toolIds(call), ...tools, ...onlyTools], call, step.tools, flow.written.tools, agentTools),
    waits: kind !== "auto" && kind !== "call",
    ...staying(step),
    conditions: [
      ...words(step).slice(0, 1).map((one) => `when ${one}`),
      ...conditions(step).map((one) => `if ${one}`),
      ...codes(step.skip).map((one) => `unless ${one}`)
    ]
  }
}
