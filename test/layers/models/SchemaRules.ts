/** Checks a schema, as the library sends it to each vendor, against the vendors' doubles. */
import * as Prompt from "@effect/ai/Prompt"
import * as AnthropicRequest from "../../../src/layers/models/AnthropicRequest.js"
import * as GoogleRequest from "../../../src/layers/models/GoogleRequest.js"
import * as ResponsesRequest from "../../../src/layers/models/ResponsesRequest.js"
import { toolSchema, vendorSchema } from "../../../src/services/model/call/VendorSchema.js"
import type { Question } from "../../../src/services/model/call/Wire.js"
import * as AnthropicRules from "./AnthropicRules.js"
import * as GoogleRules from "./GoogleRules.js"
import * as rules from "./rules.js"

const prompt = Prompt.make("hello")

const asking = (json: object | undefined, tool: object | undefined): Question => ({
  prompt,
  toolChoice: "auto",
  span: undefined,
  tools: tool === undefined ? [] : [{ name: "tool", jsonSchema: toolSchema(tool) }],
  ...json !== undefined && { json: { name: "answer", schema: vendorSchema(json) } }
})

const written = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

interface Sent {
  readonly vendor: string
  readonly body: unknown
  readonly refused: string | undefined
}

const sent = (question: Question): ReadonlyArray<Sent> => {
  const openai = [true, false].map((strict) => {
    const body = written(
      ResponsesRequest.request(question, { of: { model: "gpt-x", deployment: "d" }, config: { strict }, stream: false })
    )
    return { vendor: strict ? "openai strict" : "openai", body, refused: rules.openai(body) }
  })
  const anthropic = (["json_schema", "tool"] as const).map((structuredOutput) => {
    const options = { model: "claude-sonnet-4-5", config: {}, structuredOutput, stream: false }
    const body = written(AnthropicRequest.request(question, options).body)
    return { vendor: `anthropic ${structuredOutput}`, body, refused: AnthropicRules.breach(body) }
  })
  const google = (["json_schema", "openapi"] as const).map((dialect) => {
    const body = written(GoogleRequest.request(question, { model: "gemini-2.5-flash", config: {}, dialect }))
    return { vendor: `google ${dialect}`, body, refused: GoogleRules.breach(body, "gemini-2.5-flash") }
  })
  return [...openai, ...anthropic, ...google]
}

/** A request for a JSON answer, for every vendor. */
export const answer = (schema: object): ReadonlyArray<Sent> => sent(asking(schema, undefined))

/** A request that offers a tool, for every vendor. */
export const offer = (schema: object): ReadonlyArray<Sent> => sent(asking(undefined, schema))

/** Why each vendor refuses the schema, if it does. */
export const refusals = (all: ReadonlyArray<Sent>): ReadonlyArray<string> =>
  all.flatMap(({ refused, vendor }) => refused === undefined ? [] : [`${vendor}: ${refused}`])
