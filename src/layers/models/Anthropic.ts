/**
 * Anthropic's Messages API.
 *
 * @since 0.1.0
 */
import * as AnthropicClient from "@effect/ai-anthropic/AnthropicClient"
import * as AnthropicLanguageModel from "@effect/ai-anthropic/AnthropicLanguageModel"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { PromptCache } from "../../services/Model.js"
import type { Connection } from "./Provider.js"
import { cleaner, connection, httpClient, keepSecret, prepared, tidied } from "./Provider.js"

/**
 * `apiKey` defaults to the environment's `ANTHROPIC_API_KEY`, `baseUrl` to `ANTHROPIC_BASE_URL`, else Anthropic itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Connection {
  readonly model: string
  /** Fields of the request, for example `max_tokens` (4096 by default), `temperature` or `thinking`. */
  readonly config?: Omit<AnthropicLanguageModel.Config.Service, "model">
}

interface Usage {
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number | null
  readonly cache_read_input_tokens: number | null
}

/** Anthropic counts cached tokens apart; everywhere else they are a part of the input tokens. */
const inclusive = <U extends Usage>(usage: U): U => ({
  ...usage,
  input_tokens: usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0)
})

type Payload = Parameters<AnthropicClient.Service["createMessage"]>[0]["payload"]
type Block = Exclude<Payload["messages"][number]["content"], string>[number]

/** Ids and arguments of other providers, whose transcript a fallback goes on with, are looser than Anthropic's. */
const conforming = (block: Block): Block => {
  const id = (given: string) => given.replace(/[^\w-]/g, "_")
  switch (block.type) {
    case "tool_use": {
      const input: unknown = block.input
      return { ...block, id: id(block.id), input: Predicate.isReadonlyRecord(input) ? input : { arguments: input } }
    }
    case "tool_result":
      return { ...block, tool_use_id: id(block.tool_use_id) }
    default:
      return block
  }
}

/** A transcript with tool calls must name tools, also when the model may not call any now. */
const acceptable = <P extends Omit<Payload, "stream">>(payload: P): P => {
  const names = new Set<string>()
  const messages = payload.messages.map((message) => {
    if (typeof message.content === "string") return message
    for (const block of message.content) if (block.type === "tool_use") names.add(block.name)
    return { ...message, content: message.content.map(conforming) }
  })
  if (names.size === 0) return payload
  if (payload.tools !== undefined && payload.tools !== null && payload.tools.length > 0) return { ...payload, messages }
  const tools = [...names].map((name) => ({ name, input_schema: { type: "object" as const } }))
  return { ...payload, messages, tools, tool_choice: { type: "none" as const } }
}

const adapted = (client: AnthropicClient.Service, clean: (text: string) => string): AnthropicClient.Service => ({
  ...client,
  createMessage: (options) =>
    Effect.map(
      client.createMessage({ ...options, payload: acceptable(options.payload) }),
      (message) => ({ ...message, usage: inclusive(message.usage) })
    ),
  createMessageStream: (options) =>
    Stream.map(client.createMessageStream({ ...options, payload: acceptable(options.payload) }), (event) => {
      if (event.type === "message_start") {
        return { ...event, message: { ...event.message, usage: inclusive(event.message.usage) } }
      }
      return event.type === "error"
        ? { ...event, error: { ...event.error, message: clean(event.error.message) } }
        : event
    })
})

const client = (options: Connection): Layer.Layer<AnthropicClient.AnthropicClient, ConfigError> =>
  Layer.scoped(
    AnthropicClient.AnthropicClient,
    Effect.gen(function*() {
      const { apiKey, baseUrl } = yield* connection(options, {
        apiKey: "ANTHROPIC_API_KEY",
        baseUrl: "ANTHROPIC_BASE_URL"
      })
      const made = yield* AnthropicClient.make({
        apiKey,
        // The client adds the version to the path.
        apiUrl: baseUrl?.replace(/\/v1$/, ""),
        transformClient: keepSecret(apiKey, "x-api-key")
      })
      return adapted(made, cleaner(apiKey))
    })
  ).pipe(Layer.provide(httpClient))

const marked = (message: Prompt.Message) => message.options.anthropic !== undefined

/** Tools and the first system message do not change within a conversation: they are cached together. */
const cached = (prompt: Prompt.Prompt): Prompt.Prompt => {
  const [first, ...rest] = prompt.content
  if (first?.role !== "system" || prompt.content.some(marked)) return prompt
  return Prompt.fromMessages([
    Prompt.systemMessage({
      content: first.content,
      options: { ...first.options, anthropic: { cacheControl: { type: "ephemeral" } } }
    }),
    ...rest
  ])
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<LanguageModel.LanguageModel, ConfigError> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.map(
      AnthropicLanguageModel.make({ model: options.model, ...(options.config && { config: options.config }) }),
      (service) =>
        prepared(service, (asked) =>
          Effect.map(PromptCache, (cache) => {
            const prompt = tidied(asked.prompt)
            return { ...asked, prompt: cache ? cached(prompt) : prompt }
          }))
    )
  ).pipe(Layer.provide(client(options)))
