/** Resolves names and directives of a definition to nodes of the graph. */
import * as Predicate from "effect/Predicate"
import { findFlow } from "../definition/Definition.js"
import type { Rec } from "../definition/validation/CheckParts.js"
import * as Directive from "../directive/Directive.js"

/** The readable parts of a flow; the agent itself is one without steps. */
export interface FlowPart {
  readonly id: string
  readonly title: string
  readonly steps: ReadonlyArray<string>
  readonly written: Rec
}

/** The id of an end node. Step ids contain no space, so it cannot be one. */
export const endOf = ({ id }: FlowPart, kind: string): string => `${id}/ ${kind}`

/** The target node of a `then`; `undefined` if it does not move, such as one that only speaks or writes. */
export const targetOf = (flows: ReadonlyArray<FlowPart>, flow: FlowPart, then: unknown): string | undefined => {
  if (Predicate.isString(then)) {
    return flow.steps.includes(then) ? `${flow.id}/${then}` : entryOf(flows, flow, then, undefined)
  }
  if (!Predicate.isRecord(then) || Directive.issues(then).length > 0) return undefined
  const to = Directive.position(then)
  return to && placeOf(flows, flow, to)
}

const placeOf = (flows: ReadonlyArray<FlowPart>, flow: FlowPart, to: Directive.Position): string | undefined => {
  switch (to._tag) {
    case "Abort":
      return endOf(flow, "aborted")
    case "Complete":
      return targetOf(flows, flow, to.next) ?? endOf(flow, "completed")
    case "Reset":
      return flow.steps.length === 0 ? undefined : `${flow.id}/${to.step ?? flow.steps[0]}`
    case "GoTo":
      return entryOf(flows, flow, to.flow ?? flow.id, to.step)
    case "HandOff":
      return endOf(flow, "person")
  }
}

export const entryOf = (
  flows: ReadonlyArray<FlowPart>,
  from: FlowPart,
  name: string,
  step: string | undefined
): string => {
  const flow = findFlow(flows, name)
  const target = step ?? flow?.steps[0]
  return flow === undefined || target === undefined || !flow.steps.includes(target)
    ? `${from.id}/?${flow === undefined ? name : target ?? name}`
    : `${flow.id}/${target}`
}
