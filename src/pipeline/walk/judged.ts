/**
 * How this turn's message was judged, and whether it may still be judged by a condition in words.
 *
 * @since 0.2.0
 */
import type { CompiledFlow, CompiledStep } from "../../domain/definition/Definition.js"
import type { Opened } from "../state/TurnState.js"
import { get, trace } from "../state/TurnState.js"

/** Where a condition stands: at a step, or around all steps of a flow or of the agent. */
export interface Place {
  readonly flow: CompiledFlow
  readonly step: CompiledStep
  /** Whether it decides if the step is entered, not where it leads. */
  readonly entering: boolean
}

/** Whether a message may still be judged by a condition at this place. */
const isOpen = (turn: Opened, place: Place | undefined): boolean => {
  const { agendaFlows, record, messageConsumed, waiting } = get(turn)
  if (messageConsumed) return false
  if (place === undefined) return true
  const { entering, flow, step } = place
  if (record.resumedFlows.includes(flow.id) || agendaFlows.includes(flow.id)) return false
  return entering || step.kind === "auto" || (waiting?.flowId === flow.id && waiting.stepId === step.id)
}

/** How the message was judged. What it is not judged by counts as not met. */
export const holdsTrue = (
  turn: Opened,
  { id, when }: { readonly id: string; readonly when: ReadonlyArray<string> },
  place?: Place
): boolean => {
  if (when.length === 0) return true
  const { answers: { conditions }, record } = get(turn)
  if (isOpen(turn, place) && Object.hasOwn(conditions, id)) return conditions[id] === true
  const kind = "condition_not_judged"
  if (turn.message !== "" && !record.trace.some((one) => one.kind === kind && one.source === id)) {
    trace(turn, kind, id, "this message was not asked about it, so it counts as not met")
  }
  return false
}
