/**
 * What the layers of model providers share: settings, an HTTP client that keeps secrets to itself, and prompts in the
 * shape the provider takes.
 *
 * @since 0.1.0
 */
import type { LanguageModel } from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { laidOver } from "../../domain/authored/ModelOptions.js"
import { redact } from "../../services/model/call/Failure.js"

/**
 * A value, or where to read it from.
 *
 * @since 0.1.0
 * @category models
 */
export type Setting<A> = A | Config.Config<A>

/**
 * @since 0.1.0
 * @category models
 */
export interface Connection {
  /** The key, or where to read it from. Default: the provider's environment variable. */
  readonly apiKey?: Setting<Redacted.Redacted>
  /** Where requests go. Default: the provider's environment variable, else the provider itself. */
  readonly baseUrl?: Setting<string>
}

/**
 * What a provider's layer reads from the configuration: the model, and where and as whom to ask for it. The key and the
 * address default to the environment's, as in `layer`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Settings {
  readonly model: string
  readonly apiKey?: Redacted.Redacted
  readonly baseUrl?: string
}

/**
 * A `layerConfig`: each setting a `Config`, or one `Config` of them all.
 *
 * @since 0.1.0
 * @category models
 */
export type FromSettings<S = Settings> = (
  options: Config.Config.Wrap<S>
) => Layer.Layer<LanguageModel, ConfigError>

const read = <A>(setting: Setting<A>): Effect.Effect<A, ConfigError> =>
  Config.isConfig(setting) ? setting : Effect.succeed(setting)

/**
 * The key and base URL: as given, else from the environment. A key is required for the provider's own address only;
 * many servers that speak its protocol need none.
 *
 * @since 0.1.0
 * @category settings
 */
export const connection = (given: Connection, environment: {
  readonly apiKey: string
  readonly baseUrl: string
}): Effect.Effect<
  { readonly apiKey: Redacted.Redacted | undefined; readonly baseUrl: string | undefined },
  ConfigError
> =>
  Effect.gen(function*() {
    const url = given.baseUrl === undefined
      ? yield* Effect.map(Config.option(Config.nonEmptyString(environment.baseUrl)), Option.getOrUndefined)
      : yield* read(given.baseUrl)
    const fromEnvironment = Config.redacted(Config.nonEmptyString(environment.apiKey))
    const apiKey = given.apiKey !== undefined
      ? yield* read(given.apiKey)
      : url === undefined
      ? yield* fromEnvironment
      : Option.getOrUndefined(yield* Config.option(fromEnvironment))
    return { apiKey, baseUrl: url?.replace(/\/+$/, "") }
  })

/**
 * The application's `HttpClient` when there is one, else `fetch`.
 *
 * @since 0.1.0
 * @category layers
 */
export const httpClient: Layer.Layer<HttpClient.HttpClient> = Layer.unwrapEffect(
  Effect.map(
    Effect.serviceOption(HttpClient.HttpClient),
    Option.match({
      onNone: () => FetchHttpClient.layer,
      onSome: (client) => Layer.succeed(HttpClient.HttpClient, client)
    })
  )
)

/** Shorter keys are placeholders such as `ollama`: they are no secret, and occur in ordinary texts. */
const shortestSecret = 16

/**
 * Takes the key, and what looks like one, out of a text that goes into an error.
 *
 * @since 0.1.0
 * @category combinators
 */
export const cleaner = (secret: Redacted.Redacted | undefined) => {
  const key = secret === undefined ? "" : Redacted.value(secret)
  return (text: string): string => redact(key.length < shortestSecret ? text : text.replaceAll(key, "<redacted>"))
}

/** What is worth having of a response's headers in a span; others may repeat what was sent. */
const shown = /^(?!content-|retry-after|date$)/i

/**
 * Refusals as errors with their status, and without secrets: some servers repeat the key they were given, spans record
 * the headers of requests and responses, and generated clients lose the status of a refusal whose body they do not know.
 * What a server answers is left as it is.
 *
 * @since 0.1.0
 * @category combinators
 */
