/** Checks the options `neverCompletes` and `ends` of a step. */
import { onlySpeaks } from "../shorthand/Endings.js"
import { isConditional, type Rec, records, type World } from "./CheckParts.js"

/** `neverCompletes` is only valid at a step that speaks, because the conversation does not wait at others. */
export const checkStays = ({ report }: World, step: Rec, path: string): void => {
  if (step.neverCompletes === undefined) return
  if (step.auto !== undefined || step.call !== undefined) {
    report(
      `${path}.neverCompletes`,
      "neverCompletes on a step that says nothing",
      "nobody is spoken to there",
      "Put it on a step that speaks"
    )
  }
  if (step.until !== undefined) {
    report(`${path}.until`, "until on a step that stays", "a step that stays is never finished", "Keep one of them")
  }
}

/** A step with `ends` must not lead elsewhere. */
export const checkEnds = ({ report }: World, step: Rec, path: string): void => {
  if (step.ends === undefined) return
  for (const key of ["neverCompletes", "call"] as const) {
    if (step[key] === undefined) continue
    const why = key !== "call" ? "the flow cannot stay here and end here" : "then says what comes after a call"
    report(`${path}.ends`, `ends with ${key}`, why, "Keep one of them")
  }
  const branches = records(step.branches)
  const isOver = branches.length > 0 && onlySpeaks(step)
  if (isOver || branches.some((branch) => !isConditional(branch))) {
    report(
      `${path}.branches`,
      "branches on a step that ends the flow",
      isOver ? "the flow is over as soon as the step has spoken" : "the fallback is that the flow ends",
      "Keep one of them"
    )
  }
}
