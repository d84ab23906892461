/** The edges of a definition. */
import * as Predicate from "effect/Predicate"
import { recordOf } from "../base/Json.js"
import * as Source from "../check/shape/Source.js"
import { findFlow, listOf } from "../definition/Definition.js"
import * as Erase from "../definition/Erase.js"
import * as CallWays from "../definition/shorthand/CallWays.js"
import { entries, type Rec } from "../definition/validation/CheckParts.js"
import { doesStay, labelOf } from "./Captions.js"
import { endOf, entryOf, targetOf, type WrittenFlow } from "./EdgeTarget.js"
import type { Edge } from "./GraphModel.js"

const isJump = ({ id }: WrittenFlow, to: string): boolean => !to.startsWith(`${id}/`)

/** The edges of the branches of a step, of a flow, or of the agent. */
export const taken = (flow: WrittenFlow, from: string, branches: ReturnType<typeof entries>): ReadonlyArray<Edge> =>
  branches.flatMap(([b, branch]): ReadonlyArray<Edge> => {
    const to = targetOf(flow, branch.then)
    if (to === undefined) return []
    const id = `${from}/${Predicate.isString(branch.id) ? branch.id : `branch-${b + 1}`}`
    const label = labelOf(branch) || (branches.length > 1 ? "otherwise" : "")
    return [{ id, from, to, kind: "branch", jump: isJump(flow, to), label }]
  })

/**
 * Returns the edges of a step: its branches, the next step in order, and, if this step may be skipped, the edges of the
 * step after it.
 */
export const leads = (flow: WrittenFlow, step: Rec, i: number): ReadonlyArray<Edge> => {
  const found = leaves(flow, step, i)
  const next = flow.steps[i + 1]
  const to = next === undefined ? endOf(flow, "completed") : `${flow.id}/${next}`
  const isConditional = step.if !== undefined || step.skip !== undefined || step.when !== undefined
  if (!isConditional || found.some((edge) => edge.to === to)) return found
  const from = `${flow.id}/${flow.steps[i]}`
  return [...found, { id: `${from} skipped`, from, to, kind: "next", jump: false, label: "if skipped" }]
}

/** The edges of a step that is not skipped. */
const leaves = (flow: WrittenFlow, step: Rec, i: number): ReadonlyArray<Edge> => {
  const from = `${flow.id}/${flow.steps[i]}`
  const branches = entries(step.call === undefined ? step.branches : outcomesOf(step))
  const found = taken(flow, from, branches)
  if (isLastWay(step, branches)) return found
  const next = flow.steps[i + 1]
  const inOrder = step.ends === "abort"
    ? endOf(flow, "aborted")
    : next === undefined || step.ends === true
    ? endOf(flow, "completed")
    : `${flow.id}/${next}`
  const to = branches.length > 0 ? inOrder : finished(flow, step) ?? inOrder
  const label = branches.length === 0 ? "" : step.call === undefined ? "otherwise" : "ok"
  return [...found, { id: `${from} next`, from, to, kind: "next", jump: isJump(flow, to), label }]
}

