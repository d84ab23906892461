/**
 * What `stays` of a step means, written with the other options.
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
 * A step that stays is never finished. Its flow has nothing left to do, so it is completed when another one comes, unless
 * an `onInterrupt` says otherwise.
 */
export const staying = <S extends Standing>(step: S, flow: Pick<Standing, "onInterrupt">): S =>
  step.stays !== true ? step : {
    ...step,
    until: () => false,
    ...(step.onInterrupt === undefined && flow.onInterrupt === undefined && { onInterrupt: "complete" })
  }
