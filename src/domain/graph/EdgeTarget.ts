/** Resolves names and directives of a definition to nodes of the graph. */
import * as Predicate from "effect/Predicate"
import { findFlow } from "../definition/Definition.js"
import type { FlowPart } from "../definition/validation/CheckParts.js"
import * as Directive from "../directive/Directive.js"

/** A flow among all flows of its definition. The agent itself is represented as a flow without steps. */
export interface WrittenFlow extends FlowPart {
  readonly flows: ReadonlyArray<FlowPart>
}

/** Returns the id of an end node. It contains a space, so that it differs from the ids of all steps. */
export const endOf = ({ id }: WrittenFlow, kind: string): string => `${id}/ ${kind}`

/**
 * Returns the target node of a `then`; `undefined` if the `then` does not move the conversation, for example if it only
 * speaks or writes.
 */
export const targetOf = (flow: WrittenFlow, then: unknown): string | undefined => {
  if (Predicate.isString(then)) {
    return flow.steps.includes(then) ? `${flow.id}/${then}` : entryOf(flow, then, undefined)
  }
  if (!Predicate.isRecord(then) || Directive.issues(then).length > 0) return undefined
  const to = Directive.position(then)
  return to && placeOf(flow, to)
}

const placeOf = (flow: WrittenFlow, to: Directive.Position): string | undefined => {
  switch (to._tag) {
    case "Abort":
      return endOf(flow, "aborted")
    case "Complete":
      return targetOf(flow, to.next) ?? endOf(flow, "completed")
    case "Reset":
      return flow.steps.length === 0 ? undefined : `${flow.id}/${to.step ?? flow.steps[0]}`
    case "GoTo":
      return entryOf(flow, to.flow ?? flow.id, to.step)
    case "HandOff":
      return endOf(flow, "person")
  }
}

export const entryOf = (from: WrittenFlow, name: string, step: string | undefined): string => {
  const flow = findFlow(from.flows, name)
  const target = step ?? flow?.steps[0]
  return flow === undefined || target === undefined || !flow.steps.includes(target)
    ? `${from.id}/?${flow === undefined ? name : target ?? name}`
    : `${flow.id}/${target}`
}
