/** Detects a turn that would move between steps without end, and makes its error. */
import { FlowConfigurationError } from "../../domain/base/error/Errors.js"
import * as Memo from "../../domain/base/Memo.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { Endless } from "../../domain/walk/Ground.js"
import type { Opened } from "../state/TurnState.js"

/** Returns the error of a turn that would move between steps without end. */
export const endless = (turn: Opened, why: Endless): FlowConfigurationError => {
  if ("circle" in why) {
    return FlowConfigurationError.one({
      path: why.circle,
      what: "steps in a circle",
      why: `the turn came here twice with the same data, through ${trailOf(turn)}`,
      fix: "Break the circle with a condition that changes on the way, or lead to a step that speaks"
    })
  }
  const { limit } = why
  const what = limit === "maxDirectiveChain" ? "directives moved this turn" : "auto steps followed each other"
  return FlowConfigurationError.one({
    path: limit,
    what: `${limit} of ${turn.runtime.definition[limit]}`,
    why: `${what} more often than that, through ${trailOf(turn)}`,
    fix: `Break the circle with a condition, or raise ${limit}`
  })
}

/** Number of steps at each end of a long path that the error names. */
const named = 10

/** Returns the path of the turn as text: the executed steps, in order. */
const trailOf = (turn: Opened): string => {
  const steps = turn.state.record.executedSteps.map(({ flowId, stepId }) => `${flowId}/${stepId}`)
  const told = steps.length <= 2 * named ? steps : [...steps.slice(0, named), "…", ...steps.slice(-named)]
  return told.join(" → ") || "no step"
}

/** Encodes values as JSON, once for each object. Only needed when the walk reaches a position again. */
const textOf = Memo.weak((values: Values): string => JSON.stringify(values))

const isSame = (a: Values, b: Values): boolean => a === b || textOf(a) === textOf(b)

/** True if the walk was at this position before with the same data and context; otherwise records the position. */
export const isRepeatedPosition = (turn: Opened, position: string): boolean => {
  const { walked: { passages } } = turn
  const { context, session: { data } } = turn.state
  const before = passages.get(position) ?? []
  if (before.some((one) => isSame(one.data, data) && isSame(one.context, context))) return true
  passages.set(position, [...before, { data, context }])
  return false
}
