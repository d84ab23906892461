/** The calls that the engine can make itself for a policy with `satisfy`. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { recordOf } from "../../base/Json.js"
import type { ErasedAgent, ErasedTool } from "../../definition/Erase.js"
import type { Policy } from "../../policy/Policy.js"
import { callsIn, refsIn } from "../../policy/reads.js"
import * as ToolPlaces from "../shape/ToolPlaces.js"

/** A tool that the engine can call by itself: it is not known to change data, and does not always need approval. */
export interface Makeable {
  readonly id: string
  /** The path of the list that contains the tool: `tools`, `flows[0].tools` or `flows[0].steps[0].tools`. */
  readonly list: string
  /** The names of its parameters without a default. */
  readonly required: ReadonlyArray<string>
}

const needsApproval = ({ needsApproval: need }: ErasedTool): boolean =>
  need === true || (Predicate.isRecord(need) && need.autoApprove === undefined)

const requiredOf = ({ parameters = {} }: ErasedTool): ReadonlyArray<string> =>
  Schema.isSchema(parameters)
    ? []
    : Object.entries(parameters).flatMap(([name, one]) => Schema.isPropertySignature(one) ? [] : [name])

/** Returns the tools that the engine may call itself. */
export const of = (options: ErasedAgent): ReadonlyArray<Makeable> =>
  ToolPlaces.all(options).flatMap(({ id, options: tool, path }) =>
    tool === undefined || tool.isReadOnly === undefined || tool.isReadOnly === false || needsApproval(tool)
      ? []
      : [{ id, list: path.slice(0, path.lastIndexOf("[")), required: requiredOf(tool) }]
  )

/** Returns the names of the arguments that a policy gives to each missing call of a tool. */
const givenTo = (tool: string, { onlyIf }: Policy): ReadonlyArray<ReadonlyArray<string>> =>
  onlyIf === undefined ? [] : [
    ...callsIn(onlyIf).flatMap((one) => one.called === tool ? [one.with] : []),
    ...refsIn(onlyIf).flatMap((ref) => "result" in ref && ref.result === tool ? [ref.with] : [])
  ].map((args) => Object.keys(recordOf(args)))

/**
 * True if the engine can call the tool for the policy in a step, or outside of flows: the policy has `satisfy` and gives
 * all required arguments, and the agent, the flow or the step has the tool.
 */
export const isPossible = (
  tools: ReadonlyArray<Makeable>,
  policy: Policy,
  tool: string,
  step: { readonly path: string } | undefined
): boolean =>
  policy.satisfy === true && tools.some(({ id, list, required }) =>
    id === tool && isNear(list, step?.path) &&
    givenTo(tool, policy).some((names) => required.every((name) => names.includes(name)))
  )

const isNear = (list: string, step: string | undefined): boolean =>
  list === "tools" || (step !== undefined && (list === `${step}.tools` || list === `${step.split(".")[0]}.tools`))
