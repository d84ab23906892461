/**
 * Models of OpenAI's Responses API.
 *
 * Requests use the address, key and `transformClient` of the `OpenAiClient`, and `OpenAiConfig.withClientTransform`.
 * Reasoning is sent back encrypted, only to the model and deployment that produced it. A deployment is the `baseUrl`;
 * with several clients for one model name, name it by `deployment`. If a server refuses a reasoning item, the request
 * is repeated once without these items. `strict: true` in `config` uses OpenAI's strict mode; a schema that this mode
 * cannot express is sent with `strict: false`.
 */
import type { OpenAiClient, Service as OpenAiService } from "@effect/ai-openai/OpenAiClient"
import type { OpenAiConfig } from "@effect/ai-openai/OpenAiConfig"
import { EmbeddingModel } from "@effect/ai/EmbeddingModel"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import type { Question } from "../../services/model/call/Wire.js"
import * as Wire from "../../services/model/call/Wire.js"
import { PromptCache } from "../../services/model/Model.js"
import { configured } from "../Configured.js"
import * as OpenAiCompatible from "./OpenAiCompatible.js"
import type { Connection, FromSettings, Settings } from "./Provider.js"
import { asked, cleaner, connection, httpClient, keepSecret, post } from "./Provider.js"
import * as ProviderExchange from "./ProviderExchange.js"
import { Reader } from "./Responses.js"
import { recovering } from "./ResponsesItems.js"
import { request } from "./ResponsesRequest.js"
import { forms } from "./ValidPrompt.js"

export interface ModelSettings {
  /** The model's name at OpenAI. */
  readonly model: string
  /** Fields of the request, for example `temperature`, `max_output_tokens`, `reasoning`, `store` or `include`. */
  readonly config?: Config
  /**
   * The account or server behind the client; reasoning is sent back only to it. Set it if a conversation may continue
   * at another account or server with a model of the same name. Default: the `baseUrl`, or `openai` if the application
   * provides the client.
   */
  readonly deployment?: string
}

/**
 * The options of the client. `apiKey` defaults to the environment's `OPENAI_API_KEY`, `baseUrl` to `OPENAI_BASE_URL`,
 * else OpenAI's own address.
 */
export interface ClientOptions extends Connection {
  /** The organization that is billed, for a key that belongs to several. OpenAI's header `OpenAI-Organization`. */
  readonly organizationId?: Redacted.Redacted
  /** The project that is billed, for a key that belongs to several. OpenAI's header `OpenAI-Project`. */
  readonly projectId?: Redacted.Redacted
  /** Transforms the client that sends the requests: retries, proxies, logs. */
  readonly transformClient?: (client: HttpClient.HttpClient) => HttpClient.HttpClient
}

/** The options of a model and its client. */
export interface Options extends ModelSettings, ClientOptions {}

/** Fields of the request. Other fields are sent unchanged. */
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
   * True if schemas are sent in strict mode, in which optional parts are `null`; default false. A schema that strict
   * mode cannot express, such as an object with any keys, is sent unchanged, without strict mode.
   */
  readonly strict?: boolean
  readonly [field: string]: unknown
}

declare module "../../domain/authored/ModelOptions.js" {
  interface ModelOptions {
    /** Fields of the request to OpenAI's Responses API. */
    readonly openai?: Config & { readonly headers?: Readonly<Record<string, string>> }
  }
}

const environment = { apiKey: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" }

/** The tag of `@effect/ai-openai`, by its key, because its module describes the whole API and takes long to load. */
const Client = Context.GenericTag<OpenAiClient, OpenAiService>("@effect/ai-openai/OpenAiClient")

/** The tag of `OpenAiConfig.withClientTransform` of that package. */
const ClientTransform = Context.GenericTag<OpenAiConfig, OpenAiConfig.Service>("@effect/ai-openai/OpenAiConfig")

/** Returns a cache key: requests with the same first system message share OpenAI's cache. */
const cacheKey = ({ prompt }: Question): object => {
  const stable = prompt.content[0]
  return stable?.role === "system" ? { prompt_cache_key: `coxswain-${Hash.string(stable.content)}` } : {}
}

/**
 * Returns the client's own transport, with the transformation of the calling context. Its errors do not contain the
 * key.
 */
const transportOf = ({ client: { httpClient } }: OpenAiService) => {
  // Only the client knows the key; its first request shows it.
  let key: Redacted.Redacted | undefined
  const learning = HttpClient.mapRequest(httpClient, (request) => {
    const sent = request.headers.authorization
    if (sent !== undefined) key = Redacted.make(sent.replace(/^Bearer /, ""))
    return request
  })
  const transformed = HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
    Effect.flatMap((request) =>
      Effect.flatMap(Effect.serviceOption(ClientTransform), (config) => {
        const transform = Option.getOrUndefined(config)?.transformClient
        return (transform === undefined ? learning : transform(learning)).execute(request)
      })
    ),
    Effect.succeed
  )
  return {
    clean: (text: string): string => cleaner(key)(text),
    http: HttpClient.filterStatusOk(keepSecret(() => key, "authorization")(transformed))
  }
}

