/**
 * Names in a script or an expectation that the agent does not have.
 *
 * @since 0.1.0
 */
import { type Definition, findFlow } from "../../domain/definition/Definition.js"
import { type Move, partOf } from "../script/Move.js"

interface Mismatch {
  readonly expected: string
  readonly found: string
}

const list = (names: ReadonlyArray<string>): string => names.join(", ") || "none"

/** A flow that does not exist, with those that do. */
export const unknownFlow = ({ flows }: Definition, name: string): Mismatch | undefined =>
  findFlow(flows, name) === undefined
    ? { expected: `a flow "${name}"`, found: `the flows ${list(flows.map(({ id }) => id))}` }
    : undefined

/** A step that does not exist, with those that do. */
export const unknownStep = (definition: Definition, flow: string, name: string): Mismatch | undefined => {
  const steps = findFlow(definition.flows, flow)?.steps ?? []
  return unknownFlow(definition, flow) ?? (steps.some(({ id }) => id === name)
    ? undefined
    : { expected: `a step "${name}" of ${flow}`, found: `the steps ${list(steps.map(({ id }) => id))}` })
}

/** The first name in a turn's script that the agent does not have. */
export const unknownNames = (definition: Definition, moves: ReadonlyArray<Move>): Mismatch | undefined => {
  const { dontCare = [], fields = {}, flow = {}, withdrawn = [] } = partOf(moves).judgement ?? {}
  const flows = typeof flow === "string" ? [flow] : Object.keys(flow)
  const named = [...Object.keys(fields), ...withdrawn, ...dontCare]
  // An argument of a call that the user is asked about goes by the tool and its name: `send.euros`.
  const field = named.find((name) => !definition.fields.has(name) && !name.includes("."))
  return flows.map((name) => unknownFlow(definition, name)).find((found) => found !== undefined) ??
    (field === undefined
      ? undefined
      : { expected: `a field "${field}"`, found: `the fields ${list([...definition.fields.keys()])}` })
}
