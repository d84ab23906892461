/**
 * Reduces the parts of a provider's answer to one `ModelAnswer`. Whole answers and streams use the same reducer, so
 * that both give the same value.
 */
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { GenerationFailureReason } from "../../../domain/base/error/Errors.js"
import * as Excerpt from "../../../domain/base/error/Excerpt.js"
import { isShallow, protoPath, recordOf, wellFormed } from "../../../domain/base/Json.js"
import { withoutNulls } from "../../../domain/fields/schema/Absent.js"
import * as JsonText from "../../../domain/fields/schema/JsonText.js"
import * as Transcript from "../../../domain/session/Transcript.js"
import type { ModelAnswer, ModelPart, ModelSource, ModelToolCall, ModelUsage } from "./ModelCall.js"

/** A part of an answer, whole or streamed, decoded or not. */
export type AnyPart = Response.AnyPart | Response.AnyPartEncoded

/** The reason why the parts do not form an answer. */
interface NoAnswer {
  readonly reason: GenerationFailureReason
  readonly why: string
  readonly retryable?: boolean
}

export const noUsage: ModelUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }

/** A text or reasoning part that may still grow while it is streamed. */
class Words {
  text = ""
  options: Prompt.ProviderOptions = {}
  /** True if a lone surrogate was replaced: the signature of the provider does not fit the text any more. */
  isChanged = false
  constructor(public type: "text" | "reasoning") {}
}

/** Merges metadata, because providers spread it over the start, the deltas and the end of a part. */
const merge = (into: Prompt.ProviderOptions, from: Response.ProviderMetadata | undefined): Prompt.ProviderOptions => {
  if (from === undefined) return into
  let merged = into
  for (const provider in from) merged = { ...merged, [provider]: { ...merged[provider], ...from[provider] } }
  return merged
}

/** Returns a JSON object that models may have sent and we may keep. Otherwise returns the reason as `Left`. */
const asObject = (value: unknown): Either.Either<Record<string, unknown>, string> =>
  !isShallow(value)
    ? Either.left("the JSON is nested too deep")
    : Predicate.isRecord(value)
    ? Either.right(value)
    : Either.left(
      `expected a JSON object, got ${Array.isArray(value) ? "an array" : value === null ? "null" : typeof value}`
    )

/** True if the object has all properties that the JSON schema requires. */
const fits = (object: Record<string, unknown>, schema: object): boolean => {
  const { required } = recordOf(schema)
  return !Array.isArray(required) || required.every((name) => Object.hasOwn(object, name))
}

/**
 * Parses the JSON object in a text. A text that is no JSON as a whole may have words around it: then the first object
 * that fits the schema counts, else the first object. Otherwise returns the reason as `Left`.
 */
export const parseObject = (text: string, schema: object): Either.Either<Record<string, unknown>, string> => {
  const whole = Either.flatMap(JsonText.whole(text), asObject)
  if (Either.isRight(whole)) return whole
  const objects = JsonText.all(text).flatMap((value) => Option.toArray(Either.getRight(asObject(value))))
  const found = objects.find((object) => fits(object, schema)) ?? objects[0]
  return found === undefined ? whole : Either.right(found)
}

/** Returns a value as a transcript keeps it: well-formed, and as text if it has a key `__proto__`, which is refused. */
const storable = (value: unknown): unknown => wellFormed(protoPath(value) === undefined ? value : JSON.stringify(value))

const nothing: NoAnswer = { reason: "empty", why: "the answer has nothing in it" }
const cutOff: NoAnswer = { reason: "network", why: "the answer ended before it was finished" }
const stopped: NoAnswer = { reason: "unknown", why: "the provider stopped with an error", retryable: true }

/** Returns the reason why an answer has neither text nor tool calls. */
const silent = (finishReason: Response.FinishReason): NoAnswer => {
  switch (finishReason) {
    case "content-filter":
      return { reason: "content_filter", why: "the provider's filter withheld the answer" }
    case "length":
      // Not retryable, because a repeated call would reach the output limit again.
      return { reason: "empty", why: "the output limit was reached before any text", retryable: false }
    default:
      return {
        reason: "empty",
        why: `the answer has neither text nor tool calls (finish reason "${finishReason}")`
      }
  }
}

type Of<T extends AnyPart["type"]> = Extract<AnyPart, { readonly type: T }>

/** Collects the parts of one answer. */
export class Reducer {
  usage: ModelUsage = noUsage
  finishReason: Response.FinishReason | undefined
  /** The content of an `error` part, if there was one. */
  error: { readonly error: unknown } | undefined
  /** True after the first text, reasoning or tool call. */
  started = false

