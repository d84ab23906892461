/** A model call, its answer, and the record of each attempt. */
import type * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import type * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { ModelOptions } from "../../../domain/authored/ModelOptions.js"
import type { ToolChoice } from "../../../domain/authored/Tool.js"
import type { GenerationFailureReason, Purpose } from "../../../domain/base/error/Errors.js"
import type { HostedTool } from "../../../domain/definition/Definition.js"

/** A tool as the model sees it. The model's arguments are not decoded; the caller decodes them. */
export interface OfferedTool {
  readonly name: string
  readonly description?: string
  readonly jsonSchema: object
  /** A tool that the provider runs itself; its `jsonSchema` is ignored. Other providers refuse the tool. */
  readonly hosted?: HostedTool
}

/** One call of a model. */
export interface ModelCall {
  readonly purpose: Purpose
  /**
   * The model alias to use. Default: the alias in `ModelAliases`, then the alias of the purpose, else the default
   * model.
   */
  readonly alias?: string
  readonly prompt: Prompt.Prompt
  readonly tools?: ReadonlyArray<OfferedTool>
  /** Decides whether the model must, may or must not call `tools`. Default `"auto"`: it may. */
  readonly toolChoice?: ToolChoice
  /**
   * Asks for a JSON object that fits this JSON schema; the parsed value is in `ModelAnswer.value`. An answer that is
   * not a JSON object fails with `malformed_output`. The answer is never streamed: `onPart` is not called.
   */
  readonly json?: { readonly name: string; readonly schema: object }
  /** Further options of the request, by provider. They override the options of `ModelSettings` for the purpose. */
  readonly options?: ModelOptions
  /** Limits of one attempt. Exceeding one is a failure with reason `timeout` that names the limit. */
  readonly limits: { readonly firstToken: Duration.Duration; readonly model: Duration.Duration }
  /**
   * Present for a speculative call, whose answer may not be needed. The `Deferred` completes when the answer is needed;
   * otherwise the call is interrupted.
   */
  readonly speculative?: Deferred.Deferred<void>
  /**
   * The consumer of a streamed answer. It gets each piece before the next piece is read. If absent, the answer is not
   * streamed.
   */
  readonly onPart?: (part: ModelPart) => Effect.Effect<void>
}

/** A piece of a streamed answer. */
export type ModelPart =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Reasoning"; readonly text: string }
  /** The text so far was no answer: its end showed that it was reasoning. */
  | { readonly _tag: "Retracted" }

export interface ModelToolCall {
  readonly id: string
  readonly name: string
  readonly params: unknown
  /**
   * True if the arguments were nested too deep to be sent to a model or stored. They are then left out: `params` is
   * `null`.
   */
  readonly tooDeep?: true
}

export interface ModelUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
}

/** The whole answer; the same value whether it was streamed or not. */
export interface ModelAnswer {
  /** All text parts joined. */
  readonly text: string
  readonly toolCalls: ReadonlyArray<ModelToolCall>
  /** The parts for the transcript: text, reasoning and tool calls in order, with the provider's metadata. */
  readonly content: ReadonlyArray<Prompt.AssistantMessagePart>
  readonly finishReason: Response.FinishReason
  readonly usage: ModelUsage
  /**
   * The parsed object, if the call had `json`; otherwise undefined. An optional property that is `null` is left out, if
   * the schema allows no `null`.
   */
  readonly value: unknown
  /** The model's reasoning, as far as the provider shows it; also in `content`. */
  readonly reasoning?: string
  /** The sources of the answer, if the provider looked something up; also with the text in `content`. */
  readonly sources?: ReadonlyArray<ModelSource>
  /** The provider's id of the answer. */
  readonly responseId?: string
  /** Number of output tokens used for reasoning, if the provider reports it. */
  readonly reasoningTokens?: number
  /** Number of input tokens written to the provider's cache, if the provider reports it. */
  readonly cacheWriteTokens?: number
}

/** A page or a document that an answer is based on. */
export interface ModelSource {
  readonly title: string
  /** Address of the page; absent for documents without an address. */
  readonly url?: string
}

/** The record of one attempt at a call, whether it succeeded or failed. */
export interface ModelCallRecord {
  readonly purpose: Purpose
  /** The alias or name of the model. */
  readonly model: string
  /** The reason why the answer ended; `"interrupted"` if the turn was stopped while the model was answering. */
  readonly finishReason: Response.FinishReason | "error" | "interrupted"
  readonly failure?: { readonly reason: GenerationFailureReason; readonly message: string }
  readonly usage: ModelUsage
  /** The provider's id of the answer; absent when the attempt failed, or the provider reports none. */
  readonly responseId?: string
  readonly reasoning?: string
  readonly sources?: ReadonlyArray<ModelSource>
  readonly reasoningTokens?: number
  readonly cacheWriteTokens?: number
  /** Cost by the price table of `Models.layer`; absent when the model has no price. */
  readonly cost?: number
}
