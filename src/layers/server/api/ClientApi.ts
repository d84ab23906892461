/**
 * The part of the API for clients of other protocols: the AI SDK, OpenAI and AG-UI. The Schemas describe only the
 * fields that the routes read.
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { JsonObject } from "../../../domain/base/Json.js"
import { optional } from "../../../domain/fields/Fields.js"
import { SessionId } from "../../../domain/session/Session.js"
import { Authentication } from "../requests/Access.js"
import { before, count, DecisionBody, describe, Events, id, Key } from "./ApiParts.js"
import { UploadBody } from "./FileApi.js"
import { TurnBody } from "./TurnBody.js"

/** The fields of an AI SDK message that the routes read. */
export const ChatMessage = Schema.Struct({
  id: Key,
  role: Schema.Literal("user", "assistant"),
  parts: Schema.Array(Schema.Struct({
    type: Schema.String,
    text: optional(Schema.String),
    mediaType: optional(Schema.String),
    filename: optional(Schema.String),
    url: optional(Schema.String),
    state: optional(Schema.String),
    approval: optional(Schema.Struct({
      id: Schema.String,
      approved: optional(Schema.Boolean),
      reason: optional(Schema.String)
    }))
  }))
}).annotations({ identifier: "ChatMessage" })

export type ChatMessage = typeof ChatMessage.Type

/**
 * The request of `useChat`. The route reads only the last message, because the others are in the session. It refuses
 * keys that are not listed.
 */
const ChatBody = Schema.Struct(
  {
    id: SessionId,
    messages: Schema.Array(ChatMessage),
    trigger: optional(Schema.Literal("submit-message", "regenerate-message")),
    /** Id of the message that is to be answered again, or to be replaced. */
    messageId: optional(Schema.NullOr(Schema.String)),
    context: TurnBody.fields.context,
    locale: TurnBody.fields.locale
  },
  Schema.Record({ key: Schema.String, value: Schema.Unknown })
).annotations({ identifier: "ChatBody" })

/** The keys of a request of `useChat`. */
export const chatKeys: ReadonlySet<string> = new Set(Object.keys(ChatBody.fields))

export type ChatBody = typeof ChatBody.Type

/** A message of the AI SDK in a response; its parts are those of the AI SDK's `UIMessage`. */
const UiMessage = Schema.Struct({
  id: Schema.String,
  role: Schema.Literal("user", "assistant"),
  metadata: optional(JsonObject),
  parts: Schema.Array(JsonObject)
}).annotations({ identifier: "UIMessage" })

const text = optional(Schema.NullOr(Schema.String))

/** A part of a message for OpenAI: `image_url`, `file` and `input_audio` of chat completions, `input_…` of responses. */
const OpenAiPart = Schema.Struct({
  type: Schema.String,
  text,
  image_url: optional(Schema.NullOr(Schema.Union(Schema.String, Schema.Struct({ url: Schema.String })))),
  input_audio: optional(Schema.Struct({ data: Schema.String, format: Schema.String })),
  file: optional(Schema.Struct({ file_data: text, file_id: text, filename: text })),
  file_data: text,
  file_id: text,
  file_url: text,
  filename: text
})

export type OpenAiPart = typeof OpenAiPart.Type

const Content = Schema.NullOr(Schema.Union(Schema.String, Schema.Array(OpenAiPart)))

/** A part of a message for AG-UI. */
const AgUiPart = Schema.Struct({
  type: Schema.String,
  text,
  source: optional(Schema.Struct({
    type: Schema.Literal("data", "url", "file"),
    value: Schema.String,
    mimeType: text
  })),
  /** A `binary` part of older clients. */
  mimeType: text,
  data: text,
  url: text,
  id: text,
  filename: text
})

export type AgUiPart = typeof AgUiPart.Type

/**
 * The fields of a request for a chat completion that are read. Model parameters are ignored, because the agent sets
 * them.
 */
