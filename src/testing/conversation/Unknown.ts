/** Checks the names in a script or an expectation against the agent's definition. */
import * as ErrorMessage from "../../domain/base/error/ErrorMessage.js"
import { type Definition, findFlow } from "../../domain/definition/Definition.js"
import { type Move, partOf } from "../script/Move.js"

interface Mismatch {
  readonly expected: string
  readonly found: string
}

/** Returns a mismatch with the known flows, if the flow does not exist. */
export const unknownFlow = ({ flows }: Definition, name: string): Mismatch | undefined =>
  findFlow(flows, name) === undefined
    ? { expected: `a flow "${name}"`, found: `the flows ${ErrorMessage.names(flows.map(({ id }) => id))}` }
    : undefined

/** Returns a mismatch with the known steps, if the step does not exist. */
export const unknownStep = (definition: Definition, flow: string, name: string): Mismatch | undefined => {
  const steps = findFlow(definition.flows, flow)?.steps ?? []
  return unknownFlow(definition, flow) ?? (steps.some(({ id }) => id === name)
    ? undefined
    : {
      expected: `a step "${name}" of "${flow}"`,
      found: `the steps ${ErrorMessage.names(steps.map(({ id }) => id))}`
    })
}

/** Returns a mismatch for the first unknown name in a turn's script, if any. */
export const unknownNames = (definition: Definition, moves: ReadonlyArray<Move>): Mismatch | undefined => {
  const { dontCare = [], fields = {}, flow = {}, withdrawn = [] } = partOf(moves).judgement ?? {}
  const flows = typeof flow === "string" ? [flow] : Object.keys(flow)
  const named = [...Object.keys(fields), ...withdrawn, ...dontCare]
  // In a question about a call that waits for the user, an argument is named by tool and argument: `send.euros`.
  const field = named.find((name) => !definition.fields.has(name) && !name.includes("."))
  return flows.map((name) => unknownFlow(definition, name)).find((found) => found !== undefined) ??
    (field === undefined
      ? undefined
      : { expected: `a field "${field}"`, found: `the fields ${ErrorMessage.names(definition.fields.keys())}` })
}
