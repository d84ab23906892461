/**
 * Models of any server for OpenAI's chat completions: Ollama, vLLM, llama.cpp, Groq, Together, DeepSeek, Mistral,
 * Gemini's compatible endpoint, OpenRouter and many more.
 *
 * The profile `mistral` gives calls ids of nine letters and digits, adds an answer between a tool's result and the next
 * user message, never ends with a message of the model, and sends files other than images as documents. The profile
 * `deepseek` sends text only (a file is named), alternates roles, and asks for JSON by `json_object`.
 */
import * as AiError from "@effect/ai/AiError"
import * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { Purpose } from "../../domain/base/error/Errors.js"
import * as Wire from "../../services/model/call/Wire.js"
import { configured } from "../Configured.js"
import { Reader } from "./ChatCompletions.js"
import type { LaterSystem, Profile, StructuredOutput } from "./ChatProfile.js"
import * as ChatProfile from "./ChatProfile.js"
import { request } from "./ChatRequest.js"
import type { Thoughts } from "./ModelText.js"
import type { Connection, FromSettings, Setting, Settings } from "./Provider.js"
import { asked, clientOf, conforming, connection, httpClient, post } from "./Provider.js"
import * as ProviderExchange from "./ProviderExchange.js"

export type { LaterSystem, Profile } from "./ChatProfile.js"
export type { Thoughts } from "./ModelText.js"

/**
 * The connection to a server. `apiKey` defaults to the environment's `OPENAI_COMPATIBLE_API_KEY`; many servers need
 * none.
 */
export interface Server extends Connection {
  /** The address up to, but without `/chat/completions`, for example `http://localhost:11434/v1`. */
  readonly baseUrl: Setting<string>
  /** Headers of every request. */
  readonly headers?: Record<string, string>
}

export interface Options extends Server {
  /** The model's name on the server. */
  readonly model: string
  /**
   * The rules that the server follows, if they are stricter than OpenAI's. Default: by its address, `mistral` for
   * Mistral and `deepseek` for DeepSeek, else `openai`. Set `mistral` for your own server that runs a Mistral model
   * with its template.
   */
  readonly profile?: Profile
  /** The way in which JSON answers are requested; default `json_schema`, but `json_object` for DeepSeek. */
  readonly structuredOutput?: StructuredOutput
  /**
   * The form of instructions that are only for this turn, and come after the conversation. Default `note`: a note in
   * the user's message, which every server accepts. Set `system` for a server that accepts system messages at any
   * position, as OpenAI's own does.
   */
  readonly laterSystem?: LaterSystem
  /**
   * The place of the model's thoughts in its text, for servers without a parser of reasoning. Default `tags`: between
   * `<think>` and `</think>` and the like. Set `begun` for a server that begins inside of a thought: the text up to the
   * closing tag is told as reasoning. `none`: the text is the answer as it is.
   */
  readonly thoughts?: Thoughts
  /**
   * True if tool calls that the model writes into its text are run, in the forms of Qwen, Llama, Mistral, DeepSeek and
   * others, for servers without a parser of tool calls. Default `true`.
   */
  readonly textCalls?: boolean
  /** Further fields of the request, for example `temperature` or `max_tokens`. */
  readonly body?: Record<string, unknown>
  /**
   * Further fields of the requests of a purpose, over `body`: `{ understand: { max_tokens: 400 } }`. A limit of tokens ends
   * an answer in which a small model repeats itself. Default: temperature 0 for `understand` and `signals`, unless the
   * model is known to refuse it; `{ understand: { temperature: undefined } }` sends none.
   */
  readonly purposes?: { readonly [P in Purpose]?: Record<string, unknown> }
  /** The provider's name in traces and metrics, for example `groq`. Default `openai_compatible`. */
  readonly provider?: string
}

declare module "../../domain/authored/ModelOptions.js" {
  interface ModelOptions {
    /** Fields of the request to chat completions of any server, OpenRouter included. */
    readonly openaiCompatible?: {
      readonly temperature?: number
      readonly top_p?: number
      readonly max_tokens?: number
      readonly seed?: number
      readonly reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | (string & {})
      readonly service_tier?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly [field: string]: unknown
    }
  }
}

const module = "OpenAiCompatible"

/** OpenAI's models that reason, also behind gateways: they refuse a temperature. */
const refusesTemperature = /(^|\/)(o\d|gpt-5)/

