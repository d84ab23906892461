/** The providers' wire formats: what each server sends for the same answer. */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Anthropic from "coxswain/layers/anthropic"
import * as Google from "coxswain/layers/google"
import * as OpenAi from "coxswain/layers/openai"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import * as OpenRouter from "coxswain/layers/openrouter"
import type { Layer } from "effect"
import { Redacted } from "effect"
import * as AnthropicRules from "./AnthropicRules.js"
import * as GoogleRules from "./GoogleRules.js"
import * as rules from "./rules.js"

/** An answer, independent of the format. 11 tokens in, 4 of them cached, 7 out. */
export interface Said {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: ReadonlyArray<{ readonly id: string; readonly name: string; readonly params: object }>
  readonly json?: object
  readonly stop?: "length" | "filter"
}

export interface Dialect {
  readonly name: string
  readonly layer: (url: string, key: string) => Layer.Layer<LanguageModel.LanguageModel, unknown>
  readonly isStream: (url: string, body: { readonly stream?: boolean }) => boolean
  readonly whole: (said: Said) => object
  /** One server-sent event each. */
  readonly events: (said: Said) => ReadonlyArray<string>
  readonly refusal: (status: number, message: string) => object
  /** The vendor's error message for an invalid request; undefined for a valid one. */
  readonly breach: (body: unknown, url: string) => string | undefined
  /** An error event within a stream, if the format has one. */
  readonly errorEvent?: (message: string) => string
  /** The JSON schema in a request for a structured answer. */
  readonly schemaOf: (body: never) => unknown
}

const named = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const pieces = (text: string) => text.match(/[^]{1,5}/g) ?? []

/** Token usage in the Responses API. */
export const responsesUsage = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 18
}

const openai: Dialect = (() => {
  const response = (output: ReadonlyArray<object>, more: object = {}) => ({
    id: "resp_1",
    object: "response",
    created_at: 1700000000,
    status: "completed",
    model: "gpt-x",
    output,
    error: null,
    incomplete_details: null,
    instructions: null,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    temperature: 1,
    top_p: 1,
    metadata: {},
    usage: responsesUsage,
    ...more
  })
  const message = (text: string) => ({
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }]
  })
  const thought = (text: string) => ({
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text }],
    encrypted_content: "gAAAA"
  })
  const called = ({ id, name, params }: NonNullable<Said["calls"]>[number]) => ({
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(params),
    status: "completed"
  })
  const items = (said: Said) => [
    ...said.reasoning === undefined ? [] : [thought(said.reasoning)],
    ...said.text === undefined && said.json === undefined ? [] : [message(said.text ?? JSON.stringify(said.json))],
    ...(said.calls ?? []).map(called)
  ]
  const outcome = (said: Said) =>
    said.stop === undefined ? {} : {
      status: "incomplete",
      incomplete_details: { reason: said.stop === "length" ? "max_output_tokens" : "content_filter" }
    }
  return {
    name: "openai",
    layer: (url, key) => OpenAi.layer({ model: "gpt-x", baseUrl: `${url}/v1`, apiKey: Redacted.make(key) }),
    isStream: (_url, body) => body.stream === true,
    whole: (said) => response(items(said), outcome(said)),
    events: (said) => {
      let n = 0
      const event = (type: string, more: object) => named(type, { sequence_number: n++, ...more })
      const events = [
        event("response.created", { response: response([], { status: "in_progress", usage: undefined }) }),
        "event: keepalive\ndata: {\"type\":\"keepalive\"}\n\n"
      ]
      const deltas = (item: { readonly type: string; readonly id: string }, at: object): ReadonlyArray<string> => {
        const delta = (type: string, text: string, more: object) =>
          pieces(text).map((delta) => event(type, { ...at, item_id: item.id, delta, ...more }))
        switch (item.type) {
          case "message":
            return delta("response.output_text.delta", said.text ?? JSON.stringify(said.json), {
              content_index: 0,
              logprobs: []
            })
          case "reasoning":
            return delta("response.reasoning_summary_text.delta", said.reasoning!, { summary_index: 0 })
          default:
            return delta("response.function_call_arguments.delta", (item as ReturnType<typeof called>).arguments, {})
        }
      }
      const begun = { message: { content: [], status: "in_progress" }, reasoning: { summary: [] } }
      const added = items(said).flatMap((item, output_index) => [
        event("response.output_item.added", {
          output_index,
          item: { ...item, ...(begun as Record<string, object>)[item.type] ?? { arguments: "", status: "in_progress" } }
        }),
        ...deltas(item, { output_index }),
        event("response.output_item.done", { output_index, item })
      ])
      const end = said.stop === undefined ? "response.completed" : "response.incomplete"
      return [...events, ...added, event(end, { response: response(items(said), outcome(said)) })]
    },
    breach: rules.openai,
    refusal: (status, message) => ({ error: { message, type: "error", param: null, code: `code_${status}` } }),
    errorEvent: (message) => named("error", { sequence_number: 9, code: "server_error", message, param: null }),
    schemaOf: (body: { text: { format: { schema: unknown } } }) => body.text.format.schema
  }
})()