/** Makes a model from the client of `@effect/ai-openai`, which an application may already have. */
export const make = (options: ModelSettings): Effect.Effect<LanguageModel.Service, never, OpenAiClient> =>
  Effect.flatMap(Client, (client) => {
    const { config = {}, deployment = "openai", model } = options
    const { clean, http } = transportOf(client)
    const of = { model, deployment }
    return Wire.make(recovering(ProviderExchange.make({
      module: "OpenAi",
      model,
      http,
      clean,
      forms: forms(64),
      request: (question, stream) =>
        Effect.map(PromptCache, (cached) => {
          const given = asked(config, question.options?.openai)
          const all = { ...(cached && cacheKey(question)), ...given.config }
          return post("/responses", given.headers, request(question, { of, config: all, stream }))
        }),
      reader: (question, unique) => new Reader(of, question.tools, unique)
    })))
  })

/** Provides an OpenAI model that uses the application's own `OpenAiClient`. */
export const model = (options: ModelSettings): Layer.Layer<LanguageModel.LanguageModel, never, OpenAiClient> =>
  Layer.effect(LanguageModel.LanguageModel, make(options))

/**
 * Makes the error for a missing package. The install command contains a version, because the newest version needs
 * another version of Effect.
 */
const missing = (cause: unknown) =>
  ConfigError.Unsupported(
    [],
    "coxswain/layers/openai needs the package @effect/ai-openai, which does not load " +
      `(${reasonOf(cause).split("\n")[0]}). Install it: npm install @effect/ai-openai@0.41`
  )

/** The client of `@effect/ai-openai`. The package is loaded when this layer is built. */
export const layerClient = (options: ClientOptions = {}): Layer.Layer<OpenAiClient, ConfigError.ConfigError> =>
  Layer.unwrapEffect(Effect.gen(function*() {
    const { apiKey, baseUrl } = yield* connection(options, environment)
    const vendor = yield* Effect.tryPromise({
      try: () => import("@effect/ai-openai/OpenAiClient"),
      catch: missing
    })
    const { organizationId, projectId, transformClient } = options
    return vendor.layer({
      apiKey,
      apiUrl: baseUrl,
      organizationId,
      projectId,
      ...(transformClient !== undefined && { transformClient })
    })
  })).pipe(Layer.provide(httpClient))

/** Provides an OpenAI model and its client. */
export const layer = (
  options: Options
): Layer.Layer<LanguageModel.LanguageModel | OpenAiClient, ConfigError.ConfigError> =>
  Layer.unwrapEffect(
    Effect.map(connection(options, environment), ({ baseUrl }) => {
      const given = model({ ...options, deployment: options.deployment ?? baseUrl ?? "openai" })
      return Layer.provideMerge(given, layerClient(options))
    })
  )

/** Like `layer`, with settings from the configuration: `OpenAi.layerConfig({ model: Config.string("MODEL") })`. */
export const layerConfig: FromSettings = configured((settings: Settings) => layer(settings))

/**
 * OpenAI's embeddings, through the client of `@effect/ai-openai`. That package's own `OpenAiEmbeddingModel` works too.
 */
export const layerEmbedding = (
  options: ClientOptions & {
    /** For example `text-embedding-3-small`. */
    readonly model: string
    /** Maximum number of texts per request; default 256. */
    readonly maxBatchSize?: number
  }
): Layer.Layer<EmbeddingModel, ConfigError.ConfigError> =>
  Layer.effect(
    EmbeddingModel,
    Effect.flatMap(Client, (client) => OpenAiCompatible.makeEmbedding(transportOf(client).http, options))
  ).pipe(Layer.provide(layerClient(options)))
