/** Generates arguments of tool calls. */
import type { CompiledStep, CompiledTool, Definition } from "../../domain/definition/Definition.js"
import { argumentsOf } from "../../layers/models/JsonSchemas.js"
import type { OfferedTool } from "../../services/model/Model.js"
import * as SeededRandom from "./SeededRandom.js"
import { isLeftOut, ofJsonSchema, type Pool, pools } from "./Values.js"

/** The values for each parameter of each tool, by the tool's id. */
export type Parameters = ReadonlyMap<string, ReadonlyMap<string, Pool>>

const ofStep = ({ call, tools }: CompiledStep): ReadonlyArray<CompiledTool> =>
  call === undefined ? tools : [...tools, call.tool]

/** Every tool of the agent, of its flows and of its steps, including those that steps call by themselves, each once. */
export const toolsOf = ({ flows, tools }: Definition): ReadonlyArray<CompiledTool> => [
  ...new Map(
    [...tools, ...flows.flatMap(({ steps, tools }) => [...tools, ...steps.flatMap(ofStep)])]
      .map((tool) => [tool.id, tool])
  ).values()
]

/** The values of each parameter that is known individually. */
export const parametersOf = (definition: Definition, seed: number): Parameters =>
  new Map(toolsOf(definition).map(({ id, parameters }) => [id, pools(parameters, {}, seed)]))

/**
 * Makes the arguments for a call. If the tool's parameters are not known individually, they are generated from its JSON
 * schema.
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
