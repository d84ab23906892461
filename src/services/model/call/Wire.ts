/**
 * A provider whose requests and responses the library writes and reads itself. It is a `LanguageModel` too. Calls
 * through its `Wire` save work that `LanguageModel` does for each call: it builds the schema of each tool, and decodes
 * parts that were just built.
 */
import type * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Tool from "@effect/ai/Tool"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Span } from "effect/Tracer"
import type { ModelOptions } from "../../../domain/authored/ModelOptions.js"
import type { Purpose } from "../../../domain/base/error/Errors.js"
import type * as PullStream from "../../../domain/base/PullStream.js"
import type { OfferedTool } from "./ModelCall.js"
import { toolSchema, vendorSchema } from "./VendorSchema.js"

/** A call, ready to be written as a request. Its JSON schemas are in the draft that vendors read. */
export interface Question {
  /** The purpose of the call; absent if an application calls the model itself. */
  readonly purpose?: Purpose | undefined
  readonly prompt: Prompt.Prompt
  readonly tools: ReadonlyArray<OfferedTool>
  readonly toolChoice: LanguageModel.ToolChoice<string>
  readonly json?: { readonly name: string; readonly schema: object } | undefined
  /** Additional fields of the request, by provider. */
  readonly options?: ModelOptions | undefined
  /** The span that records the request and its answer; undefined without a tracer. */
  readonly span: Span | undefined
}

export interface Wire {
  readonly whole: (question: Question) => Effect.Effect<Array<Response.PartEncoded>, AiError.AiError>
  /** Starts a streamed answer. It is released when the scope closes. */
  readonly stream: (question: Question) => Effect.Effect<StreamParts, AiError.AiError, Scope.Scope>
}

/** The next parts of an answer. */
export type StreamParts = PullStream.Pull<Response.StreamPartEncoded, AiError.AiError>

const TypeId: unique symbol = Symbol.for("coxswain/model/Wire")

/** Returns the `Wire` of a model; undefined if the model was not made with `make`. */
export const of = (service: LanguageModel.Service): Wire | undefined =>
  Predicate.hasProperty(service, TypeId) ? service[TypeId] as Wire : undefined

const offered = (tool: Tool.Any): OfferedTool => {
  if (Tool.isProviderDefined(tool)) return { name: tool.name, jsonSchema: {}, hosted: tool }
  const description = Tool.getDescription(tool as Parameters<typeof Tool.getDescription>[0])
  return {
    name: tool.name,
    ...(description !== undefined && { description }),
    jsonSchema: toolSchema(Tool.getJsonSchemaFromSchemaAst(tool.parametersSchema.ast))
  }
}

/**
 * Additional fields of the request, by provider. For callers of the methods of `LanguageModel`, which have no parameter
 * for them.
 */
export class WireOptions extends Context.Reference<WireOptions>()("coxswain/model/WireOptions", {
  defaultValue: (): { readonly options?: ModelOptions } => ({})
}) {}

const questionOf = (
  { prompt, responseFormat, span, toolChoice, tools }: LanguageModel.ProviderOptions,
  options: { readonly options?: ModelOptions }
): Question => ({
  ...options,
  prompt,
  span,
  toolChoice,
  tools: tools.map(offered),
  ...(responseFormat.type === "json" && {
    json: {
      name: responseFormat.objectName,
      schema: vendorSchema(Tool.getJsonSchemaFromSchemaAst(responseFormat.schema.ast))
    }
  })
})

/**
 * Returns a test for the parts that `LanguageModel` accepts. `LanguageModel` fails on calls of unknown tools, so calls
 * of the provider's own tools are left out.
 */
const isExpected = (tools: ReadonlyArray<Tool.Any>) => (part: Response.AnyPartEncoded): boolean =>
  (part.type !== "tool-call" && part.type !== "tool-result") || part.providerExecuted !== true ||
  tools.some(({ name }) => name === part.name)

/** Makes a `LanguageModel` from a `Wire`. */
export const make = (wire: Wire): Effect.Effect<LanguageModel.Service> =>
  Effect.map(
    LanguageModel.make({
      generateText: (asked) =>
        Effect.map(
          Effect.flatMap(WireOptions, (options) => wire.whole(questionOf(asked, options))),
          (parts) => parts.filter(isExpected(asked.tools))
        ),
      streamText: (asked) => {
        const begun = Effect.flatMap(WireOptions, (options) => wire.stream(questionOf(asked, options)))
        const chunks = Effect.map(begun, Effect.map(Chunk.unsafeFromArray))
        return Stream.filter(
          Stream.unwrapScoped(Effect.map(chunks, Stream.repeatEffectChunkOption)),
          isExpected(asked.tools)
        )
      }
    }),
    (service) => ({ ...service, [TypeId]: wire })
  )
