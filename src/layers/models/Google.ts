/**
 * Google's Gemini API.
 *
 * @since 0.1.0
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { hosted, make } from "./Exchange.js"
import type { Config } from "./GoogleRequest.js"
import { request } from "./GoogleRequest.js"
import { Generated, Reader } from "./GoogleResponse.js"
import type { SchemaDialect } from "./GoogleSchema.js"
import { known, list, maybe } from "./Lenient.js"
import type { Connection } from "./Provider.js"
import { cleaner, connection, httpClient, keepSecret, tidied } from "./Provider.js"

export type {
  /**
   * @since 0.1.0
   * @category models
   */
  Config
} from "./GoogleRequest.js"

export type {
  /**
   * @since 0.1.0
   * @category models
   */
  SchemaDialect
} from "./GoogleSchema.js"

/**
 * `apiKey` defaults to the environment's `GOOGLE_API_KEY`, `baseUrl` to `GOOGLE_BASE_URL`, else Google itself. Gemini
 * caches prompts by itself: there is nothing to ask for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Connection {
  readonly model: string
  /** Fields of the request, for example `generationConfig` or `safetySettings`. */
  readonly config?: Config
  /** In which dialect schemas are sent; default: `openapi` for Gemini 1 and 2.0, else `json_schema`. */
  readonly schemas?: SchemaDialect
}

const Refusal = Schema.parseJson(Schema.Struct({
  error: maybe(Schema.Struct({ details: list(Schema.Struct({ retryDelay: maybe(Schema.String) })) }))
}))

/** How long Google asks to wait is in the body: `"48.5s"`. Others say it in a header, where it is looked for. */
const waiting = (error: HttpClientError.ResponseError): Effect.Effect<never, HttpClientError.ResponseError> =>
  error.response.text.pipe(
    Effect.flatMap((body) =>
      Effect.map(Schema.decode(Refusal)(body), (refusal) => {
        const delay = known(refusal.error?.details).find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay
        const seconds = Number(delay?.replace(/s$/, ""))
        if (!(seconds >= 0)) return error
        const headers = { ...error.response.headers, "retry-after": String(seconds) }
        const response = new Response(body, { status: error.response.status, headers })
        return new HttpClientError.ResponseError({
          request: error.request,
          reason: error.reason,
          response: HttpClientResponse.fromWeb(error.response.request, response)
        })
      })
    ),
    Effect.orElseSucceed(() => error),
    Effect.flatMap(Effect.fail)
  )

const client = (options: Connection) =>
  Effect.gen(function*() {
    const { apiKey, baseUrl } = yield* connection(options, { apiKey: "GOOGLE_API_KEY", baseUrl: "GOOGLE_BASE_URL" })
    const url = baseUrl ?? "https://generativelanguage.googleapis.com"
    const http = (yield* HttpClient.HttpClient).pipe(
      HttpClient.mapRequest((request) =>
        request.pipe(
          HttpClientRequest.prependUrl(/\/v1(alpha|beta\d*)?(\/|$)/.test(url) ? url : `${url}/v1beta`),
          apiKey === undefined ? identity : HttpClientRequest.setHeader("x-goog-api-key", Redacted.value(apiKey)),
          HttpClientRequest.acceptJson
        )
      ),
      keepSecret(apiKey, "x-goog-api-key"),
      HttpClient.filterStatusOk,
      HttpClient.transform(Effect.catchTag("ResponseError", waiting))
    )
    return { http, clean: cleaner(apiKey) }
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<LanguageModel.LanguageModel, ConfigError> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.gen(function*() {
      const { clean, http } = yield* client(options)
      const { config = {}, model } = options
      const dialect = options.schemas ?? (/gemini-(1\b|1\.|2\.0)/.test(model) ? "openapi" : "json_schema")
      const path = model.includes("/") ? model : `models/${model}`
      return yield* make(http, clean, {
        name: "Google",
        model,
        event: Generated,
        events: (answer) => [answer],
        request: (asked, stream) =>
          Effect.sync(() =>
            HttpClientRequest.post(
              `/${path}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`
            ).pipe(
              HttpClientRequest.bodyUnsafeJson(
                request({ ...asked, prompt: tidied(asked.prompt) }, { model, config, dialect })
              )
            )
          ),
        reader: ({ tools }, seed) =>
          new Reader({ model, tools: tools.map(({ name }) => name), hosted: hosted(tools) }, seed)
      })
    })
  ).pipe(Layer.provide(httpClient))
