/** Generates arguments of tool calls. */
import type { CompiledStep, CompiledTool, Definition } from "../../domain/definition/Definition.js"
import { argumentsOf } from "../../layers/models/JsonSchemas.js"
import type { OfferedTool } from "../../services/model/Model.js"
import * as SeededRandom from "./SeededRandom.js"
import { isLeftOut, ofJsonSchema, type Pool, pools } from "./Values.js"

/** The values to choose from for each parameter of each tool, by the tool's id. */
export type Parameters = ReadonlyMap<string, ReadonlyMap<string, Pool>>

const ofStep = ({ call, tools }: CompiledStep): ReadonlyArray<CompiledTool> =>
  call === undefined ? tools : [...tools, call.tool]

/**
 * Returns every tool of the agent, of its flows and of its steps once, including tools that steps call without the
 * model.
 */
export const toolsOf = ({ flows, tools }: Definition): ReadonlyArray<CompiledTool> => [
  ...new Map(
    [...tools, ...flows.flatMap(({ steps, tools }) => [...tools, ...steps.flatMap(ofStep)])]
      .map((tool) => [tool.id, tool])
  ).values()
]

/**
 * Returns the values to choose from for each parameter of each tool, if the tool declares its parameters one by one.
 */
export const parametersOf = (definition: Definition, seed: number): Parameters =>
  new Map(toolsOf(definition).map(({ id, parameters }) => [id, pools(parameters, {}, seed)]))

/**
 * Makes the arguments for a call. If the tool does not declare its parameters one by one, the arguments are generated
 * from its JSON schema.
 */
export const make = ({ jsonSchema, name }: OfferedTool, parameters: Parameters, seed: number): object => {
  const schema = argumentsOf(jsonSchema)
  const own = parameters.get(name)
  if (own === undefined || own.size === 0) return Object(ofJsonSchema(schema, seed, name))
  return Object.fromEntries(
    Array.from(own).flatMap(([parameter, { good }]) => {
      const value = SeededRandom.pick(good, seed, name, parameter)
      return value === undefined || isLeftOut(schema, parameter, seed, name) ? [] : [[parameter, value]]
    })
  )
}