/** The fields of a request for a purpose, without those of the call. */
const fieldsFor = (
  { body = {}, model, purposes = {} }: Options,
  purpose: Purpose | undefined
): Record<string, unknown> =>
  purpose === undefined ? body : {
    ...((purpose === "understand" || purpose === "signals") && !refusesTemperature.test(model) && { temperature: 0 }),
    ...body,
    ...(purposes[purpose] ?? (purpose === "signals" ? purposes.understand : undefined))
  }

const typed = (method: string) =>
<A, R>(
  effect: Effect.Effect<A, HttpClientError.HttpClientError | ParseError | AiError.AiError, R>
): Effect.Effect<A, AiError.AiError, R> =>
  Effect.catchTags(effect, {
    RequestError: (error) => Effect.fail(AiError.HttpRequestError.fromRequestError({ module, method, error })),
    ResponseError: (error) => AiError.HttpResponseError.fromResponseError({ module, method, error }),
    ParseError: (error) => Effect.fail(AiError.MalformedOutput.fromParseError({ module, method, error }))
  })

const client = (server: Server) =>
  Effect.gen(function*() {
    const { apiKey, baseUrl } = yield* connection(server, {
      apiKey: "OPENAI_COMPATIBLE_API_KEY",
      baseUrl: "OPENAI_COMPATIBLE_BASE_URL"
    })
    const url = baseUrl ?? ""
    return { url, ...yield* clientOf({ url, apiKey, header: "authorization", headers: server.headers }) }
  })

export const make = (
  options: Options
): Effect.Effect<LanguageModel.Service, ConfigError, HttpClient.HttpClient> =>
  Effect.flatMap(client(options), ({ clean, http, url }) => {
    const { laterSystem, model, provider, structuredOutput, textCalls = true, thoughts = "tags" } = options
    const rules = ChatProfile.rules[options.profile ?? ChatProfile.profileOf(url)]
    return Wire.make(ProviderExchange.make({
      module,
      provider,
      model,
      http,
      clean,
      forms: rules.forms,
      request: (question, stream) =>
        Effect.sync(() => {
          const given = asked(fieldsFor(options, question.purpose), question.options?.openaiCompatible)
          return post(
            "/chat/completions",
            given.headers,
            request(question, { model, rules, structuredOutput, laterSystem, body: given.config, stream })
          )
        }),
      reader: ({ json, tools }, unique) =>
        new Reader(model, unique, {
          thoughts,
          json: json !== undefined,
          tools: textCalls && json === undefined ? new Set(tools.map(({ name }) => conforming(name))) : undefined
        })
    }))
  })

export const layer = (options: Options): Layer.Layer<LanguageModel.LanguageModel, ConfigError> =>
  Layer.effect(LanguageModel.LanguageModel, make(options)).pipe(Layer.provide(httpClient))

/**
 * Like `layer`, with settings from the configuration: `OpenAiCompatible.layerConfig({ baseUrl: Config.string("URL"),
 * model: Config.string("MODEL") })`.
 */
export const layerConfig: FromSettings<Settings & { readonly baseUrl: string }> = configured(layer)

const Embeddings = Schema.Struct({
  data: Schema.Array(Schema.Struct({ index: Schema.Number, embedding: Schema.mutable(Schema.Array(Schema.Number)) }))
})

interface EmbeddingOptions {
  readonly model: string
  /** Maximum number of texts per request; default 256. */
  readonly maxBatchSize?: number
}

/**
 * Makes an embedding model from the `/embeddings` of a client that adds the address and the key, and fails for error
 * statuses.
 */
export const makeEmbedding = (http: HttpClient.HttpClient, { maxBatchSize = 256, model }: EmbeddingOptions) =>
  EmbeddingModel.make({
    maxBatchSize,
    embedMany: (input) =>
      http.execute(post("/embeddings", {}, { model, input })).pipe(
        Effect.flatMap(HttpClientResponse.schemaBodyJson(Embeddings)),
        Effect.scoped,
        Effect.map(({ data }) => data.map(({ embedding, index }) => ({ index, embeddings: embedding }))),
        typed("embedMany")
      )
  })

/** The server's `/embeddings`. */
export const layerEmbedding = (
  options: Server & EmbeddingOptions
): Layer.Layer<EmbeddingModel.EmbeddingModel, ConfigError> =>
  Layer.effect(
    EmbeddingModel.EmbeddingModel,
    Effect.flatMap(client(options), ({ http }) => makeEmbedding(http, options))
  ).pipe(Layer.provide(httpClient))
