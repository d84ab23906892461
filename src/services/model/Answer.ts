/**
 * Turns the parts a provider answers with into one `ModelAnswer`. The same reducer serves whole answers and streams,
 * so that both end in the same value.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import { unsafeSecureJsonParse } from "@effect/ai/Tool"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { GenerationFailureReason } from "../../domain/Errors.js"
import type { ModelAnswer, ModelPart, ModelSource, ModelToolCall, ModelUsage } from "../Model.js"

/**
 * A part of an answer, whole or streamed, decoded or not.
 *
 * @since 0.1.0
 * @category models
 */
export type AnyPart = Response.AnyPart | Response.AnyPartEncoded

/**
 * Why the parts do not make an answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface NoAnswer {
  readonly reason: GenerationFailureReason
  readonly why: string
  readonly retryable?: boolean
}

/**
 * @since 0.1.0
 * @category models
 */
export const noUsage: ModelUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }

/** A text or reasoning part while it grows. */
class Words {
  text = ""
  options: Prompt.ProviderOptions = {}
  constructor(readonly type: "text" | "reasoning") {}
}

/** Providers spread their metadata over the start, the pieces and the end of a part. */
const merge = (into: Prompt.ProviderOptions, from: Response.ProviderMetadata | undefined): Prompt.ProviderOptions => {
  if (from === undefined) return into
  let merged = into
  for (const provider in from) merged = { ...merged, [provider]: { ...merged[provider], ...from[provider] } }
  return merged
}

const fenced = /^\s*```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n?```\s*$/i

/**
 * The JSON object in a text, bare or in one Markdown fence; left: what is wrong with it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parseObject = (text: string): Either.Either<Record<string, unknown>, string> =>
  Either.flatMap(
    Either.try({
      try: () => unsafeSecureJsonParse(fenced.exec(text)?.[1] ?? text),
      catch: (error) => error instanceof Error ? error.message : String(error)
    }),
    (value) =>
      Predicate.isRecord(value) && !Array.isArray(value)
        ? Either.right(value)
        : Either.left(
          `expected a JSON object, got ${Array.isArray(value) ? "an array" : value === null ? "null" : typeof value}`
        )
  )

/**
 * Collects the parts of one answer.
 *
 * @since 0.1.0
 * @category models
 */
export class Reducer {
  usage: ModelUsage = noUsage
  finishReason: Response.FinishReason | undefined
  /** What an `error` part carried. */
  error: { readonly error: unknown } | undefined
  /** Whether any text, reasoning or tool call came. */
  started = false

  private readonly content: Array<Words | Prompt.AssistantMessagePart> = []
  private readonly open = new Map<string, Words>()
  private readonly calls: Array<ModelToolCall> = []
  private readonly sources: Array<ModelSource> = []
  private readonly told: { responseId?: string; reasoningTokens?: number; cacheWriteTokens?: number } = {}

  private words(type: Words["type"], id: string | undefined, metadata: Response.ProviderMetadata | undefined): Words {
    const key = `${type} ${id}`
    let words = id === undefined ? undefined : this.open.get(key)
    if (words === undefined) {
      words = new Words(type)
      this.content.push(words)
      if (id !== undefined) this.open.set(key, words)
    }
    words.options = merge(words.options, metadata)
    return words
  }

