/**
 * How the pipeline asks a language model: one question, one whole answer, whatever provider, retry or fallback is behind it.
 *
 * @since 0.1.0
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { HostedTool } from "../domain/definition/Definition.js"
import type { BudgetExceeded, GenerationFailureReason, Purpose, ResponseGenerationError } from "../domain/Errors.js"
import type { ToolChoice } from "../domain/Tool.js"
import { ask, backoff } from "./model/Candidates.js"

/**
 * A tool as the model sees it. Arguments come back undecoded: the caller decodes them.
 *
 * @since 0.1.0
 * @category models
 */
export interface OfferedTool {
  readonly name: string
  readonly description?: string
  readonly jsonSchema: object
  /** A tool that the provider runs itself; `jsonSchema` is of no matter then. Other providers refuse it. */
  readonly hosted?: HostedTool
}

/**
 * One question to a model.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelCall {
  readonly purpose: Purpose
  /** The model alias to ask; default: see `ModelAliases`, then the one of the purpose, else the default model. */
  readonly alias?: string
  readonly prompt: Prompt.Prompt
  readonly tools?: ReadonlyArray<OfferedTool>
  /** Whether the model must call one of `tools`, may, or must not. Default `"auto"`. */
  readonly toolChoice?: ToolChoice
  /**
   * Ask for a JSON object of this JSON schema; the parsed value is in `ModelAnswer.value`. An answer that is not a
   * JSON object fails with `malformed_output`. Never streamed: `onPart` is not called.
   */
  readonly json?: { readonly name: string; readonly schema: object }
  /** Limits of one attempt. A limit that passes is a failure with reason `timeout` that names the limit. */
  readonly limits: { readonly firstToken: Duration.Duration; readonly model: Duration.Duration }
  /** Given: the answer is streamed, and every piece of it is handed over before the next is read. */
  readonly onPart?: (part: ModelPart) => Effect.Effect<void>
}

/**
 * A piece of a streamed answer.
 *
 * @since 0.1.0
 * @category models
 */
export type ModelPart =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Reasoning"; readonly text: string }

/**
 * @since 0.1.0
 * @category models
 */
export interface ModelToolCall {
  readonly id: string
  readonly name: string
  readonly params: unknown
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
}

/**
 * The whole answer, the same whether it was streamed or not.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelAnswer {
  /** All text parts joined. */
  readonly text: string
  readonly toolCalls: ReadonlyArray<ModelToolCall>
  /** What goes into the transcript: text, reasoning and tool-call parts in order, with the provider's metadata. */
  readonly content: ReadonlyArray<Prompt.AssistantMessagePart>
  readonly finishReason: Response.FinishReason
  readonly usage: ModelUsage
  /** The parsed object when `json` was asked; otherwise undefined. */
  readonly value: unknown
  /** What the model thought before it spoke, as far as its provider shows it; also in `content`. */
  readonly reasoning?: string
  /** What the answer rests on, when the provider looked something up; also with the text in `content`. */
  readonly sources?: ReadonlyArray<ModelSource>
  /** The provider's id of the answer. */
  readonly responseId?: string
  /** How many of the output tokens went into thinking, where the provider says so. */
  readonly reasoningTokens?: number
  /** How many of the input tokens were written to the provider's cache, where it says so. */
  readonly cacheWriteTokens?: number
}

/**
 * A page or a document that an answer rests on.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelSource {
  readonly title: string
  /** Absent for documents that have no address. */
  readonly url?: string
}

/**
 * What became of one attempt at a call; failed attempts count too.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelCallRecord {
  readonly purpose: Purpose
  /** The alias or name of the model asked. */
  readonly model: string
  /** `"interrupted"`: the turn was stopped while the model was answering. */
  readonly finishReason: Response.FinishReason | "error" | "interrupted"
  readonly failure?: { readonly reason: GenerationFailureReason; readonly message: string }
  readonly usage: ModelUsage
  /** By the price table of `Models.layer`; absent when the model has no price. */
  readonly cost?: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly ask: (call: ModelCall) => Effect.Effect<ModelAnswer, ResponseGenerationError | BudgetExceeded>
  /** The aliases `ModelCall.alias` may name. */
  readonly aliases: ReadonlySet<string>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Model extends Context.Tag("coxswain/Model")<Model, Service>() {}

/**
 * Who wants to know of each attempt at a model call. A turn sets it to count its calls; custom implementations of
 * `Understanding` that ask a model themselves report through `ModelObserver` too, so that `usage` stays true.
 *
 * @since 0.1.0
 * @category references
 */
export class ModelObserver extends Context.Reference<ModelObserver>()("coxswain/ModelObserver", {
  defaultValue: (): (record: ModelCallRecord) => Effect.Effect<void> => () => Effect.void
}) {}

/**
 * The aliases that an agent's calls go to where they name none themselves. They come before those that `Models.layer`
 * has for purposes; `default` comes after them. Signals that have none follow `understand`. A turn sets it.
 *
 * @since 0.1.0
 * @category references
 */
export class ModelAliases extends Context.Reference<ModelAliases>()("coxswain/ModelAliases", {
  defaultValue: (): { readonly [P in Purpose | "default"]?: string } => ({})
}) {}

/**
 * Whether providers are asked to cache the stable beginning of prompts, the first system message; default true.
 *
 * @since 0.1.0
 * @category references
 */
export class PromptCache extends Context.Reference<PromptCache>()("coxswain/PromptCache", {
  defaultValue: (): boolean => true
}) {}

/**
 * Asks one `LanguageModel`. Failures that pass are tried twice more after growing delays, unless text was already
 * handed to `onPart`: nobody is told the beginning of an answer twice. Each attempt is reported to `ModelObserver`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromLanguageModel = (
  service: LanguageModel.Service,
  options?: {
    /** What the model is called in errors, records and metrics; default `default`. */
    readonly name?: string
  }
): Service => {
  const candidates = [{ name: options?.name ?? "default", service, attempts: 3, schedule: backoff }]
  return {
    aliases: new Set(),
    ask: (call) => Effect.flatMap(ModelObserver, (observe) => ask(candidates, call, observe))
  }
}

/**
 * The `Model` there is, else one over the `LanguageModel`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const current: Effect.Effect<Service, never, LanguageModel.LanguageModel> = Effect.flatMap(
  LanguageModel.LanguageModel,
  (service) => Effect.map(Effect.serviceOption(Model), Option.getOrElse(() => fromLanguageModel(service)))
)

/**
 * `Model` over the one `LanguageModel` there is.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Model, never, LanguageModel.LanguageModel> = Layer.effect(
  Model,
  Effect.map(LanguageModel.LanguageModel, (service) => fromLanguageModel(service))
)
