/**
 * Any server that speaks OpenAI's chat completions: Ollama, vLLM, llama.cpp, Groq, Together, DeepSeek, Mistral, Gemini's
 * compatible endpoint, OpenRouter and many more.
 *
 * @since 0.1.0
 */
import * as AiError from "@effect/ai/AiError"
import * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import * as IdGenerator from "@effect/ai/IdGenerator"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import { addGenAIAnnotations } from "@effect/ai/Telemetry"
import * as Sse from "@effect/experimental/Sse"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Completion, Reader, whole } from "./ChatCompletions.js"
import type { StructuredOutput } from "./ChatRequest.js"
import { request } from "./ChatRequest.js"
import type { Connection, Setting } from "./Provider.js"
import { cleaner, connection, httpClient, keepSecret } from "./Provider.js"

/**
 * `apiKey` defaults to the environment's `OPENAI_COMPATIBLE_API_KEY`; many servers need none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Server extends Connection {
  /** Up to and without `/chat/completions`, for example `http://localhost:11434/v1`. */
  readonly baseUrl: Setting<string>
  readonly headers?: Record<string, string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options extends Server {
  readonly model: string
  /** How the server is made to answer with JSON; default `json_schema`. */
  readonly structuredOutput?: StructuredOutput
  /** Further fields of the request, for example `temperature` or `max_tokens`. */
  readonly body?: Record<string, unknown>
}

const module = "OpenAiCompatible"

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
    const http = (yield* HttpClient.HttpClient).pipe(
      HttpClient.mapRequest((request) =>
        request.pipe(
          HttpClientRequest.prependUrl(baseUrl ?? ""),
          apiKey === undefined ? identity : HttpClientRequest.bearerToken(apiKey),
          HttpClientRequest.setHeaders(server.headers ?? {}),
          HttpClientRequest.acceptJson
        )
      ),
      keepSecret(apiKey, "authorization"),
      HttpClient.filterStatusOk
    )
    return { http, clean: cleaner(apiKey) }
  })

const decodeChunk = Schema.decodeUnknown(Schema.parseJson(Completion))

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options
): Effect.Effect<LanguageModel.Service, ConfigError, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const { clean, http } = yield* client(options)
    const refusal = (error: unknown) =>
      new AiError.UnknownError({ module, method: "chat", description: clean(JSON.stringify({ error })) })
    const { body, model, structuredOutput = "json_schema" } = options
    const post = (asked: LanguageModel.ProviderOptions, stream: boolean) => {
      addGenAIAnnotations(asked.span, { operation: { name: "chat" }, request: { model } })
      return http.execute(
        HttpClientRequest.post("/chat/completions").pipe(
          HttpClientRequest.bodyUnsafeJson(request(asked, { model, structuredOutput, body, stream }))
        )
      )
    }
    const annotate = (asked: LanguageModel.ProviderOptions, parts: Iterable<Response.AnyPartEncoded>) => {
      for (const part of parts) {
        if (part.type === "response-metadata") {
          addGenAIAnnotations(asked.span, { response: { id: part.id, model: part.modelId } })
        } else if (part.type === "finish") {
          const { inputTokens, outputTokens } = part.usage
          addGenAIAnnotations(asked.span, {
            response: { finishReasons: [part.reason] },
            usage: { inputTokens, outputTokens }
          })
        }
      }
    }

    return yield* LanguageModel.make({
      generateText: (asked) =>
        Effect.gen(function*() {
          const reader = new Reader(yield* IdGenerator.IdGenerator)
          const completion = yield* post(asked, false).pipe(
            Effect.flatMap(HttpClientResponse.schemaBodyJson(Completion)),
            Effect.scoped,
            typed("generateText")
          )
          if (completion.error != null) return yield* refusal(completion.error)
          const parts = whole([...(yield* reader.add(completion)), ...reader.end()])
          annotate(asked, parts)
          return parts
        }),
      streamText: (asked) =>
        Stream.unwrap(Effect.map(IdGenerator.IdGenerator, (ids) => {
          const reader = new Reader(ids)
          let pending: Array<string> = []
          const parser = Sse.makeParser((event) => {
            if (event._tag === "Event") pending.push(event.data)
          })
          const take = (data: string): Effect.Effect<Array<Response.StreamPartEncoded>, ParseError> =>
            data.trim() === "[DONE]"
              ? Effect.sync(() => reader.end())
              : Effect.flatMap(decodeChunk(data), (chunk) => {
                if (chunk.error == null) return reader.add(chunk)
                reader.ended = true
                return Effect.succeed<Array<Response.StreamPartEncoded>>([{
                  type: "error",
                  error: refusal(chunk.error)
                }])
              })
          const read = (text: Chunk.Chunk<string>) => {
            for (const piece of text) parser.feed(piece)
            const events = pending
            pending = []
            if (events.length === 0) return Effect.succeed(Chunk.empty<Response.StreamPartEncoded>())
            return Effect.map(Effect.forEach(events, take), (parts) => {
              const all = parts.flat()
              annotate(asked, all)
              return Chunk.unsafeFromArray(all)
            })
          }
          return post(asked, true).pipe(
            Effect.map((response) => response.stream),
            Stream.unwrapScoped,
            Stream.decodeText(),
            Stream.mapChunksEffect(read),
            Stream.takeUntil((part) => part.type === "finish" || part.type === "error"),
            Stream.catchAll((error) => Stream.fromEffect(typed("streamText")(Effect.fail(error)))),
            // Not every server says [DONE]. One that has not said why it stopped was cut off: no finish part.
            Stream.concat(Stream.suspend(() => {
              if (reader.ended || !reader.stopped) return Stream.empty
              const parts = reader.end()
              annotate(asked, parts)
              return Stream.fromIterable(parts)
            }))
          )
        }))
    })
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<LanguageModel.LanguageModel, ConfigError> =>
  Layer.effect(LanguageModel.LanguageModel, make(options)).pipe(Layer.provide(httpClient))

const Embeddings = Schema.Struct({
  data: Schema.Array(Schema.Struct({ index: Schema.Number, embedding: Schema.mutable(Schema.Array(Schema.Number)) }))
})

/**
 * The server's `/embeddings`.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerEmbedding = (
  options: Server & {
    readonly model: string
    /** How many texts are sent at once; default 256. */
    readonly maxBatchSize?: number
  }
): Layer.Layer<EmbeddingModel.EmbeddingModel, ConfigError> =>
  Layer.effect(
    EmbeddingModel.EmbeddingModel,
    Effect.gen(function*() {
      const { http } = yield* client(options)
      return yield* EmbeddingModel.make({
        maxBatchSize: options.maxBatchSize ?? 256,
        embedMany: (input) =>
          http.execute(
            HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/embeddings"), { model: options.model, input })
          ).pipe(
            Effect.flatMap(HttpClientResponse.schemaBodyJson(Embeddings)),
            Effect.scoped,
            Effect.map(({ data }) => data.map(({ embedding, index }) => ({ index, embeddings: embedding }))),
            typed("embedMany")
          )
      })
    })
  ).pipe(Layer.provide(httpClient))
