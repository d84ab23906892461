/** Describes the definition of an agent as JSON. */
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { isJsonObject, type JsonObject, recordOf } from "../../domain/base/Json.js"
import { flowId, stepId } from "../../domain/definition/Definition.js"
import { type Fields, jsonSchemaOf } from "../../domain/fields/Fields.js"
import * as Graph from "../../domain/graph/Graph.js"
import { writtenOf } from "../../pipeline/state/agentInternals.js"
import type { Runtime } from "../../pipeline/state/TurnState.js"
import type { DefinitionBody } from "./api/AgentApi.js"

/** Returns the JSON Schema of a value; if there is none, an empty schema, which accepts every value. */
const schemaOf = (schema: Schema.Schema.All): JsonObject =>
  Either.match(Either.try(() => jsonSchemaOf(schema)), {
    onLeft: () => ({}),
    onRight: (found) => isJsonObject(found) ? found : {}
  })

const longest = 4_000

/** Returns a text of the definition; for a function that makes the text, the first lines of its source code. */
const textOf = (given: unknown): string | undefined =>
  typeof given === "string" ? given : typeof given === "function" ? Excerpt.start(String(given), longest) : undefined

const listOf = (given: unknown): ReadonlyArray<unknown> => Array.isArray(given) ? given : []

const stepsOf = (options: object): typeof DefinitionBody.Type["steps"] =>
  listOf(recordOf(options).flows).map(recordOf).flatMap((flow) =>
    listOf(flow.steps).map(recordOf).map((step, index) => {
      const prompt = textOf(step.prompt) ?? textOf(step.reply)
      const description = textOf(step.description)
      return {
        id: `${flowId(flow)}/${stepId(step, index)}`,
        ...(prompt !== undefined && { prompt }),
        ...(description !== undefined && { description })
      }
    })
  )

const namedOf = (fields: Fields) =>
  Array.from(fields.values(), ({ label, name, schema, scope }) => ({ name, label, scope, schema: schemaOf(schema) }))

/** Returns the tools of the agent, its flows and its steps, each tool once. */
const toolsOf = ({ definition: { flows, tools } }: Runtime): typeof DefinitionBody.Type["tools"] => {
  const all = [...tools, ...flows.flatMap((flow) => [...flow.tools, ...flow.steps.flatMap(({ tools }) => tools)])]
  return [...new Map(all.map((tool) => [tool.id, tool])).values()].map((
    { description, hasEffect, id, jsonSchema }
  ) => ({
    id,
    hasEffect,
    ...(description !== undefined && { description }),
    parameters: isJsonObject(jsonSchema) ? jsonSchema : {}
  }))
}

export const definitionBody = (agent: object, runtime: Runtime): typeof DefinitionBody.Type => {
  const options = writtenOf(agent)?.options ?? {}
  const { contextFields, events, fields } = runtime.definition
  return {
    graph: Graph.make(options),
    steps: stepsOf(options),
    tools: toolsOf(runtime),
    fields: namedOf(fields),
    context: namedOf(contextFields).map(({ name, schema }) => ({ name, schema })),
    events: Array.from(events, ([name, schema]) => ({ name, schema: schemaOf(schema) }))
  }
}
