/** A language model that plays a script: what it was asked is recorded, what it answers is a function of that. */
import { AiError, type Response, Tool } from "@effect/ai"
import { ScriptedModel } from "coxswain/testing"
import { Schema } from "effect"

export type Answer = ScriptedModel.Answer
export type Asked = ScriptedModel.Asked

/** How much was sent: all text, and the schema of a structured answer. */
export const chars = ({ schema, text }: Asked): number =>
  text.length + (Schema.isSchema(schema) ? JSON.stringify(Tool.getJsonSchemaFromSchemaAst(schema.ast)).length : 0)

export const toolCall = (name: string, params: unknown, id = `call_${name}`): Response.PartEncoded => ({
  type: "tool-call",
  id,
  name,
  params: params as never
})

/** How a provider refuses. */
export const refusal = (status: number, headers: Record<string, string> = {}): AiError.AiError =>
  new AiError.HttpResponseError({
    module: "Script",
    method: "generateText",
    reason: "StatusCode",
    request: { method: "POST", url: "http://localhost", urlParams: [], hash: undefined, headers: {} },
    response: { status, headers }
  } as never, { disableValidation: true })

export const make = ScriptedModel.languageModel