/** Returns the target of `finalize` if its code only returns a literal directive: `() => ({ complete: true })`. */
const finished = (flow: WrittenFlow, { finalize }: Rec): string | undefined => {
  const { code } = Source.of(finalize)
  const gives = code.slice(code.indexOf("=>") + 2).trim()
  const literal = gives.startsWith("({") && gives.endsWith("})") ? gives.slice(2, -2) : undefined
  if (literal === undefined || /[{}()?.]/.test(literal)) return undefined
  if (/\bcomplete:\s*true\b/.test(literal)) return endOf(flow, "completed")
  if (/\babort:\s*"/.test(literal)) return endOf(flow, "aborted")
  return namedIn(flow, finalize)[0]
}

/**
 * True if the walk never goes on to the next step in order: the flow stays at the step, a branch is always taken, or a
 * successful call has a target of its own. A failed call without a branch fails the turn.
 */
const isLastWay = (step: Rec, branches: ReturnType<typeof entries>): boolean =>
  doesStay(step) ||
  (step.call === undefined
    ? branches.some(([, branch]) => listOf(branch.if).length + listOf(branch.when).length === 0)
    : branches.some(([, { isLast }]) => isLast === true))

/** The outcomes of a call. */
const outcomesOf = ({ then }: Rec): ReadonlyArray<Rec> =>
  CallWays.of(then).map(({ end, id, if: code, then }) => ({
    id,
    when: code === undefined ? end : `${end}, if code says so`,
    isLast: end === "ok" && code === undefined,
    then
  }))

/** The targets that code names as literals. The code is not run, so computed targets are not found. */
const namedIn = (flow: WrittenFlow, run: unknown): ReadonlyArray<string> => [
  ...new Set(
    Source.targets(run).flatMap(({ key, name }) => {
      if (key === "goToStep") return flow.steps.includes(name) ? [`${flow.id}/${name}`] : []
      return findFlow(flow.flows, name) === undefined ? [] : [entryOf(flow, name, undefined)]
    })
  ),
  ...(Source.mentions(Source.of(run), "handOff") ? [endOf(flow, "person")] : [])
]

/** The edges of code, one for each target that it names. */
const ofCode = (
  flow: WrittenFlow,
  run: unknown,
  edge: Pick<Edge, "id" | "from" | "kind" | "label" | "handler">
): ReadonlyArray<Edge> =>
  namedIn(flow, run).map((to, i) => ({
    ...edge,
    id: i === 0 ? edge.id : `${edge.id} ${i + 1}`,
    to,
    jump: isJump(flow, to),
    label: edge.label === "" ? "if code says so" : `${edge.label}, if code says so`,
    code: true
  }))

/**
 * The handlers of events and timers at a position: the edges of handlers that move the conversation, and the names of
 * handlers that, according to the definition, do not move it.
 */
export interface HandlerEdges {
  readonly edges: ReadonlyArray<Edge>
  readonly stays: ReadonlyArray<string>
}

/**
 * Returns the handlers of a step, of a flow, or of the agent. `name` is the prefix of their names in coverage, by
 * default the position.
 */
export const handled = (flow: WrittenFlow, from: string, { after, on }: Rec, name = from): HandlerEdges => {
  const found = [
    ...Object.entries(recordOf(on)).map(([name, then]) => ({ kind: "event" as const, said: `on ${name}`, then })),
    ...Object.entries(recordOf(after)).map(([name, then]) => ({ kind: "timer" as const, said: `after ${name}`, then }))
  ].filter(({ then }) => then !== undefined).map(({ kind, said, then }) => {
    const id = `${name} ${said}`
    const edge = { id, from, kind, label: said, handler: id }
    const to = targetOf(flow, then)
    const edges = to === undefined ? ofCode(flow, then, edge) : [{ ...edge, to, jump: isJump(flow, to) }]
    return { said, edges }
  })
  return {
    edges: found.flatMap(({ edges }) => edges),
    stays: found.flatMap(({ edges, said }) => edges.length === 0 ? [said] : [])
  }
}

/** The edges of the agent's signals whose handlers name a target. */
export const signals = (agent: WrittenFlow, from: string): ReadonlyArray<Edge> =>
  entries(agent.written.signals).flatMap(([, given]) => {
    const { enabled, handler, id, title } = recordOf(Erase.signal(given))
    if (enabled === false || !Predicate.isString(id)) return []
    const name = `${from} signal ${id}`
    const label = `signal ${Predicate.isString(title) ? title : id}`
    return ofCode(agent, handler, { id: name, from, kind: "signal", label, handler: name })
  })

/**
 * Returns the edges that follow the completion of a flow: to the flow that `onComplete` names, or to the targets in its
 * code.
 */
export const follows = (flow: WrittenFlow, edges: ReadonlyArray<Edge>): ReadonlyArray<Edge> => {
  const { onComplete = recordOf(flow.written.hooks).onComplete } = flow.written
  const from = endOf(flow, "completed")
  if (!edges.some(({ to }) => to === from)) return []
  const edge = { id: `${from} follows`, from, kind: "follows" as const, label: "" }
  if (!Predicate.isString(onComplete)) return ofCode(flow, onComplete, edge)
  const next = findFlow(flow.flows, onComplete)
  const first = next?.steps[0]
  return next === undefined || first === undefined ? [] : [{ ...edge, to: `${next.id}/${first}`, jump: true }]
}
