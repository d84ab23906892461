/** The code of a flow. */
import type { Code, FlowShape } from "./Shape.js"

/** Returns all code that may run while the flow is the current one. */
export const flowCode = ({ onComplete, onEnter, onExit, onResume, steps }: FlowShape): ReadonlyArray<Code> => [
  ...onEnter,
  ...onResume,
  ...onComplete,
  ...onExit,
  ...steps.flatMap((step) => [
    ...step.onEnter,
    ...step.onResume,
    ...step.prepare,
    ...step.tools,
    ...step.finalize,
    ...step.onExit
  ])
]