  private readonly content: Array<Words | Prompt.AssistantMessagePart> = []
  /** The streamed parts that have not ended; the map is created with the first one. */
  private open: Map<string, Words> | undefined
  /** Half of a character at the end of the text so far, which the next piece completes. */
  private readonly pieces = { text: new Excerpt.Pieces(), reasoning: new Excerpt.Pieces() }
  private readonly calls: Array<ModelToolCall> = []
  private readonly sources: Array<ModelSource> = []
  private readonly told: { responseId?: string; reasoningTokens?: number; cacheWriteTokens?: number } = {}

  private words(type: Words["type"], id: string | undefined, metadata: Response.ProviderMetadata | undefined): Words {
    const key = `${type} ${id}`
    let words = id === undefined ? undefined : this.open?.get(key)
    if (words === undefined) {
      words = new Words(type)
      this.content.push(words)
      if (id !== undefined) (this.open ??= new Map()).set(key, words)
    }
    words.options = merge(words.options, metadata)
    return words
  }

  /** Adds a part to the answer; while streaming, returns the piece for the reader. */
  add(part: AnyPart): ModelPart | undefined {
    // Safe: `readers` has for each type a reader of its parts, which TypeScript cannot see.
    const read = Reducer.readers[part.type] as ((reducer: Reducer, part: AnyPart) => ModelPart | undefined) | undefined
    return read?.(this, part)
  }

  /** The reader of each type of part. Other types are ignored. */
  private static readonly readers: {
    readonly [T in AnyPart["type"]]?: (reducer: Reducer, part: Of<T>) => ModelPart | undefined
  } = {
    "text": (reducer, part) => reducer.whole("text", part),
    "reasoning": (reducer, part) => reducer.whole("reasoning", part),
    "text-start": (reducer, part) => reducer.start("text", part),
    "reasoning-start": (reducer, part) => reducer.start("reasoning", part),
    "text-delta": (reducer, part) => reducer.delta("text", part),
    "reasoning-delta": (reducer, part) => reducer.delta("reasoning", part),
    "text-end": (reducer, part) => reducer.end("text", part),
    "reasoning-end": (reducer, part) => reducer.end("reasoning", part),
    "tool-params-start": (reducer) => void (reducer.started = true),
    "tool-params-delta": (reducer) => void (reducer.started = true),
    "tool-call": (reducer, part) => reducer.call(part),
    "tool-result": (reducer, part) => reducer.result(part),
    "file": (reducer, part) => reducer.file(part),
    "response-metadata": (reducer, part) => reducer.metadata(part),
    "source": (reducer, part) => reducer.source(part),
    "finish": (reducer, part) => reducer.finish(part),
    "error": (reducer, { error }) => void (reducer.error = { error })
  }

  private whole(type: Words["type"], part: Of<"text" | "reasoning">): undefined {
    this.started = true
    this.grow(this.words(type, undefined, part.metadata), part.text)
  }

  private start(type: Words["type"], part: Of<"text-start" | "reasoning-start">): undefined {
    this.words(type, part.id, part.metadata)
  }

  private delta(type: Words["type"], part: Of<"text-delta" | "reasoning-delta">): ModelPart | undefined {
    const words = this.words(type, part.id, part.metadata)
    if (part.delta === "") return undefined
    this.started = true
    return this.grow(words, part.delta)
  }

  /** Appends a piece to the text. Returns the piece for the reader, which never ends in half of a character. */
  private grow(words: Words, piece: string | undefined): ModelPart | undefined {
    const pieces = this.pieces[words.type]
    const text = piece === undefined ? pieces.rest() : pieces.next(piece)
    words.text += text
    words.isChanged ||= text.includes("\ufffd") && piece?.includes("\ufffd") !== true
    return text === "" ? undefined : { _tag: words.type === "text" ? "Text" : "Reasoning", text }
  }

  /** Ends the texts of a type. */
  private closed(type: Words["type"]): ModelPart | undefined {
    const last = this.content.findLast((part): part is Words => part instanceof Words && part.type === type)
    return last === undefined ? undefined : this.grow(last, undefined)
  }

  /** Ends a part. The metadata of a text says if only its end showed that it was a thought. */
  private end(type: Words["type"], part: Of<"text-end" | "reasoning-end">): ModelPart | undefined {
    const words = this.words(type, part.id, part.metadata)
    this.open?.delete(`${type} ${part.id}`)
    if (type !== "text" || part.metadata?.coxswain?.thought !== true) return undefined
    words.text += this.pieces.text.rest()
    words.type = "reasoning"
    return { _tag: "Retracted" }
  }

