/** Fingerprints of a turn's requests: equal requests have equal fingerprints, in all processes. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Hash from "effect/Hash"
import { jsonSchemaOf } from "../../domain/fields/Fields.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type { Understood } from "../../domain/turn/TurnEntry.js"
import type { ModelCall, OfferedTool } from "../../services/model/Model.js"
import type { Questions } from "../../services/understanding/Understanding.js"

const ofText = (...parts: ReadonlyArray<string | undefined>): number =>
  Hash.string(parts.map((part) => part ?? "").join("\u0000"))

/** Fingerprints of Schemas; cached, because each Schema is part of the requests of every turn. */
const schemas = new WeakMap<object, number>()

const ofSchema = (schema: object, text: () => string): number => {
  const known = schemas.get(schema)
  if (known !== undefined) return known
  const mark = Hash.string(text())
  schemas.set(schema, mark)
  return mark
}

const ofJson = (schema: object): number => ofSchema(schema, () => JSON.stringify(schema))

const ofField = (schema: Questions["fields"][number]["schema"]): number =>
  ofSchema(schema, () => JSON.stringify(jsonSchemaOf(schema)))

/** Returns the fingerprints of the questions to Understanding, by name. */
export const ofQuestions = ({ conditions, fields, flows, signals }: Questions): Understood["asked"] => ({
  flows: Object.fromEntries(
    flows.map(({ description, id, title, when }) => [id, ofText(title, description, ...when)])
  ),
  fields: Object.fromEntries(fields.map(({ description, name, schema }) => [
    name,
    Hash.combine(ofField(schema))(ofText(description))
  ])),
  conditions: Object.fromEntries(conditions.map(({ id, when }) => [id, ofText(...when)])),
  signals: Object.fromEntries(signals.map(({ description, id, when }) => [id, ofText(description, ...when)]))
})

const ofTool = ({ description, jsonSchema, name }: OfferedTool): string =>
  `${name} ${description ?? ""} ${ofJson(jsonSchema)}`

const partsOf = (message: Prompt.Message): string => {
  const rest = Transcript.partsOf(message).flatMap((part) =>
    part.type === "tool-call"
      ? [`${part.id} ${part.name} ${JSON.stringify(part.params)}`]
      : part.type === "tool-result"
      ? [`${part.id} ${JSON.stringify(part.result)}`]
      : []
  )
  return [message.role, Transcript.textOf(message), ...rest].join(" ")
}

/** Returns the fingerprint of a model call: of its prompt and offered tools. */
export const ofCall = ({ prompt, toolChoice, tools = [] }: ModelCall): number =>
  ofText(
    ...prompt.content.map(partsOf),
    toolChoice === undefined ? "" : JSON.stringify(toolChoice),
    ...tools.map(ofTool)
  )
