/** Models of OpenRouter, through its chat completions. */
import type { EmbeddingModel } from "@effect/ai/EmbeddingModel"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import type * as Layer from "effect/Layer"
import { configured } from "../Configured.js"
import type { StructuredOutput } from "./ChatProfile.js"
import type { Thoughts } from "./ModelText.js"
import * as OpenAiCompatible from "./OpenAiCompatible.js"
import type { Connection, FromSettings } from "./Provider.js"

/** The options of an OpenRouter model. `apiKey` defaults to the environment's `OPENROUTER_API_KEY`. */
export interface Options extends Connection {
  /** For example `anthropic/claude-sonnet-4.5`. */
  readonly model: string
  /** The application's address, for OpenRouter's statistics. */
  readonly referer?: string
  /** The application's name, for OpenRouter's statistics. */
  readonly title?: string
  /** The way in which JSON answers are requested; default `json_schema`. */
  readonly structuredOutput?: StructuredOutput
  /** The place of a model's thoughts in its text; see `OpenAiCompatible.Options`. Default `tags`. */
  readonly thoughts?: Thoughts
  /** True if tool calls in a model's text are run; see `OpenAiCompatible.Options`. Default `true`. */
  readonly textCalls?: boolean
  /** Further fields of the request, for example `provider`, `models` or `temperature`. */
  readonly body?: Record<string, unknown>
  /** Further fields of the requests of a purpose; see `OpenAiCompatible.Options`. */
  readonly purposes?: OpenAiCompatible.Options["purposes"]
}

/** The options of an answer, which embeddings do not have. */
type AnswerOption = "structuredOutput" | "thoughts" | "textCalls" | "body" | "purposes"

const server = (options: Omit<Options, AnswerOption>) => ({
  model: options.model,
  baseUrl: options.baseUrl ?? "https://openrouter.ai/api/v1",
  apiKey: options.apiKey ?? Config.redacted(Config.nonEmptyString("OPENROUTER_API_KEY")),
  headers: {
    ...(options.referer !== undefined && { "http-referer": options.referer }),
    ...(options.title !== undefined && { "x-title": options.title })
  }
})

export const layer = ({ purposes, ...options }: Options): Layer.Layer<LanguageModel.LanguageModel, ConfigError> =>
  OpenAiCompatible.layer({
    ...options,
    ...server(options),
    provider: "openrouter",
    ...(purposes !== undefined && { purposes })
  })

/** Like `layer`, with settings from the configuration: `OpenRouter.layerConfig({ model: Config.string("MODEL") })`. */
export const layerConfig: FromSettings = configured(layer)

export const layerEmbedding = (
  options: Omit<Options, AnswerOption>
): Layer.Layer<EmbeddingModel, ConfigError> => OpenAiCompatible.layerEmbedding(server(options))