  private call(part: Of<"tool-call">): undefined {
    this.started = true
    const { id, name } = wellFormed({ id: part.id, name: part.name })
    const tooDeep = !isShallow(part.params)
    const params = tooDeep ? null : storable(part.params)
    const providerExecuted = part.providerExecuted === true
    this.content.push(Prompt.toolCallPart({ id, name, params, providerExecuted, options: part.metadata ?? {} }))
    if (!providerExecuted) this.calls.push({ id, name, params, ...(tooDeep && { tooDeep }) })
  }

  /** Adds a tool result, which an answer contains only for tools that the provider runs itself. */
  private result(part: Of<"tool-result">): undefined {
    const { id, isFailure, name } = part
    const given = "encodedResult" in part ? part.encodedResult : part.result
    const result = isShallow(given) ? storable(given) : null
    const options = part.metadata ?? {}
    this.content.push(Prompt.toolResultPart({ id, name, isFailure, result, providerExecuted: true, options }))
  }

  /** Stores the file as base64, because bytes do not survive a transcript stored as JSON. */
  private file(part: Of<"file">): undefined {
    const data = typeof part.data === "string" ? part.data : Encoding.encodeBase64(part.data)
    this.content.push(Prompt.filePart({ mediaType: part.mediaType, data, options: part.metadata ?? {} }))
  }

  private metadata(part: Of<"response-metadata">): undefined {
    // The id is an `Option` in a decoded part, and a plain value in an encoded one.
    const id = Option.isOption(part.id) ? Option.getOrUndefined(part.id) : part.id
    if (id !== undefined) this.told.responseId = id
  }

  private source(part: Of<"source">): undefined {
    const title = wellFormed(part.title)
    this.sources.push(part.sourceType === "url" ? { title, url: String(part.url) } : { title })
  }

  private finish(part: Of<"finish">): ModelPart | undefined {
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
    this.closed("reasoning")
    return this.closed("text")
  }

  private textOf(type: Words["type"]): ReadonlyArray<string> {
    return this.content.flatMap((part) =>
      part instanceof Words && part.type === type && part.text !== "" ? [part.text] : []
    )
  }

  /** Returns the parts for the transcript. */
  private transcribed(): ReadonlyArray<Prompt.AssistantMessagePart> {
    const spoken = this.content.findLast((part) =>
      part instanceof Words && part.type === "text" && part.text.trim() !== ""
    )
    return this.content.flatMap((part): ReadonlyArray<Prompt.AssistantMessagePart> => {
      if (!(part instanceof Words)) return [part]
      const { text } = part
      const options = part.type === "reasoning" && part.isChanged ? {} : part.options
      if (part.type === "text") {
        return text.trim() === ""
          ? []
          : [Transcript.text(text, part === spoken ? this.sourced(options) : options)]
      }
      // Redacted or encrypted reasoning has no text, only metadata that is sent back to the provider.
      return text === "" && Object.keys(options).length === 0 ? [] : [Prompt.reasoningPart({ text, options })]
    })
  }

  /** Adds the sources to the last text part, because prompts have no parts for sources. */
  private sourced(options: Prompt.ProviderOptions): Prompt.ProviderOptions {
    return this.sources.length === 0
      ? options
      : { ...options, coxswain: { sources: this.sources.map((source) => ({ ...source })) } }
  }

  /**
   * Returns the answer, or the reason why the parts do not form one. Call it after the last part; check `error` first.
   *
   * @param schema - the JSON schema that the answer should match; none where a text was asked for
   */
  answer(schema: object | undefined): Either.Either<ModelAnswer, NoAnswer> {
    const text = this.textOf("text").join("")
    const { calls: toolCalls, finishReason, usage } = this
    if (finishReason === undefined) {
      return Either.left(this.content.length === 0 ? nothing : cutOff)
    }
    if (finishReason === "error") return Either.left(stopped)
    if (text.trim() === "" && toolCalls.length === 0) return Either.left(silent(finishReason))
    const reasoning = this.textOf("reasoning").join("\n\n")
    const answer = {
      text,
      toolCalls,
      content: this.transcribed(),
      finishReason,
      usage,
      value: undefined,
      ...this.told,
      ...(reasoning !== "" && { reasoning }),
      ...(this.sources.length > 0 && { sources: this.sources })
    }
    if (schema === undefined || text.trim() === "") return Either.right(answer)
    return Either.mapBoth(parseObject(text, schema), {
      onRight: (parsed) => {
        const value = wellFormed(parsed)
        return { ...answer, value: text.includes("null") ? withoutNulls(schema, value) : value }
      },
      // Not retryable, because the same call would fail again: the caller asks again and includes the reason.
      onLeft: (complaint): NoAnswer => ({
        reason: "malformed_output",
        why: finishReason === "length" ? `the output limit cut the JSON off (${complaint})` : complaint,
        retryable: false
      })
    })
  }
}
