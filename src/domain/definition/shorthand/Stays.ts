/**
 * Rewrites the option `stays` of a step in terms of other options.
 *
 * @since 0.1.0
 */
import type { OnInterrupt } from "../../authored/Step.js"
import type { Values } from "../Definition.js"

interface Standing {
  readonly stays?: true
  readonly until?: unknown
  readonly onInterrupt?: OnInterrupt<Values, Values>
}

/**
 * A step that stays is never finished. Its flow has no further steps, so it is completed when another flow interrupts
 * it, unless an `onInterrupt` is given.
 */
export const staying = <S extends Standing>(step: S, flow: Pick<Standing, "onInterrupt">): S =>
  step.stays !== true ? step : {
    ...step,
    until: () => false,
    ...(step.onInterrupt === undefined && flow.onInterrupt === undefined && { onInterrupt: "complete" })
  }
