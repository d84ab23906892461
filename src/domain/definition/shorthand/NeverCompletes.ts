/** Rewrites a step with the option `neverCompletes` as a step without it. */
import type { OnInterrupt } from "../../authored/Step.js"
import type { Values } from "../Definition.js"

/** The option under its current name and under its name in version 0.1. */
interface NeverCompletesOptions {
  readonly neverCompletes?: unknown
  readonly stays?: unknown
}

interface Standing extends NeverCompletesOptions {
  readonly until?: unknown
  readonly onInterrupt?: OnInterrupt<Values, Values>
}

/** True if the flow stays at this step. */
export const neverCompletes = ({ neverCompletes, stays }: NeverCompletesOptions): boolean =>
  (neverCompletes ?? stays) === true

/** The name under which the author wrote the option; undefined if the step has none. */
export const nameOf = (step: NeverCompletesOptions): "neverCompletes" | "stays" | undefined =>
  step.neverCompletes !== undefined ? "neverCompletes" : step.stays === undefined ? undefined : "stays"

/**
 * Rewrites a step with `neverCompletes`: the step is never finished, and its flow is completed when another flow
 * interrupts it, unless an `onInterrupt` is given.
 */
export const staying = <S extends Standing>(step: S, flow: Pick<Standing, "onInterrupt">): S =>
  !neverCompletes(step) ? step : {
    ...step,
    until: () => false,
    ...(step.onInterrupt === undefined && flow.onInterrupt === undefined && { onInterrupt: "complete" })
  }