const compatible: Dialect = (() => {
  const usage = {
    prompt_tokens: 11,
    completion_tokens: 7,
    total_tokens: 18,
    prompt_tokens_details: { cached_tokens: 4 }
  }
  const reason = (said: Said) =>
    said.stop === "length" ? "length" : said.stop === "filter" ? "content_filter" : said.calls ? "tool_calls" : "stop"
  const text = (said: Said) => said.text ?? (said.json === undefined ? undefined : JSON.stringify(said.json))
  const call = ({ id, name, params }: NonNullable<Said["calls"]>[number]) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(params) }
  })
  const chunk = (delta: object, finish_reason: string | null = null) =>
    data({ id: "c1", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason }] })
  return {
    name: "openai-compatible",
    layer: (url, key) => OpenAiCompatible.layer({ model: "m", baseUrl: `${url}/v1/`, apiKey: Redacted.make(key) }),
    isStream: (_url, body) => body.stream === true,
    whole: (said) => ({
      id: "c1",
      object: "chat.completion",
      model: "m",
      choices: [{
        index: 0,
        finish_reason: reason(said),
        message: {
          role: "assistant",
          content: text(said) ?? null,
          reasoning_content: said.reasoning,
          tool_calls: said.calls?.map(call)
        }
      }],
      usage
    }),
    events: (said) => [
      ": comment\n\n",
      chunk({ role: "assistant", content: "" }),
      ...pieces(said.reasoning ?? "").map((piece) => chunk({ reasoning_content: piece })),
      ...pieces(text(said) ?? "").map((piece) => chunk({ content: piece })),
      ...(said.calls ?? []).flatMap((each, index) => {
        const whole = call(each)
        return [
          chunk({ tool_calls: [{ index, ...whole, function: { name: each.name, arguments: "" } }] }),
          ...pieces(whole.function.arguments).map((piece) =>
            chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
          )
        ]
      }),
      chunk({}, reason(said)),
      data({ id: "c1", object: "chat.completion.chunk", model: "m", choices: [], usage }),
      "data: [DONE]\n\n"
    ],
    breach: rules.chat,
    refusal: (status, message) => ({ error: { message, type: "error", code: `code_${status}` } }),
    errorEvent: (message) => data({ error: { message, code: 502 } }),
    schemaOf: (body: { response_format: { json_schema: { schema: unknown } } }) =>
      body.response_format.json_schema.schema
  }
})()

