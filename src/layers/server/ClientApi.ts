/**
 * The part of the API for clients of other protocols: the AI SDK, OpenAI and AG-UI. The Schemas describe only the
 * fields that are read.
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { JsonObject } from "../../domain/base/Json.js"
import { optional } from "../../domain/fields/Fields.js"
import { SessionId } from "../../domain/session/Session.js"
import { Authentication } from "./Access.js"
import { DecisionBody, describe, Events, id, Key } from "./ApiParts.js"

/**
 * The fields of an AI SDK message that are read.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ChatMessage = Schema.Struct({
  id: Key,
  role: Schema.Literal("user", "assistant"),
  parts: Schema.Array(Schema.Struct({
    type: Schema.String,
    text: optional(Schema.String),
    state: optional(Schema.String),
    approval: optional(Schema.Struct({
      id: Schema.String,
      approved: optional(Schema.Boolean),
      reason: optional(Schema.String)
    }))
  }))
}).annotations({ identifier: "ChatMessage" })

/**
 * @since 0.1.0
 * @category models
 */
export type ChatMessage = typeof ChatMessage.Type

/**
 * The request of `useChat`. Only the last message is read, because the others are in the session.
 *
 * @since 0.1.0
 * @category schemas
 */
const ChatBody = Schema.Struct({
  id: SessionId,
  messages: Schema.Array(ChatMessage),
  trigger: optional(Schema.String)
}).annotations({ identifier: "ChatBody" })

const Content = Schema.NullOr(Schema.Union(
  Schema.String,
  Schema.Array(Schema.Struct({ type: Schema.String, text: optional(Schema.String) }))
))

/**
 * The fields of a request for a chat completion that are read. Model parameters are ignored, because the agent sets
 * them.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CompletionBody = Schema.Struct({
  model: Schema.String,
  messages: Schema.Array(Schema.Struct({ role: Schema.String, content: optional(Content) })),
  stream: optional(Schema.NullOr(Schema.Boolean)),
  stream_options: optional(Schema.NullOr(Schema.Struct({ include_usage: optional(Schema.Boolean) })))
}).annotations({ identifier: "CompletionBody" })

/**
 * @since 0.1.0
 * @category models
 */
export type CompletionBody = typeof CompletionBody.Type

/**
 * The fields of a request for a response that are read.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ResponseBody = Schema.Struct({
  model: Schema.String,
  input: Schema.Union(
    Schema.String,
    Schema.Array(Schema.Struct({ role: optional(Schema.String), content: optional(Content) }))
  ),
  conversation: optional(Schema.NullOr(Schema.Union(SessionId, Schema.Struct({ id: SessionId })))),
  previous_response_id: optional(Schema.NullOr(Schema.String)),
  stream: optional(Schema.NullOr(Schema.Boolean))
}).annotations({ identifier: "ResponseBody" })

/**
 * @since 0.1.0
 * @category models
 */
export type ResponseBody = typeof ResponseBody.Type

/**
 * The fields of an AG-UI run that are read. The client's state is ignored, because the session has it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RunBody = Schema.Struct({
  threadId: SessionId,
  runId: Schema.String,
  messages: Schema.Array(Schema.Struct({ id: Key, role: Schema.String, content: optional(Content) })),
  resume: optional(Schema.Array(Schema.Struct({
    interruptId: Schema.String,
    status: Schema.Literal("resolved", "cancelled"),
    payload: optional(DecisionBody)
  })))
}).annotations({ identifier: "RunBody" })

/**
 * @since 0.1.0
 * @category models
 */
export type RunBody = typeof RunBody.Type

const ModelList = Schema.Struct({
  object: Schema.Literal("list"),
  data: Schema.Array(Schema.Struct({
    id: Schema.String,
    object: Schema.Literal("model"),
    created: Schema.Number,
    owned_by: Schema.String
  }))
}).annotations({ identifier: "ModelList" })

/**
 * The routes of the AI SDK.
 *
 * @since 0.1.0
 * @category constructors
 */
export const chat = HttpApiGroup.make("chat")
  .add(
    HttpApiEndpoint.post("chat", "/chat").setPayload(ChatBody).addSuccess(Events)
      .annotateContext(describe("A message, or decisions, of the AI SDK's useChat; the UI message stream, version 1."))
  )
  .add(
    HttpApiEndpoint.get("resume")`/chat/${id}/stream`.addSuccess(Events).addSuccess(HttpApiSchema.NoContent)
      .annotateContext(describe("The message that is being answered, from its beginning; 204 when none is."))
  )
  .middleware(Authentication)

/**
 * The routes of clients of OpenAI.
 *
 * @since 0.1.0
 * @category constructors
 */
export const openai = HttpApiGroup.make("openai")
  .add(HttpApiEndpoint.post("completions", "/v1/chat/completions").setPayload(CompletionBody).addSuccess(JsonObject))
  .add(HttpApiEndpoint.post("responses", "/v1/responses").setPayload(ResponseBody).addSuccess(JsonObject))
  .add(HttpApiEndpoint.get("models", "/v1/models").addSuccess(ModelList))
  .middleware(Authentication)

/**
 * The route of AG-UI.
 *
 * @since 0.1.0
 * @category constructors
 */
export const agui = HttpApiGroup.make("agui")
  .add(
    HttpApiEndpoint.post("run", "/agui").setPayload(RunBody).addSuccess(Events)
      .annotateContext(describe("A run of AG-UI: the last message, or what was decided about interrupts."))
  )
  .middleware(Authentication)
