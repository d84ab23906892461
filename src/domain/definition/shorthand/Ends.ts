/**
 * What `ends` of a step means, written with the other options.
 *
 * @since 0.2.0
 */
import type { Branch } from "../../authored/Step.js"
import type { Directive } from "../../directive/Directive.js"
import type { Values } from "../Definition.js"

interface Last {
  readonly ends?: true | "abort"
  readonly auto?: true
  readonly collect?: ReadonlyArray<string>
  readonly until?: unknown
  readonly branches?: ReadonlyArray<Branch<Values, Values>>
}

/** How the flow ends at a step, if it does. */
export const endOf = ({ ends }: Last, id: string): Directive<Values, Values> | undefined => {
  if (ends === undefined) return undefined
  return ends === "abort" ? { abort: `step "${id}" ends it` } : { complete: true }
}

/** Whether a step has nothing to wait for: it ends its flow with its words. */
export const onlySpeaks = ({ auto, collect = [], until }: Last): boolean =>
  auto === undefined && collect.length === 0 && until === undefined

/** The step with its ending as the fallback of its branches: it is taken wherever the step is found finished. */
export const ending = <S extends Last>(step: S, then: Directive<Values, Values> | undefined): S =>
  then === undefined ? step : { ...step, branches: [...(step.branches ?? []), { id: "ends", then }] }
