/**
 * OpenAI's Responses API.
 *
 * @since 0.1.0
 */
import type { EmbeddingModel } from "@effect/ai/EmbeddingModel"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import * as Layer from "effect/Layer"
import { PromptCache } from "../../services/Model.js"
import type { Question } from "../../services/model/Wire.js"
import * as Wire from "../../services/model/Wire.js"
import { configured } from "../Configured.js"
import * as Exchange from "./Exchange.js"
import * as OpenAiCompatible from "./OpenAiCompatible.js"
import type { Connection, FromSettings } from "./Provider.js"
import { asked, clientOf, connection, httpClient } from "./Provider.js"
import { Reader } from "./Responses.js"
import { request } from "./ResponsesRequest.js"

/**
 * `apiKey` defaults to the environment's `OPENAI_API_KEY`, `baseUrl` to `OPENAI_BASE_URL`, else OpenAI itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Connection {
  /** The model's name at OpenAI. */
  readonly model: string
  /** Fields of the request, for example `temperature`, `max_output_tokens`, `reasoning`, `store` or `include`. */
  readonly config?: Config
}

/**
 * Fields of the request. Those not named here are sent as they are.
 *
 * @since 0.1.0
 * @category models
 */
export interface Config {
  readonly temperature?: number
  readonly top_p?: number
  readonly max_output_tokens?: number
  readonly reasoning?: {
    readonly effort?: "none" | "minimal" | "low" | "medium" | "high" | (string & {})
    readonly summary?: "auto" | "concise" | "detailed"
  }
  readonly service_tier?: "auto" | "default" | "flex" | "priority" | (string & {})
  readonly store?: boolean
  readonly include?: ReadonlyArray<string>
  /**
   * Sends schemas in the strict mode, in which parts that may be left out are `null`; default false. A schema that the mode
   * cannot express, such as one of an object with any keys, is sent as it is, without it.
   */
  readonly strict?: boolean
  readonly [field: string]: unknown
}

declare module "../../domain/ModelOptions.js" {
  interface ModelOptions {
    /** Of OpenAI's Responses API. */
    readonly openai?: Config & { readonly headers?: Readonly<Record<string, string>> }
  }
}

const address = "https://api.openai.com/v1"

const environment = { apiKey: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" }

const client = (options: Connection) =>
  Effect.flatMap(
    connection(options, environment),
    ({ apiKey, baseUrl = address }) => clientOf({ url: baseUrl, apiKey, header: "authorization" })
  )

/** Requests with one key go where their common beginning is cached. */
const cacheKey = ({ prompt }: Question): object => {
  const stable = prompt.content[0]
  return stable?.role === "system" ? { prompt_cache_key: `coxswain-${Hash.string(stable.content)}` } : {}
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options
): Effect.Effect<LanguageModel.Service, ConfigError, HttpClient.HttpClient> =>
  Effect.flatMap(client(options), ({ clean, http }) => {
    const { config = {}, model } = options
    return Wire.make(Exchange.make({
      module: "OpenAi",
      model,
      http,
      clean,
      request: (question, stream) =>
        Effect.map(PromptCache, (cached) => {
          const given = asked(config, question.options?.openai)
          return HttpClientRequest.post("/responses").pipe(
            HttpClientRequest.setHeaders(given.headers),
            HttpClientRequest.bodyUnsafeJson(
              request(question, { model, config: { ...(cached && cacheKey(question)), ...given.config }, stream })
            )
          )
        }),
      reader: (question, unique) => new Reader(model, question.tools, unique)
    }))
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<LanguageModel.LanguageModel, ConfigError> =>
  Layer.effect(LanguageModel.LanguageModel, make(options)).pipe(Layer.provide(httpClient))

/**
 * The same with settings from the configuration: `OpenAi.layerConfig({ model: Config.string("MODEL") })`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig: FromSettings = configured(layer)

/**
 * @since 0.1.0
 * @category layers
 */
export const layerEmbedding = (
  options: Connection & {
    /** For example `text-embedding-3-small`. */
    readonly model: string
    /** How many texts are sent at once; default 256. */
    readonly maxBatchSize?: number
  }
): Layer.Layer<EmbeddingModel, ConfigError> =>
  Layer.unwrapEffect(
    Effect.map(connection(options, environment), ({ apiKey, baseUrl = address }) =>
      OpenAiCompatible.layerEmbedding({
        model: options.model,
        baseUrl,
        ...(apiKey !== undefined && { apiKey }),
        ...(options.maxBatchSize !== undefined && { maxBatchSize: options.maxBatchSize })
      }))
  )
