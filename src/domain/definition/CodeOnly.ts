/** Fields that only code writes. */
import type { Fields } from "../fields/Fields.js"
import type { ErasedAgent } from "./Erase.js"
import { boundBy } from "./shorthand/CallWays.js"

/**
 * Returns the agent's fields, with `extract: "never"` for fields that a step's call writes and no step collects. An
 * `extract` annotation of the field takes precedence.
 */
export const guarded = ({ flows = [] }: ErasedAgent, fields: Fields): Fields => {
  const steps = flows.flatMap((flow) => flow.steps)
  const collected = new Set(steps.flatMap(({ collect = [] }) => collect))
  const bound = new Set(steps.flatMap(boundBy).filter((name) => !collected.has(name)))
  return bound.size === 0 ? fields : new Map(
    Array.from(fields, ([name, field]) => [
      name,
      bound.has(name) && field.annotated.extract === undefined ? { ...field, extract: "never" as const } : field
    ])
  )
}