const anthropic: Dialect = (() => {
  // Anthropic counts cached tokens separately: 7 + 4 are the 11 of the others.
  const usage = (output_tokens: number) => ({
    input_tokens: 7,
    output_tokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 4
  })
  const blocks = (said: Said): ReadonlyArray<{ readonly type: string } & Record<string, unknown>> => [
    ...said.reasoning === undefined ? [] : [{ type: "thinking", thinking: said.reasoning, signature: "sig" }],
    ...said.text === undefined ? [] : [{ type: "text", text: said.text, citations: null }],
    ...(said.calls ?? []).map(({ id, name, params }) => ({ type: "tool_use", id, name, input: params })),
    ...said.json === undefined ? [] : [{ type: "tool_use", id: "toolu_json", name: "answer", input: said.json }]
  ]
  const reason = (said: Said) =>
    said.stop === "length"
      ? "max_tokens"
      : said.stop === "filter"
      ? "refusal"
      : said.calls ?? said.json
      ? "tool_use"
      : "end_turn"
  const message = (said: Said, output: number) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-x",
    content: blocks(said),
    stop_reason: reason(said),
    stop_sequence: null,
    usage: usage(output)
  })
  return {
    name: "anthropic",
    layer: (url, key) => Anthropic.layer({ model: "claude-x", baseUrl: url, apiKey: Redacted.make(key) }),
    isStream: (_url, body) => body.stream === true,
    whole: (said) => message(said, 7),
    events: (said) => [
      named("message_start", { message: { ...message({}, 1), stop_reason: null } }),
      named("ping", {}),
      ...blocks(said).flatMap((block, index) => {
        const delta = (value: object) => named("content_block_delta", { index, delta: value })
        const [empty, deltas] = block.type === "text"
          ? [{ ...block, text: "" }, pieces(block.text as string).map((text) => delta({ type: "text_delta", text }))]
          : block.type === "thinking"
          ? [{ ...block, thinking: "", signature: "" }, [
            ...pieces(block.thinking as string).map((thinking) => delta({ type: "thinking_delta", thinking })),
            delta({ type: "signature_delta", signature: "sig" })
          ]]
          : [
            { ...block, input: {} },
            pieces(JSON.stringify(block.input)).map((partial_json) => delta({ type: "input_json_delta", partial_json }))
          ]
        return [
          named("content_block_start", { index, content_block: empty }),
          ...deltas,
          named("content_block_stop", { index })
        ]
      }),
      named("message_delta", {
        delta: { stop_reason: reason(said), stop_sequence: null },
        usage: { output_tokens: 7 }
      }),
      named("message_stop", {})
    ],
    breach: AnthropicRules.breach,
    refusal: (status, message) => ({
      type: "error",
      error: {
        type: status === 400
          ? "invalid_request_error"
          : status === 401
          ? "authentication_error"
          : status === 404
          ? "not_found_error"
          : status === 429
          ? "rate_limit_error"
          : status === 529
          ? "overloaded_error"
          : "api_error",
        message
      }
    }),
    errorEvent: (message) => named("error", { error: { type: "overloaded_error", message } }),
    schemaOf: (body: { tools: ReadonlyArray<{ input_schema: unknown }> }) => body.tools[0]!.input_schema
  }
})()

const google: Dialect = (() => {
  const parts = (said: Said) => [
    ...said.reasoning === undefined ? [] : [{ text: said.reasoning, thought: true }],
    ...said.text === undefined ? [] : [{ text: said.text }],
    ...said.json === undefined ? [] : [{ text: JSON.stringify(said.json) }],
    ...(said.calls ?? []).map(({ name, params }) => ({ functionCall: { name, args: params } }))
  ]
  const reason = (said: Said) => said.stop === "length" ? "MAX_TOKENS" : said.stop === "filter" ? "SAFETY" : "STOP"
  const usageMetadata = {
    promptTokenCount: 11,
    candidatesTokenCount: 7,
    totalTokenCount: 18,
    cachedContentTokenCount: 4
  }
  const candidates = (content: ReadonlyArray<object>, finishReason?: string) => [{
    ...(content.length > 0 && { content: { role: "model", parts: content } }),
    ...(finishReason !== undefined && { finishReason }),
    index: 0
  }]
  return {
    name: "google",
    layer: (url, key) => Google.layer({ model: "gemini-x", baseUrl: url, apiKey: Redacted.make(key) }),
    isStream: (url) => url.includes("streamGenerateContent"),
    whole: (said) => ({
      candidates: candidates(parts(said), reason(said)),
      usageMetadata,
      modelVersion: "gemini-x",
      responseId: "r1"
    }),
    events: (said) => {
      const all = parts(said).flatMap((part) =>
        "text" in part ? pieces(part.text).map((text): object => ({ ...part, text })) : [part]
      )
      return [
        ...all.slice(0, -1).map((part) =>
          data({ candidates: candidates([part]), modelVersion: "gemini-x", responseId: "r1" })
        ),
        data({
          candidates: candidates(all.slice(-1), reason(said)),
          usageMetadata,
          modelVersion: "gemini-x",
          responseId: "r1"
        })
      ]
    },
    refusal: (status, message) => ({
      error: { code: status, message, status: status === 400 ? "INVALID_ARGUMENT" : "X" }
    }),
    breach: GoogleRules.breach,
    schemaOf: (body: { generationConfig: { responseJsonSchema: unknown } }) => body.generationConfig.responseJsonSchema
  }
})()

const openrouter: Dialect = {
  ...compatible,
  name: "openrouter",
  layer: (url, key) =>
    OpenRouter.layer({ model: "vendor/m", baseUrl: `${url}/api/v1`, apiKey: Redacted.make(key), title: "Test" })
}

export const dialects: ReadonlyArray<Dialect> = [openai, compatible, anthropic, google, openrouter]
