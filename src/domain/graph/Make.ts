/**
 * From a definition to its graph. No code of it runs.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import type { Written } from "../Callback.js"
import { entries, type Rec, strings } from "../definition/CheckParts.js"
import { findFlow, flowId, listOf, stepId } from "../definition/Definition.js"
import * as Erase from "../definition/Erase.js"
import * as Directive from "../Directive.js"
import { recordOf } from "../Json.js"
import * as When from "../When.js"
import type { Edge, FlowNode, Graph, StepNode } from "./Model.js"

interface FlowPart {
  readonly id: string
  readonly title: string
  readonly steps: ReadonlyArray<string>
  readonly written: Rec
}

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
  const parts = flows.map((flow) => flowOf(flows, flow))
  return {
    agent: Predicate.isString(agent.name) ? agent.name : "",
    tools: toolIds(agent.tools),
    flows: flows.map(({ id, title, written }): FlowNode => ({
      id,
      title,
      when: words(written),
      if: conditions(written),
      tools: toolIds(written.tools),
      ...((agent.initialFlow === id || agent.initialFlow === title) && { begins: true as const })
    })),
    steps: parts.flatMap(({ steps }) => steps),
    edges: parts.flatMap(({ edges }) => edges)
  }
}

/** What a part asks of a model, and the code that must hold for it; what is neither is left out. */
const words = ({ when }: Rec): ReadonlyArray<string> =>
  When.told(When.read(when as Written<unknown>).words.filter(Predicate.isString))

const conditions = ({ if: given, when }: Rec): ReadonlyArray<string> =>
  codes([...listOf(given), ...When.read(when as Written<unknown>).code])

const codes = (given: unknown): ReadonlyArray<string> =>
  listOf(given).flatMap((one) => typeof one === "function" ? [code(one)] : [])

const toolIds = (given: unknown): ReadonlyArray<string> =>
  (Array.isArray(given) ? given : []).flatMap((one: unknown) =>
    Predicate.isString(one) ? [one] : Predicate.isRecord(one) ? strings([Erase.tool(one).id]) : []
  )

/** What a predicate says, if that is short enough to be read at a glance. */
const code = (run: unknown): string => {
  const text = String(run).replace(/\s+/g, " ")
  const body = /=>\s*(?:\{\s*return\s+)?(.*?);?\s*\}?$/.exec(text)?.[1] ?? ""
  const said = body.includes("{") ? "" : body.replaceAll("void 0", "undefined").replace(/\bdata\./g, "")
  return said !== "" && said.length <= 48 ? said : "code says so"
}

const flowOf = (
  flows: ReadonlyArray<FlowPart>,
  flow: FlowPart
): { readonly steps: ReadonlyArray<StepNode>; readonly edges: ReadonlyArray<Edge> } => {
  const steps = entries(flow.written.steps)
  const found = steps.flatMap(([, step], i) => leads(flows, flow, step, i))
  const ends = new Set(found.map(({ to }) => to))
  const kinds = ["completed", "aborted"] as const
  return {
    steps: [
      ...steps.map(([, step], i) => stepOf(flow, step, i)),
      ...kinds.filter((kind) => ends.has(endOf(flow, kind))).map((kind) =>
        endNode(flow, endOf(flow, kind), kind, kind)
      ),
      ...Array.from(ends).filter((to) => to.startsWith(`${flow.id}/?`)).map((to) =>
        endNode(flow, to, "unknown", to.slice(flow.id.length + 2))
      )
    ],
    edges: [...found, ...follows(flows, flow, ends)]
  }
}

/** The ids of steps have no space: these are of no step. */
const endOf = ({ id }: FlowPart, kind: string): string => `${id}/ ${kind}`

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

const leads = (flows: ReadonlyArray<FlowPart>, flow: FlowPart, step: Rec, i: number): ReadonlyArray<Edge> => {
  const from = `${flow.id}/${flow.steps[i]}`
  const branches = entries(step.call === undefined ? step.branches : outcomesOf(step))
  const found = branches.flatMap(([b, branch]): ReadonlyArray<Edge> => {
    const to = targetOf(flows, flow, branch.then)
    if (to === undefined) return []
    const id = `${from}/${Predicate.isString(branch.id) ? branch.id : `branch-${b + 1}`}`
    return [{
      id,
      from,
      to,
      kind: "branch",
      jump: !to.startsWith(`${flow.id}/`),
      label: labelOf(branch) || (branches.length > 1 ? "otherwise" : "")
    }]
  })
  // Nothing follows in order where the flow stays.
  if (step.stays === true) return found
  const always = branches.some(([, branch]) => listOf(branch.if).length + listOf(branch.when).length === 0)
  if (always) return found
  const next = flow.steps[i + 1]
  const to = next === undefined ? endOf(flow, "completed") : `${flow.id}/${next}`
  return [...found, {
    id: `${from} next`,
    from,
    to,
    kind: "next",
    jump: false,
    label: branches.length > 0 ? "otherwise" : ""
  }]
}

/** How a call may come out. */
const outcomesOf = ({ then }: Rec): ReadonlyArray<Rec> =>
  Predicate.isRecord(then)
    ? (["ok", "failed"] as const).flatMap((id) => then[id] === undefined ? [] : [{ id, when: id, then: then[id] }])
    : []

const labelOf = (branch: Rec): string => {
  const when = words(branch)
  return [
    ...(when.length > 0 ? [when.join(" or ")] : []),
    ...conditions(branch).map((one) => `if ${one}`)
  ].join(", ")
}

/** The flow that follows by name. */
const follows = (flows: ReadonlyArray<FlowPart>, flow: FlowPart, ends: Set<string>): ReadonlyArray<Edge> => {
  const { onComplete } = flow.written
  const from = endOf(flow, "completed")
  const next = Predicate.isString(onComplete) ? findFlow(flows, onComplete) : undefined
  const first = next?.steps[0]
  return next === undefined || first === undefined || !ends.has(from)
    ? []
    : [{ id: `${from} follows`, from, to: `${next.id}/${first}`, kind: "follows", jump: true, label: "" }]
}

/** The node a `then` leads to; `undefined` when it leads nowhere, as one that only speaks or writes. */
const targetOf = (flows: ReadonlyArray<FlowPart>, flow: FlowPart, then: unknown): string | undefined => {
  if (Predicate.isString(then)) {
    return flow.steps.includes(then) ? `${flow.id}/${then}` : entryOf(flows, flow, then, undefined)
  }
  if (!Predicate.isRecord(then) || Directive.issues(then).length > 0) return undefined
  const to = Directive.position(then)
  return to && placeOf(flows, flow, to)
}

const placeOf = (flows: ReadonlyArray<FlowPart>, flow: FlowPart, to: Directive.Position): string => {
  switch (to._tag) {
    case "Abort":
      return endOf(flow, "aborted")
    case "Complete":
      return targetOf(flows, flow, to.next) ?? endOf(flow, "completed")
    case "Reset":
      return `${flow.id}/${to.step ?? flow.steps[0]}`
    case "GoTo":
      return entryOf(flows, flow, to.flow ?? flow.id, to.step)
  }
}

const entryOf = (flows: ReadonlyArray<FlowPart>, from: FlowPart, name: string, step: string | undefined): string => {
  const flow = findFlow(flows, name)
  const target = step ?? flow?.steps[0]
  return flow === undefined || target === undefined || !flow.steps.includes(target)
    ? `${from.id}/?${flow === undefined ? name : target ?? name}`
    : `${flow.id}/${target}`
}