  /** Adds a part and returns what of it is to be shown while it streams. */
  add(part: AnyPart): ModelPart | undefined {
    switch (part.type) {
      case "text":
      case "reasoning": {
        this.started = true
        this.words(part.type, undefined, part.metadata).text = part.text
        return undefined
      }
      case "text-start":
      case "reasoning-start": {
        this.words(part.type === "text-start" ? "text" : "reasoning", part.id, part.metadata)
        return undefined
      }
      case "text-delta":
      case "reasoning-delta": {
        const text = part.type === "text-delta"
        this.words(text ? "text" : "reasoning", part.id, part.metadata).text += part.delta
        if (part.delta === "") return undefined
        this.started = true
        return { _tag: text ? "Text" : "Reasoning", text: part.delta }
      }
      case "text-end":
      case "reasoning-end": {
        const type = part.type === "text-end" ? "text" : "reasoning"
        this.words(type, part.id, part.metadata)
        this.open.delete(`${type} ${part.id}`)
        return undefined
      }
      case "tool-params-start":
      case "tool-params-delta": {
        this.started = true
        return undefined
      }
      case "tool-call": {
        this.started = true
        const { id, name, params } = part
        const providerExecuted = part.providerExecuted === true
        this.content.push(Prompt.toolCallPart({ id, name, params, providerExecuted, options: part.metadata ?? {} }))
        if (!providerExecuted) this.calls.push({ id, name, params })
        return undefined
      }
      case "tool-result": {
        // Only a tool that the provider runs itself has its result in the answer.
        const { id, isFailure, name } = part
        const result = "encodedResult" in part ? part.encodedResult : part.result
        const options = part.metadata ?? {}
        this.content.push(Prompt.toolResultPart({ id, name, isFailure, result, providerExecuted: true, options }))
        return undefined
      }
      case "file": {
        // Base64, because bytes do not survive a transcript stored as JSON.
        const data = typeof part.data === "string" ? part.data : Encoding.encodeBase64(part.data)
        this.content.push(Prompt.filePart({ mediaType: part.mediaType, data, options: part.metadata ?? {} }))
        return undefined
      }
      case "response-metadata": {
        // As it comes from the wire, or decoded.
        const id = Option.isOption(part.id) ? Option.getOrUndefined(part.id) : part.id
        if (id !== undefined) this.told.responseId = id
        return undefined
      }
      case "source": {
        const { title } = part
        this.sources.push(part.sourceType === "url" ? { title, url: String(part.url) } : { title })
        return undefined
      }
      case "finish": {
        const { cachedInputTokens, inputTokens, outputTokens, reasoningTokens } = part.usage
        const cacheWriteTokens = part.metadata?.coxswain?.cacheWriteTokens
        if (reasoningTokens !== undefined) this.told.reasoningTokens = reasoningTokens
        if (typeof cacheWriteTokens === "number") this.told.cacheWriteTokens = cacheWriteTokens
        this.finishReason = part.reason
        this.usage = {
          inputTokens: inputTokens ?? 0,
          outputTokens: outputTokens ?? 0,
          cachedInputTokens: cachedInputTokens ?? 0
        }
        return undefined
      }
      case "error": {
        this.error = { error: part.error }
        return undefined
      }
    }
    return undefined
  }

  private collected() {
    const content: Array<Prompt.AssistantMessagePart> = []
    let text = ""
    let reasoning = ""
    const { sources } = this
    const spoken = this.content.findLast((part) => part instanceof Words && part.type === "text" && part.text !== "")
    for (const part of this.content) {
      if (!(part instanceof Words)) content.push(part)
      else if (part.type === "text") {
        text += part.text
        // Prompts have no parts for sources: they stay with the text that rests on them.
        const options = part === spoken && sources.length > 0
          ? { ...part.options, coxswain: { sources: sources.map((source) => ({ ...source })) } }
          : part.options
        if (part.text !== "") content.push(Prompt.textPart({ text: part.text, options }))
      } else if (part.text !== "" || Object.keys(part.options).length > 0) {
        reasoning += reasoning === "" || part.text === "" ? part.text : `\n\n${part.text}`
        // Redacted or encrypted reasoning has no text, only metadata the provider wants back.
        content.push(Prompt.reasoningPart({ text: part.text, options: part.options }))
      }
    }
    return { content, reasoning, text }
  }

  /** The answer, or why the parts are none. Ask after the last part, and for `error` first. */
  answer(json: boolean): Either.Either<ModelAnswer, NoAnswer> {
    const { content, reasoning, text } = this.collected()
    const { calls: toolCalls, finishReason, usage } = this
    const no = (reason: GenerationFailureReason, why: string, retryable?: boolean) =>
      Either.left({ reason, why, ...(retryable !== undefined && { retryable }) })
    if (finishReason === undefined) {
      return this.content.length === 0
        ? no("empty", "the answer has nothing in it")
        : no("network", "the answer ended before it was finished")
    }
    if (finishReason === "error") return no("unknown", "the provider stopped with an error", true)
    if (text.trim() === "" && toolCalls.length === 0) {
      if (finishReason === "content-filter") return no("content_filter", "the provider's filter withheld the answer")
      // The limit would be hit again by the same call.
      if (finishReason === "length") return no("empty", "the output limit was reached before any text", false)
      return no("empty", `the answer has neither text nor tool calls (finish reason "${finishReason}")`)
    }
    const answer = {
      ...this.told,
      ...(reasoning !== "" && { reasoning }),
      ...(this.sources.length > 0 && { sources: this.sources }),
      text,
      toolCalls,
      content,
      finishReason,
      usage,
      value: undefined
    }
    if (!json || text.trim() === "") return Either.right(answer)
    return Either.mapBoth(parseObject(text), {
      onRight: (value) => ({ ...answer, value }),
      // Asking the same again is no repair: the caller asks again with the complaint.
      onLeft: (complaint): NoAnswer => ({
        reason: "malformed_output",
        why: finishReason === "length" ? `the output limit cut the JSON off (${complaint})` : complaint,
        retryable: false
      })
    })
  }
}
