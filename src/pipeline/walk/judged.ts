/** Reads the model's judgement of this turn's conditions, if it still counts. */
import type { CompiledFlow, CompiledStep } from "../../domain/definition/Definition.js"
import type { Opened } from "../state/TurnState.js"
import { trace } from "../state/TurnState.js"

/** The step at which a condition is evaluated. */
interface Position {
  readonly flow: CompiledFlow
  readonly step: CompiledStep
  /** True if the condition decides whether the step is entered, false if it decides where the step leads. */
  readonly entering: boolean
}

/**
 * True if the model's judgement of this message counts at this position. It does not count after a branch has used the
 * message or the message was a plain answer to a question, in a flow from the agenda or a resumed flow, or for a branch
 * of a speaking step that was not waiting for this message.
 */
const isOpen = (turn: Opened, position: Position | undefined): boolean => {
  const { fromAgenda, messageConsumed, waiting } = turn.routing
  if (messageConsumed) return false
  if (position === undefined) return true
  const { entering, flow, step } = position
  if (fromAgenda.has(flow.id) || turn.state.record.resumedFlows.includes(flow.id)) return false
  return entering || step.kind === "auto" || (waiting?.flowId === flow.id && waiting.stepId === step.id)
}

/** Returns whether a condition holds. A condition that the model did not judge for this message counts as not met. */
export const holdsTrue = (
  turn: Opened,
  { id, when }: { readonly id: string; readonly when: ReadonlyArray<string> },
  position?: Position
): boolean => {
  if (when.length === 0) return true
  const { answers: { conditions }, record } = turn.state
  if (isOpen(turn, position) && Object.hasOwn(conditions, id)) return conditions[id] === true
  const kind = "condition_not_judged"
  if (turn.message !== "" && !record.trace.some((one) => one.kind === kind && one.source === id)) {
    trace(turn, kind, id, "this message was not asked about it, so it counts as not met")
  }
  return false
}
