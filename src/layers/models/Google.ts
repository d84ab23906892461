/**
 * Models of Google's Gemini API.
 *
 * A thought signature is sent back only to the model that made it; a tool call of another model gets Google's
 * placeholder signature. Thoughts count as output tokens, and the input of Google's own tools as input tokens. A
 * malformed tool call goes to the tool loop, which reports it to the model. Gemini 1 and 2.0 get schemas in their
 * subset of OpenAPI, later models get JSON schema; `schemas` overrides this. Gemini refuses an `enum` of booleans, so
 * it is moved into the description. A recursive schema becomes the schema of any object.
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Wire from "../../services/model/call/Wire.js"
import { configured } from "../Configured.js"
import type { Config } from "./GoogleRequest.js"
import { forms, request } from "./GoogleRequest.js"
import { Reader } from "./GoogleResponse.js"
import type { SchemaDialect } from "./GoogleSchema.js"
import { each, fields, text } from "./Loose.js"
import type { Connection, FromSettings } from "./Provider.js"
import { asked, clientOf, connection, httpClient, post } from "./Provider.js"
import * as ProviderExchange from "./ProviderExchange.js"
import { placed } from "./SystemNotes.js"

export type { Config } from "./GoogleRequest.js"

export type { SchemaDialect } from "./GoogleSchema.js"

/**
 * The options of a Gemini model. `apiKey` defaults to the environment's `GOOGLE_API_KEY`, `baseUrl` to
 * `GOOGLE_BASE_URL`, else Google's own address. Gemini caches prompts by itself.
 */
export interface Options extends Connection {
  /** The model's name at Google, for example `gemini-2.5-flash`. */
  readonly model: string
  /** Fields of the request, for example `generationConfig` or `safetySettings`. */
  readonly config?: Config
  /** The dialect of schemas; default: `openapi` for Gemini 1 and 2.0, else `json_schema`. */
  readonly schemas?: SchemaDialect
}

declare module "../../domain/authored/ModelOptions.js" {
  interface ModelOptions {
    /** Fields of the request to Google's Gemini API. */
    readonly google?: Config & { readonly headers?: Readonly<Record<string, string>> }
  }
}

/** Returns the wait that Google asks for, `"48.5s"`, in seconds. */
const waitOf = (refusal: unknown): number | undefined => {
  const delays = each(fields(fields(refusal).error).details).map(({ retryDelay }) => text(retryDelay))
  const seconds = Number(delays.find((delay) => delay !== undefined)?.replace(/s$/, ""))
  return seconds >= 0 ? seconds : undefined
}

const decodeBody = Schema.decode(Schema.parseJson())

/** Copies the wait from Google's body to the `retry-after` header, which other providers use. */
const waiting = (error: HttpClientError.ResponseError): Effect.Effect<never, HttpClientError.ResponseError> =>
  Effect.gen(function*() {
    const { headers, request, status, text } = error.response
    const body = yield* Effect.orElseSucceed(text, () => "")
    const seconds = waitOf(yield* Effect.orElseSucceed(decodeBody(body), () => undefined))
    const more = seconds === undefined ? {} : { "retry-after": String(seconds) }
    // A body can be read only once, so the error gets a copy.
    const copy = new Response(body, { status, headers: { ...headers, ...more } })
    return yield* new HttpClientError.ResponseError({
      request: error.request,
      reason: error.reason,
      response: HttpClientResponse.fromWeb(request, copy)
    })
  })

const client = (options: Connection) =>
  Effect.gen(function*() {
    const { apiKey, baseUrl } = yield* connection(options, { apiKey: "GOOGLE_API_KEY", baseUrl: "GOOGLE_BASE_URL" })
    const url = baseUrl ?? "https://generativelanguage.googleapis.com"
    const { clean, http } = yield* clientOf({
      url: /\/v1(alpha|beta\d*)?(\/|$)/.test(url) ? url : `${url}/v1beta`,
      apiKey,
      header: "x-goog-api-key"
    })
    return { clean, http: HttpClient.transform(http, Effect.catchTag("ResponseError", waiting)) }
  })

export const make = (
  options: Options
): Effect.Effect<LanguageModel.Service, ConfigError, HttpClient.HttpClient> =>
  Effect.flatMap(client(options), ({ clean, http }) => {
    const { config = {}, model } = options
    const dialect = options.schemas ?? (/gemini-(1\b|1\.|2\.0)/.test(model) ? "openapi" : "json_schema")
    const path = model.includes("/") ? model : `models/${model}`
    return Wire.make(ProviderExchange.make({
      module: "Google",
      model,
      http,
      clean,
      forms,
      request: (question, stream) =>
        Effect.sync(() => {
          const given = asked(config, question.options?.google)
          return post(
            `/${path}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
            given.headers,
            request({ ...question, prompt: placed(question.prompt) }, { model, config: given.config, dialect })
          )
        }),
      reader: (question, unique) => {
        const tools = question.tools.filter(({ hosted }) => hosted === undefined).map(({ name }) => name)
        return new Reader({ model, tools, hosted: ProviderExchange.hosted(question) }, unique)
      }
    }))
  })

export const layer = (options: Options): Layer.Layer<LanguageModel.LanguageModel, ConfigError> =>
  Layer.effect(LanguageModel.LanguageModel, make(options)).pipe(Layer.provide(httpClient))

/** Like `layer`, with settings from the configuration: `Google.layerConfig({ model: Config.string("MODEL") })`. */
export const layerConfig: FromSettings = configured(layer)
