/**
 * OpenAI's Responses API.
 *
 * @since 0.1.0
 */
import * as OpenAiClient from "@effect/ai-openai/OpenAiClient"
import * as OpenAiEmbeddingModel from "@effect/ai-openai/OpenAiEmbeddingModel"
import * as OpenAiLanguageModel from "@effect/ai-openai/OpenAiLanguageModel"
import { UnknownError } from "@effect/ai/AiError"
import type { EmbeddingModel } from "@effect/ai/EmbeddingModel"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { PromptCache } from "../../services/Model.js"
import type { Connection } from "./Provider.js"
import { cleaner, connection, httpClient, keepSecret, prepared } from "./Provider.js"

/**
 * `apiKey` defaults to the environment's `OPENAI_API_KEY`, `baseUrl` to `OPENAI_BASE_URL`, else OpenAI itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Connection {
  readonly model: string
  /** Fields of the request, for example `temperature`, `max_output_tokens` or `reasoning`. */
  readonly config?: Omit<OpenAiLanguageModel.Config.Service, "model">
}

const failure = (clean: (text: string) => string) => (error: unknown) =>
  new UnknownError({ module: "OpenAi", method: "response", description: clean(JSON.stringify(error)) })

/** The client hides failures: a failed response ends a stream like a good one, and a refusal is silence. */
const candid = (client: OpenAiClient.Service, failed: ReturnType<typeof failure>): OpenAiClient.Service => ({
  ...client,
  createResponse: (options) =>
    Effect.flatMap(client.createResponse(options), (response) => {
      if (response.status === "failed" || response.error !== null) return Effect.fail(failed(response.error))
      const refused = response.output.some((item) =>
        item.type === "message" && item.content.some((part) => part.type === "refusal")
      )
      if (!refused) return Effect.succeed(response)
      const output = response.output.map((item) =>
        item.type !== "message" ? item : {
          ...item,
          content: item.content.map((part) =>
            part.type === "refusal" ? { type: "output_text" as const, text: part.refusal, annotations: [] } : part
          )
        }
      )
      return Effect.succeed({ ...response, output } as typeof response)
    }),
  createResponseStream: (options) =>
    Stream.mapEffect(
      client.createResponseStream(options),
      (event): Effect.Effect<OpenAiClient.ResponseStreamEvent, UnknownError> => {
        switch (event.type) {
          case "error":
            return Effect.fail(failed({ code: event.code, message: event.message }))
          case "response.failed":
            return Effect.fail(failed(event.response.error))
          case "response.refusal.delta":
            return Effect.succeed({ ...event, type: "response.output_text.delta", logprobs: [] })
          default:
            return Effect.succeed(event)
        }
      }
    )
})

const client = (options: Connection): Layer.Layer<OpenAiClient.OpenAiClient, ConfigError> =>
  Layer.scoped(
    OpenAiClient.OpenAiClient,
    Effect.gen(function*() {
      const { apiKey, baseUrl } = yield* connection(options, { apiKey: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" })
      const made = yield* OpenAiClient.make({
        apiKey,
        apiUrl: baseUrl,
        transformClient: keepSecret(apiKey, "authorization")
      })
      return candid(made, failure(cleaner(apiKey)))
    })
  ).pipe(Layer.provide(httpClient))

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<LanguageModel.LanguageModel, ConfigError> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.gen(function*() {
      const service = yield* OpenAiLanguageModel.make({
        model: options.model,
        // Strict schemas cannot have optional fields.
        config: { strict: false, ...options.config }
      })
      return prepared(service, (asked) =>
        Effect.map(Effect.all([PromptCache, OpenAiLanguageModel.Config.getOrUndefined]), ([cache, outer]) => {
          const stable = asked.prompt.content[0]
          if (!cache || stable?.role !== "system" || options.config?.prompt_cache_key !== undefined) {
            return asked
          }
          // Requests with one key go where their common prefix is cached.
          const config = { prompt_cache_key: `coxswain-${Hash.string(stable.content)}`, ...outer }
          return {
            ...asked,
            around: {
              effect: Effect.provideService(OpenAiLanguageModel.Config, config),
              stream: Stream.provideService(OpenAiLanguageModel.Config, config)
            }
          }
        }))
    })
  ).pipe(Layer.provide(client(options)))

/**
 * @since 0.1.0
 * @category layers
 */
export const layerEmbedding = (
  options: Connection & {
    /** For example `text-embedding-3-small`. */
    readonly model: string
    readonly config?: OpenAiEmbeddingModel.Config.Batched
  }
): Layer.Layer<EmbeddingModel, ConfigError> =>
  OpenAiEmbeddingModel.layerBatched({ model: options.model, ...(options.config && { config: options.config }) }).pipe(
    Layer.provide(client(options))
  )
