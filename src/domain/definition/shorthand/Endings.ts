/** Rewrites a step with the option `ends` or `neverCompletes` as a step without it. */
import type { Branch, OnInterrupt } from "../../authored/Step.js"
import type { Directive } from "../../directive/Directive.js"
import type { Values } from "../Definition.js"

interface Last {
  readonly ends?: true | "abort"
  readonly auto?: true
  readonly collect?: ReadonlyArray<string>
  readonly until?: unknown
  readonly branches?: ReadonlyArray<Branch<Values, Values>>
}

/** The directive that ends the flow at a step; undefined if the step does not end it. */
export const endOf = ({ ends }: Last, id: string): Directive<Values, Values> | undefined => {
  if (ends === undefined) return undefined
  return ends === "abort" ? { abort: `step "${id}" ends it` } : { complete: true }
}

/** True if a step does not wait: it ends its flow as soon as it has spoken. */
export const onlySpeaks = ({ auto, collect = [], until }: Last): boolean =>
  auto === undefined && collect.length === 0 && until === undefined

/** Adds the ending as the fallback branch of the step, taken whenever the step is finished. */
export const ending = <S extends Last>(step: S, then: Directive<Values, Values> | undefined): S =>
  then === undefined ? step : { ...step, branches: [...(step.branches ?? []), { id: "ends", then }] }

interface Standing {
  readonly neverCompletes?: unknown
  readonly until?: unknown
  readonly onInterrupt?: OnInterrupt<Values, Values>
}

/**
 * Rewrites a step with `neverCompletes`: the step is never finished, and its flow is completed when another flow
 * interrupts it, unless an `onInterrupt` is given.
 */
export const staying = <S extends Standing>(step: S, flow: Pick<Standing, "onInterrupt">): S =>
  step.neverCompletes !== true ? step : {
    ...step,
    until: () => false,
    ...(step.onInterrupt === undefined && flow.onInterrupt === undefined && { onInterrupt: "complete" })
  }
