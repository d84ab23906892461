/** Resolves names and directives of a definition to nodes of the graph. */
import * as Predicate from "effect/Predicate"
import { findFlow } from "../definition/Definition.js"
import type { Rec } from "../definition/validation/CheckParts.js"
import * as Directive from "../directive/Directive.js"

/** The parts of a flow that the graph reads. The agent itself is represented as a flow without steps. */
export interface FlowPart {
  readonly id: string
  readonly title: string
  readonly steps: ReadonlyArray<string>
  readonly written: Rec
}

/** Returns the id of an end node. It contains a space, so that it differs from the ids of all steps. */
export const endOf = ({ id }: FlowPart, kind: string): string => `${id}/ ${kind}`

/**
 * Returns the target node of a `then`; `undefined` if the `then` does not move the conversation, for example if it only
 * speaks or writes.
 */
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