export const CompletionBody = Schema.Struct({
  model: Schema.String,
  messages: Schema.Array(Schema.Struct({ role: Schema.String, content: optional(Content) })),
  stream: optional(Schema.NullOr(Schema.Boolean)),
  stream_options: optional(Schema.NullOr(Schema.Struct({ include_usage: optional(Schema.Boolean) })))
}).annotations({ identifier: "CompletionBody" })

export type CompletionBody = typeof CompletionBody.Type

/** The fields of a request for a response that are read. */
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

export type ResponseBody = typeof ResponseBody.Type

/** The fields of an AG-UI run that are read. The client's state is ignored, because the session has it. */
export const RunBody = Schema.Struct({
  threadId: SessionId,
  runId: Schema.String,
  messages: Schema.Array(Schema.Struct({
    id: Key,
    role: Schema.String,
    content: optional(Schema.NullOr(Schema.Union(Schema.String, Schema.Array(AgUiPart))))
  })),
  resume: optional(Schema.Array(Schema.Struct({
    interruptId: Schema.String,
    status: Schema.Literal("resolved", "cancelled"),
    payload: optional(DecisionBody)
  })))
}).annotations({ identifier: "RunBody" })

export type RunBody = typeof RunBody.Type

const FileObject = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("file"),
  bytes: Schema.Number,
  created_at: Schema.Number,
  filename: Schema.String,
  purpose: Schema.String
}).annotations({ identifier: "FileObject" })

const ModelList = Schema.Struct({
  object: Schema.Literal("list"),
  data: Schema.Array(Schema.Struct({
    id: Schema.String,
    object: Schema.Literal("model"),
    created: Schema.Number,
    owned_by: Schema.String
  }))
}).annotations({ identifier: "ModelList" })

/** The routes of the AI SDK. */
export const chat = HttpApiGroup.make("chat")
  .add(
    HttpApiEndpoint.post("chat", "/chat").setPayload(ChatBody).addSuccess(Events)
      .annotateContext(describe("A message, or decisions, of the AI SDK's useChat; the UI message stream, version 1."))
  )
  .add(
    HttpApiEndpoint.get("resume")`/chat/${id}/stream`.addSuccess(Events).addSuccess(HttpApiSchema.NoContent)
      .annotateContext(describe("The message that is being answered, from its beginning; 204 when none is."))
  )
  .add(
    HttpApiEndpoint.get("history")`/chat/${id}/messages`
      .setUrlParams(Schema.Struct({ before: optional(before), limit: optional(count) }))
      .addSuccess(Schema.Struct({ items: Schema.Array(UiMessage), next: optional(Schema.Number) }))
      .annotateContext(describe("The conversation as messages of the AI SDK, by page; for the messages of a new page."))
  )
  .add(
    HttpApiEndpoint.get("chatFeed")`/chat/${id}/feed`.addSuccess(Events)
      .annotateContext(describe("The messages that are new or have changed, from now on, whoever caused it."))
  )
  .middleware(Authentication)

/** The routes of clients of OpenAI. */
export const openai = HttpApiGroup.make("openai")
  .add(HttpApiEndpoint.post("completions", "/v1/chat/completions").setPayload(CompletionBody).addSuccess(JsonObject))
  .add(HttpApiEndpoint.post("responses", "/v1/responses").setPayload(ResponseBody).addSuccess(JsonObject))
  .add(HttpApiEndpoint.get("models", "/v1/models").addSuccess(ModelList))
  .add(
    HttpApiEndpoint.post("openaiFile", "/v1/files").setPayload(UploadBody).addSuccess(FileObject)
      .annotateContext(describe("Uploads one file; its id is the `file_id` of a part of a message."))
  )
  .middleware(Authentication)

/** The route of AG-UI. */
export const agui = HttpApiGroup.make("agui")
  .add(
    HttpApiEndpoint.post("run", "/agui").setPayload(RunBody).addSuccess(Events)
      .annotateContext(describe("A run of AG-UI: the last message, or what was decided about interrupts."))
  )
  .middleware(Authentication)
