/**
 * Models of Anthropic's Messages API.
 *
 * Signed reasoning is sent back only to the same model. Anthropic refuses `thinking` together with a forced tool. So
 * understanding uses structured outputs if the model has them and they can express the schema; otherwise it runs
 * without thinking. A request with the results of another model's tool calls runs without thinking too.
 * `structuredOutput` overrides the choice.
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import type * as HttpClient from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Wire from "../../services/model/call/Wire.js"
import { PromptCache } from "../../services/model/Model.js"
import { configured } from "../Configured.js"
import type { Config, StructuredOutput } from "./AnthropicRequest.js"
import { forms, jsonBy, request } from "./AnthropicRequest.js"
import { metadataKey, Reader } from "./AnthropicResponse.js"
import type { Connection, FromSettings } from "./Provider.js"
import { asked, clientOf, connection, httpClient, post } from "./Provider.js"
import * as ProviderExchange from "./ProviderExchange.js"
import { placed } from "./SystemNotes.js"

export type { Config, StructuredOutput } from "./AnthropicRequest.js"

/**
 * The options of an Anthropic model. `apiKey` defaults to the environment's `ANTHROPIC_API_KEY`, `baseUrl` to
 * `ANTHROPIC_BASE_URL`, else Anthropic's own address.
 */
export interface Options extends Connection {
  /** The model's name at Anthropic. */
  readonly model: string
  /** Fields of the request, for example `max_tokens`, `temperature`, `thinking` or `output_config`. */
  readonly config?: Config
  /**
   * The way in which JSON answers are requested. Default: `json_schema` if `config.thinking` is on and the model has
   * structured outputs, else `tool`. A schema that structured outputs cannot express is requested by `tool`.
   */
  readonly structuredOutput?: StructuredOutput
  /** Values of the header `anthropic-beta`. */
  readonly betas?: ReadonlyArray<string>
}

declare module "../../domain/authored/ModelOptions.js" {
  interface ModelOptions {
    /** Fields of the request to Anthropic's Messages API. */
    readonly anthropic?: Config & { readonly headers?: Readonly<Record<string, string>> }
  }
}

const marked = (message: Prompt.Message) => message.options[metadataKey] !== undefined

const breakpoint = { cacheControl: { type: "ephemeral" } }

/** True for parts that become blocks on which a cache mark can be set. */
const isBlock = (part: Prompt.Part): boolean =>
  part.type === "text"
    ? part.text.trim() !== ""
    : "providerExecuted" in part
    ? !part.providerExecuted
    : part.type !== "reasoning"

/** Returns the message with a cache mark at its last block. */
const ending = (message: Prompt.Message): Prompt.Message => {
  if (message.role === "system") return message
  const content: ReadonlyArray<Prompt.Part> = message.content
  const last = content.findLastIndex(isBlock)
  const parts = content.map((part, i) =>
    i === last
      ? { ...part, options: { ...part.options, [metadataKey]: { ...part.options[metadataKey], ...breakpoint } } }
      : part
  )
  return { ...message, content: parts } as Prompt.Message
}

/**
 * Sets two cache marks: after the tools and the first system message, which are the same in every conversation of an
 * agent; and after the conversation, before the last system message, because its instructions are only for this turn.
 */
const cached = (prompt: Prompt.Prompt): Prompt.Prompt => {
  const [first, ...rest] = prompt.content
  if (first?.role !== "system" || prompt.content.some(marked)) return prompt
  const end = rest.findLastIndex(({ role }) => role === "system") - 1
  return Prompt.fromMessages([
    Prompt.systemMessage({ content: first.content, options: { ...first.options, [metadataKey]: breakpoint } }),
    ...rest.map((message, i) => i === end ? ending(message) : message)
  ])
}

const client = (options: Connection) =>
  Effect.gen(function*() {
    const { apiKey, baseUrl } = yield* connection(options, {
      apiKey: "ANTHROPIC_API_KEY",
      baseUrl: "ANTHROPIC_BASE_URL"
    })
    const url = (baseUrl ?? "https://api.anthropic.com").replace(/\/v1$/, "")
    const headers = { "anthropic-version": "2023-06-01" }
    return yield* clientOf({ url: `${url}/v1`, apiKey, header: "x-api-key", headers })
  })

export const make = (
  options: Options
): Effect.Effect<LanguageModel.Service, ConfigError, HttpClient.HttpClient> =>
  Effect.flatMap(client(options), ({ clean, http }) => {
    const { config = {}, model, structuredOutput } = options
    return Wire.make(ProviderExchange.make({
      module: "Anthropic",
      model,
      http,
      clean,
      forms,
      request: (question, stream) =>
        Effect.map(PromptCache, (cache) => {
          const prompt = placed(cache ? cached(question.prompt) : question.prompt)
          const given = asked(config, question.options?.anthropic)
          const { betas, body } = request({ ...question, prompt }, {
            model,
            config: given.config,
            structuredOutput,
            stream
          })
          const own = given.headers["anthropic-beta"]
          const all = [...options.betas ?? [], ...betas, ...(own === undefined ? [] : [own])]
          const beta = all.length === 0 ? {} : { "anthropic-beta": all.join(",") }
          return post("/messages", { ...given.headers, ...beta }, body)
        }),
      reader: (question, unique) => {
        const given = asked(config, question.options?.anthropic)
        const answersByTool = jsonBy(question, { model, config: given.config, structuredOutput })?.by === "tool"
        return new Reader({ model, answersByTool, hosted: ProviderExchange.hosted(question) }, unique)
      }
    }))
  })

export const layer = (options: Options): Layer.Layer<LanguageModel.LanguageModel, ConfigError> =>
  Layer.effect(LanguageModel.LanguageModel, make(options)).pipe(Layer.provide(httpClient))

/** Like `layer`, with settings from the configuration: `Anthropic.layerConfig({ model: Config.string("MODEL") })`. */
export const layerConfig: FromSettings = configured(layer)
