/**
 * Google's Gemini API.
 *
 * @since 0.1.0
 */
import * as GoogleClient from "@effect/ai-google/GoogleClient"
import * as GoogleLanguageModel from "@effect/ai-google/GoogleLanguageModel"
import { UnknownError } from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import * as Tool from "@effect/ai/Tool"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Asked, Connection } from "./Provider.js"
import { connection, httpClient, keepSecret, prepared, tidied } from "./Provider.js"

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
  readonly config?: Partial<Omit<GoogleLanguageModel.Config.Service, "model">>
}

type GenerateContentResponse = Effect.Effect.Success<ReturnType<GoogleClient.Service["generateContent"]>>

/** A blocked prompt has no candidates, a blocked answer no content; the model would wait for both in silence. */
const candid = (response: GenerateContentResponse): Effect.Effect<GenerateContentResponse, UnknownError> => {
  const block = response.promptFeedback?.blockReason
  if (block !== undefined && (response.candidates ?? []).length === 0) {
    const description = JSON.stringify({ code: "content_filter", message: `the prompt was blocked: ${block}` })
    return Effect.fail(new UnknownError({ module: "Google", method: "generateContent", description }))
  }
  const candidate = response.candidates?.[0]
  if (candidate === undefined || candidate.content !== undefined || candidate.finishReason === undefined) {
    return Effect.succeed(response)
  }
  return Effect.succeed({ ...response, candidates: [{ ...candidate, content: { parts: [], role: "model" } }] })
}

const client = (options: Connection): Layer.Layer<GoogleClient.GoogleClient, ConfigError> =>
  Layer.scoped(
    GoogleClient.GoogleClient,
    Effect.gen(function*() {
      const { apiKey, baseUrl } = yield* connection(options, { apiKey: "GOOGLE_API_KEY", baseUrl: "GOOGLE_BASE_URL" })
      const made = yield* GoogleClient.make({
        apiKey,
        // The client adds the version to the path.
        apiUrl: baseUrl?.replace(/\/v1beta$/, ""),
        transformClient: keepSecret(apiKey, "x-goog-api-key")
      })
      return {
        ...made,
        generateContent: (request) => Effect.flatMap(made.generateContent(request), candid),
        generateContentStream: (request) => Stream.mapEffect(made.generateContentStream(request), candid)
      }
    })
  ).pipe(Layer.provide(httpClient))

/** Gemini takes no references, and the client dies of them. What refers to itself becomes any object. */
const inlined = (schema: unknown, definitions: Record<string, unknown>, within: ReadonlyArray<string>): unknown => {
  if (Array.isArray(schema)) return schema.map((each) => inlined(each, definitions, within))
  if (!Predicate.isRecord(schema)) return schema
  const { $defs: _, $ref: reference, ...rest } = schema
  if (typeof reference === "string") {
    const name = reference.replace(/^#\/(\$defs|definitions)\//, "")
    const known = within.includes(name) ? undefined : definitions[name]
    const target = known === undefined ? { type: "object" } : inlined(known, definitions, [...within, name])
    return { ...(target as object), ...rest }
  }
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, inlined(value, definitions, within)]))
}

/** The same schema for decoding, another for the model. */
const withoutReferences = <S extends Schema.Schema.Any>(schema: S): S => {
  const json: object = Tool.getJsonSchemaFromSchemaAst(schema.ast)
  const text = JSON.stringify(json)
  if (!text.includes("\"$ref\"") && !text.includes("\"$defs\"")) return schema
  const definitions = "$defs" in json && Predicate.isRecord(json.$defs) ? json.$defs : {}
  // Annotations change neither the type nor the class of a schema.
  return schema.annotations({ jsonSchema: inlined(json, definitions, []) as object }) as S
}

const withoutReferencesIn = (tools: Record<string, Tool.Any>): Record<string, Tool.Any> =>
  Object.fromEntries(
    Object.entries(tools).map(([name, tool]) =>
      Tool.isUserDefined(tool)
        ? [name, tool.setParameters(withoutReferences(tool.parametersSchema))]
        : [name, tool]
    )
  )

const objectOf = (value: unknown, key: string): unknown =>
  Predicate.isRecord(value) && !Array.isArray(value) ? value : { [key]: value }

/** Gemini takes objects only, as arguments of calls and as their results. */
const inObjects = (prompt: Prompt.Prompt): Prompt.Prompt => {
  if (!prompt.content.some((message) => message.role === "tool")) return prompt
  return Prompt.fromMessages(prompt.content.map((message) => {
    const { options } = message
    if (message.role === "tool") {
      const content = message.content.map((part) =>
        Prompt.toolResultPart({ ...part, result: objectOf(part.result, part.isFailure ? "error" : "result") })
      )
      return Prompt.toolMessage({ content, options })
    }
    if (message.role !== "assistant") return message
    const content = message.content.map((part) =>
      part.type === "tool-call" ? Prompt.toolCallPart({ ...part, params: objectOf(part.params, "arguments") }) : part
    )
    return Prompt.assistantMessage({ content, options })
  }))
}

const prepare = (asked: Asked): Effect.Effect<Asked> =>
  Effect.sync(() => {
    const { schema, toolkit } = asked
    return {
      prompt: inObjects(tidied(asked.prompt)),
      ...(toolkit !== undefined && { toolkit: { ...toolkit, tools: withoutReferencesIn(toolkit.tools) } }),
      ...(schema !== undefined && { schema: withoutReferences(schema) })
    }
  })

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<LanguageModel.LanguageModel, ConfigError> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.map(
      GoogleLanguageModel.make({ model: options.model, config: { toolConfig: {}, ...options.config } }),
      (service) => prepared(service, prepare)
    )
  ).pipe(Layer.provide(client(options)))
