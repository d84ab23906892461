/**
 * Shared parts of the layers of model providers: settings, an HTTP client that does not leak secrets, and names of
 * tools that vendors accept.
 */
import type { LanguageModel } from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { laidOver } from "../../domain/authored/ModelOptions.js"
import { wellFormed } from "../../domain/base/Json.js"
import { redact } from "../../services/model/call/CallFailure.js"

/** A value, or the `Config` that reads it. */
export type Setting<A> = A | Config.Config<A>

export interface Connection {
  /** The key, or the `Config` that reads it. Default: the provider's environment variable. */
  readonly apiKey?: Setting<Redacted.Redacted>
  /** The address for requests. Default: the provider's environment variable, else the provider's own address. */
  readonly baseUrl?: Setting<string>
}

/**
 * The settings of a provider's layer, to be read from the configuration: the model, the key and the address. Default
 * for the key and the address: the environment variables, as in `layer`.
 */
export interface Settings {
  readonly model: string
  readonly apiKey?: Redacted.Redacted
  readonly baseUrl?: string
}

/** The type of `layerConfig`: takes a `Config` for each setting, or one `Config` for all. */
export type FromSettings<S = Settings> = (
  options: Config.Config.Wrap<S>
) => Layer.Layer<LanguageModel, ConfigError>

const read = <A>(setting: Setting<A>): Effect.Effect<A, ConfigError> =>
  Config.isConfig(setting) ? setting : Effect.succeed(setting)

/**
 * Returns the key and base URL, as given or from the environment. Only the provider's own address requires a key,
 * because many compatible servers need none.
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

/** The application's `HttpClient` if there is one, else `fetch`. */
export const httpClient: Layer.Layer<HttpClient.HttpClient> = Layer.unwrapEffect(
  Effect.map(
    Effect.serviceOption(HttpClient.HttpClient),
    Option.match({
      onNone: () => FetchHttpClient.layer,
      onSome: (client) => Layer.succeed(HttpClient.HttpClient, client)
    })
  )
)

/**
 * Minimum length of a secret key. Shorter keys are placeholders such as `ollama`; removing them would damage ordinary
 * texts.
 */
const shortestSecret = 16

/** Returns a function that removes the key, and text that looks like a key, from the message of an error. */
export const cleaner = (secret: Redacted.Redacted | undefined) => {
  const key = secret === undefined ? "" : Redacted.value(secret)
  return (text: string): string => redact(key.length < shortestSecret ? text : text.replaceAll(key, "<redacted>"))
}

/** Matches response headers that a span may show; other headers may repeat the request. */
const shown = /^(?!content-|retry-after|date$)/i

/**
 * Converts error statuses to errors that keep the status and have no secrets: some servers repeat the key, spans record
 * the headers of requests and responses, and generated clients lose the status of an error whose body they do not know.
 * Successful answers do not change.
 */
export const keepSecret = (secret: () => Redacted.Redacted | undefined, header: string) => {
  const clean = (text: string): string => cleaner(secret())(text)
  type Answer = HttpClientResponse.HttpClientResponse
  const withBody = (response: Answer, body: string): Answer =>
    HttpClientResponse.fromWeb(
      response.request,
      new Response(body, { status: response.status, headers: { ...response.headers } })
    )
  /** Returns the response without the key: an error while it is read prints the request and its headers. */
  const discreet = (response: Answer): Answer =>
    secret() === undefined ? response : Object.create(response, {
      request: { value: HttpClientRequest.setHeader(response.request, header, "<redacted>") },
      headers: {
        value: Headers.fromInput(Object.entries(response.headers).map(([name, value]) => [name, clean(value)] as const))
      },
      // If a body is not JSON, the error quotes the body, so the key is removed from the error and from the body.
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
 * Makes a client of one provider: `http` sends requests to `url` with the key in `header` (as a bearer token for
 * `authorization`), and fails for error statuses; `clean` removes the key from texts.
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
 * Merges the request fields that are set on the layer with those of one call. Returns the merged fields, and the
 * headers of the call.
 */
export const asked = <Config extends object>(
  config: Config,
  options: (Config & { readonly headers?: Headers.Input }) | undefined
): { readonly config: Config; readonly headers: Headers.Headers } => {
  if (options === undefined) return { config, headers: Headers.empty }
  const { headers = {}, ...fields } = options
  // Without `headers`, the remaining fields have the type of the configuration.
  return { config: laidOver(config, fields as Config) ?? config, headers: Headers.fromInput(headers) }
}

/** Makes a name valid for vendors: letters, digits, `_` and `-`, at most 64. */
export const conforming = (name: string): string => name.replace(/[^\w-]/g, "_").slice(0, 64) || "_"

/** Matches a lone surrogate in the output of `JSON.stringify`, which writes pairs as they are. */
const lone = /\\ud[89a-f]/

/** Writes a body as JSON that vendors can read: U+FFFD replaces each lone surrogate, also in settings and metadata. */
const written = (body: unknown): string => {
  const text = JSON.stringify(body)
  return lone.test(text) ? JSON.stringify(wellFormed(JSON.parse(text))) : text
}

/** Makes a POST request with a JSON body. */
export const post = (path: string, headers: Headers.Input, body: unknown): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.post(path).pipe(
    HttpClientRequest.setHeaders(headers),
    HttpClientRequest.bodyText(written(body), "application/json")
  )

/** Returns the media type of a file, with `image/jpeg` for `image/*`. */
export const mediaTypeOf = ({ mediaType }: Prompt.FilePart): string =>
  mediaType === "image/*" ? "image/jpeg" : mediaType

/** Returns the bytes of a file, or of a data URL, in Base64. */
export const base64Of = (data: string | Uint8Array): string =>
  typeof data === "string" ? data.replace(/^data:[^,]*,/, "") : Encoding.encodeBase64(data)

/** Returns the URL of a file; for a file without one, a data URL with its bytes. */
export const urlOf = (part: Prompt.FilePart): string =>
  part.data instanceof URL
    ? part.data.toString()
    : typeof part.data === "string" && /^(https?|data):/.test(part.data)
    ? part.data
    : `data:${mediaTypeOf(part)};base64,${base64Of(part.data)}`
