/** A scripted language model: records its requests; the script computes each answer from the request. */
import { AiError, type Response, Tool } from "@effect/ai"
import { ScriptedModel } from "coxswain/testing"
import { Schema } from "effect"

export type Answer = ScriptedModel.Answer
export type Asked = ScriptedModel.Asked

/** The characters of a request: all text, and the schema of a structured answer. */
export const chars = ({ schema, text }: Asked): number =>
  text.length + (Schema.isSchema(schema) ? JSON.stringify(Tool.getJsonSchemaFromSchemaAst(schema.ast)).length : 0)

export const toolCall = (name: string, params: unknown, id = `call_${name}`): Response.PartEncoded => ({
  type: "tool-call",
  id,
  name,
  params: params as never
})

/** A provider's HTTP error. */
export const refusal = (status: number, headers: Record<string, string> = {}): AiError.AiError =>
  new AiError.HttpResponseError({
    module: "Script",
    method: "generateText",
    reason: "StatusCode",
    request: { method: "POST", url: "http://localhost", urlParams: [], hash: undefined, headers: {} },
    response: { status, headers }
  } as never, { disableValidation: true })

export const make = ScriptedModel.languageModel
