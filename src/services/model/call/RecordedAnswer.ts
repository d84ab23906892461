/** The answer of a model, in the form in which the turn log and the recordings of tests store it. */
import * as Response from "@effect/ai/Response"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Json, JsonObject, toJson } from "../../../domain/base/Json.js"
import { optional } from "../../../domain/fields/Fields.js"
import * as Transcript from "../../../domain/session/Transcript.js"
import type { ModelAnswer } from "./ModelCall.js"

export const RecordedAnswer = Schema.Struct({
  text: Schema.String,
  toolCalls: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      params: Json,
      tooDeep: Schema.optionalWith(Schema.Literal(true), { exact: true })
    })
  ),
  message: JsonObject,
  finishReason: Response.FinishReason,
  usage: Schema.Struct({ inputTokens: Schema.Number, outputTokens: Schema.Number, cachedInputTokens: Schema.Number }),
  value: optional(Json),
  reasoning: optional(Schema.String)
})

export type RecordedAnswer = typeof RecordedAnswer.Type

export const encode = (
  { content, finishReason, reasoning, text, toolCalls, usage, value }: ModelAnswer
): RecordedAnswer => ({
  text,
  toolCalls: toolCalls.map(({ params, ...call }) => ({ ...call, params: toJson(params) })),
  message: Transcript.encode(Transcript.assistant(content)),
  finishReason,
  usage,
  ...(value !== undefined && { value: toJson(value) }),
  ...(reasoning !== undefined && { reasoning })
})

export const decode = ({ message, value, ...answer }: RecordedAnswer): ModelAnswer => {
  const decoded = Either.getOrUndefined(Transcript.decode(message))
  return { ...answer, value, content: decoded?.role === "assistant" ? decoded.content : [] }
}