export const keepSecret = (secret: () => Redacted.Redacted | undefined, header: string) => {
  const clean = (text: string): string => cleaner(secret())(text)
  type Answer = HttpClientResponse.HttpClientResponse
  const withBody = (response: Answer, body: string): Answer =>
    HttpClientResponse.fromWeb(
      response.request,
      new Response(body, { status: response.status, headers: { ...response.headers } })
    )
  /** The same response, which does not tell with which key it was asked: errors of reading it print it as a whole. */
  const discreet = (response: Answer): Answer =>
    secret() === undefined ? response : Object.create(response, {
      request: { value: HttpClientRequest.setHeader(response.request, header, "<redacted>") },
      headers: {
        value: Headers.fromInput(Object.entries(response.headers).map(([name, value]) => [name, clean(value)] as const))
      },
      // A body that is not JSON is quoted in the error.
      json: {
        get: () =>
          Effect.catchAll(response.json, (error) =>
            Effect.flatMap(
              Effect.orElseSucceed(response.text, () => ""),
              (body) =>
                Effect.fail(
                  new HttpClientError.ResponseError({
                    request: HttpClientRequest.setHeader(response.request, header, "<redacted>"),
                    response: discreet(withBody(response, clean(body))),
                    reason: error.reason,
                    description: clean(String(error.cause ?? error.description))
                  })
                )
            ))
      }
    })
  return (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    HttpClient.transform(client, (effect) =>
      effect.pipe(
        Effect.flatMap((response) =>
          response.status < 400
            ? Effect.succeed(discreet(response))
            : Effect.flatMap(
              Effect.orElseSucceed(response.text, () => ""),
              (body) => HttpClientResponse.filterStatusOk(discreet(withBody(response, clean(body))))
            )
        ),
        Effect.locallyWith(Headers.currentRedactedNames, (names) => [...names, header, shown])
      ))
}

/**
 * A client of one provider: `clean` takes the key out of texts, `http` goes to `url` with the key in `header`, as a bearer's
 * where that is `authorization`, and fails for each status that is none of success.
 *
 * @since 0.1.0
 * @category constructors
 */
export const clientOf = ({ apiKey, header, headers = {}, url }: {
  readonly url: string
  readonly apiKey: Redacted.Redacted | undefined
  readonly header: "authorization" | "x-api-key" | "x-goog-api-key"
  readonly headers?: Headers.Input | undefined
}) =>
  Effect.map(HttpClient.HttpClient, (http) => ({
    http: http.pipe(
      HttpClient.mapRequest((request) =>
        request.pipe(
          HttpClientRequest.prependUrl(url),
          apiKey === undefined
            ? identity
            : header === "authorization"
            ? HttpClientRequest.bearerToken(apiKey)
            : HttpClientRequest.setHeader(header, Redacted.value(apiKey)),
          HttpClientRequest.setHeaders(headers),
          HttpClientRequest.acceptJson
        )
      ),
      keepSecret(() => apiKey, header),
      HttpClient.filterStatusOk
    ),
    clean: cleaner(apiKey)
  }))

/**
 * The fields of a request and its headers: what the layer was given, and over it what is asked in this one call.
 *
 * @since 0.1.0
 * @category combinators
 */
export const asked = <Config extends object>(
  config: Config,
  options: (Config & { readonly headers?: Headers.Input }) | undefined
): { readonly config: Config; readonly headers: Headers.Headers } => {
  if (options === undefined) return { config, headers: Headers.empty }
  const { headers = {}, ...fields } = options
  // Without the headers it is a configuration again.
  return { config: laidOver(config, fields as Config) ?? config, headers: Headers.fromInput(headers) }
}

/**
 * The prompt with its system messages first, in their order, and without messages that say nothing: providers take
 * system messages there only, or lose the others, and refuse empty ones.
 *
 * @since 0.1.0
 * @category combinators
 */
export const tidied = (prompt: Prompt.Prompt): Prompt.Prompt => {
  const system = prompt.content.filter((message) => message.role === "system")
  const rest = prompt.content.filter((message) => message.role !== "system" && message.content.length > 0)
  const content = [...system, ...rest]
  const same = content.length === prompt.content.length && content.every((each, i) => each === prompt.content[i])
  return same ? prompt : Prompt.fromMessages(content)
}

/**
 * The name of a tool as vendors take it: letters, digits, `_` and `-`, at most 64 of them. A model may make up another one,
 * which its vendor refuses when it comes back with the transcript.
 *
 * @since 0.2.0
 * @category combinators
 */
export const conforming = (name: string): string => name.replace(/[^\w-]/g, "_").slice(0, 64) || "_"
