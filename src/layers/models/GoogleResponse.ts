/** Reads the answers of Google's Gemini API. */
import type * as Response from "@effect/ai/Response"
import { grown } from "./GoogleArguments.js"
import { args, count, each, type Fields, fields, text } from "./Loose.js"
import type { Reader as AnyReader } from "./ProviderExchange.js"
import { Sources } from "./Sources.js"

/** The key in a part's options for data that is sent back to Gemini. */
export const metadataKey = "google"

const filtered = /SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|MODEL_ARMOR|LANGUAGE/
/** Finish reasons of a failed tool call; the tool loop tells the model what was wrong. */
const miscalled = /MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL/

type Parts = Array<Response.StreamPartEncoded>

interface Call {
  readonly id: string
  readonly name: string
  readonly metadata: Response.ProviderMetadata
  args: unknown
}

/** Converts Gemini's events and answers to parts. Unknown parts, reasons and fields are ignored. */
export class Reader implements AnyReader {
  private open: "text" | "reasoning" | undefined
  private blocks = 0
  private calls = 0
  private call: Call | undefined
  private ran: string | undefined
  private searched = false
  private readonly sources: Sources
  private usage: Fields = {}
  private reason: unknown
  private message: string | undefined
  private started = false
  private ended = false

  constructor(
    private readonly asked: {
      /** The model; signatures are sent back only to it. */
      readonly model: string
      readonly tools: ReadonlyArray<string>
      /** Our names of the tools that Google runs, by Google's names. */
      readonly hosted: ReadonlyMap<string, string>
    },
    private readonly unique: string
  ) {
    this.sources = new Sources(unique)
  }

  whole(answer: Fields): Parts {
    const parts = this.event(answer)
    return parts.some(({ type }) => type === "error") ? parts : [...parts, ...this.end(true)]
  }

  event(event: Fields): Parts {
    if (event.error != null && !this.isComplete()) return [{ type: "error", error: event.error }]
    const into: Parts = []
    if (!this.started) {
      this.started = true
      into.push({ type: "response-metadata", id: text(event.responseId), modelId: text(event.modelVersion) })
    }
    const counted = Object.entries(fields(event.usageMetadata)).filter(([_, counted]) => counted != null)
    this.usage = { ...this.usage, ...Object.fromEntries(counted) }
    const candidates = each(event.candidates)
    const candidate = candidates.find(({ content, finishReason }) => content != null || finishReason != null) ??
      candidates[0]
    if (candidate !== undefined) this.candidate(into, candidate)
    // An answer to a blocked prompt has no candidates.
    else if (fields(event.promptFeedback).blockReason != null) this.reason = "SAFETY"
    return into
  }

  isComplete(): boolean {
    return this.reason != null
  }

  end(said: boolean): Parts {
    if (this.ended || !(said || this.isComplete())) return []
    this.ended = true
    const into: Parts = []
    this.close(into)
    this.called(into)
    if (miscalled.test(String(this.reason))) this.malformed(into)
    into.push({ type: "finish", reason: this.finishReason(), usage: usageOf(this.usage) })
    return into
  }

  private candidate(into: Parts, candidate: Fields): void {
    for (const part of each(fields(candidate.content).parts)) this.part(into, part)
    if (candidate.groundingMetadata != null) this.grounded(into, fields(candidate.groundingMetadata))
    for (const chunk of each(fields(candidate.groundingMetadata).groundingChunks)) {
      const { title, uri } = fields(chunk.web ?? chunk.retrievedContext ?? chunk.maps)
      this.sources.cite(into, uri, title)
    }
    this.reason = candidate.finishReason ?? this.reason
    this.message = text(candidate.finishMessage) ?? this.message
  }

  /**
   * Adds a call for a search by Google, because Google only reports what the search found. Without metadata, the call
   * is not sent back.
   */
  private grounded(into: Parts, { groundingChunks, webSearchQueries }: Fields): void {
    const [, name] = Array.from(this.asked.hosted).find(([tool]) => tool !== "code_execution") ?? []
    if (name === undefined || this.searched) return
    this.searched = true
    this.close(into)
    const id = `search_${this.unique}`
    into.push(
      { type: "tool-call", id, name, params: { queries: webSearchQueries ?? [] }, providerExecuted: true },
      { type: "tool-result", id, name, isFailure: false, result: groundingChunks ?? [], providerExecuted: true }
    )
  }

  private part(into: Parts, part: Fields): void {
    if (part.functionCall != null) this.calling(into, fields(part.functionCall), this.kept(part))
    else if (part.executableCode != null) this.runs(into, fields(part.executableCode), part)
    else if (part.codeExecutionResult != null) this.result(into, fields(part.codeExecutionResult), part)
    else if (part.inlineData != null) this.file(into, fields(part.inlineData), part)
    else if (typeof part.text === "string") this.words(into, part.text, part)
  }

  /** Returns the metadata that is sent back with the part. */
  private kept({ thoughtSignature }: Fields, more?: Fields): Fields | undefined {
    const signature = text(thoughtSignature)
    if (signature === undefined && more === undefined) return undefined
    return { ...(signature !== undefined && { thoughtSignature: signature }), model: this.asked.model, ...more }
  }

  private close(into: Parts): void {
    if (this.open !== undefined) into.push({ type: `${this.open}-end`, id: String(this.blocks) })
    this.open = undefined
  }

  private words(into: Parts, delta: string, part: Fields): void {
    const kept = this.kept(part)
    if (delta === "" && kept === undefined) return
    // A signature may come alone, after the text to which it belongs. Without any text it is stored as reasoning.
    const type = delta === "" ? this.open ?? "reasoning" : part.thought === true ? "reasoning" : "text"
    if (this.open !== type) {
      this.close(into)
      this.open = type
      into.push({ type: `${type}-start`, id: String(++this.blocks) })
    }
    const id = String(this.blocks)
    into.push({ type: `${type}-delta`, id, delta, ...(kept !== undefined && { metadata: { [metadataKey]: kept } }) })
  }

  private file(into: Parts, { data, mimeType }: Fields, part: Fields): void {
    if (part.thought === true || typeof data !== "string" || typeof mimeType !== "string") return
    this.close(into)
    into.push({ type: "file", mediaType: mimeType, data, metadata: { [metadataKey]: this.kept(part) } })
  }

  private calling(into: Parts, call: Fields, kept: Fields | undefined): void {
    this.close(into)
    const name = text(call.name)
    if (name !== undefined) {
      this.called(into)
      const own = text(call.id)
      const id = own ?? `call_${this.unique}_${this.calls}`
      const all = { ...kept, ...(own !== undefined && { ownId: true }) }
      this.calls++
      this.call = { id, name, args: undefined, metadata: Object.keys(all).length === 0 ? {} : { [metadataKey]: all } }
      into.push({ type: "tool-params-start", id, name })
    }
    // A piece without a name continues the previous call.
    if (this.call === undefined) return
    this.call.args = each(call.partialArgs).reduce<unknown>(grown, call.args ?? this.call.args)
    if (call.willContinue !== true) this.called(into)
  }

  private called(into: Parts): void {
    if (this.call === undefined) return
    const { args: given, id, metadata, name } = this.call
    this.call = undefined
    const params = typeof given === "string" ? args(given) : given ?? {}
    into.push({ type: "tool-params-end", id }, { type: "tool-call", id, name, params, metadata })
  }

  private runs(into: Parts, code: Fields, part: Fields): void {
    const name = this.asked.hosted.get("code_execution")
    if (name === undefined) return
    this.close(into)
    const id = this.ran = text(code.id) ?? `code_${this.unique}_${++this.blocks}`
    const metadata = { [metadataKey]: this.kept(part, { part }) }
    into.push({ type: "tool-call", id, name, params: code, providerExecuted: true, metadata })
  }

  private result(into: Parts, result: Fields, part: Fields): void {
    const name = this.asked.hosted.get("code_execution")
    if (name === undefined || this.ran === undefined) return
    this.close(into)
    const metadata = { [metadataKey]: this.kept(part, { part }) }
    const isFailure = result.outcome !== "OUTCOME_OK"
    into.push({ type: "tool-result", id: this.ran, name, isFailure, result, providerExecuted: true, metadata })
  }

  /**
   * Makes a call from a malformed call, whose text is only in the error message: the call is to the tool that the
   * message names, and its arguments are the message.
   */
  private malformed(into: Parts): void {
    const { message = "" } = this
    const [name] = this.asked.tools.filter((name) => message.includes(name)).sort((a, b) => b.length - a.length)
    if (this.calls > 0 || name === undefined) return
    this.calling(into, { name, args: message }, undefined)
  }

  private finishReason(): Response.FinishReason {
    const reason = text(this.reason) ?? ""
    if (reason === "MAX_TOKENS") return "length"
    if (filtered.test(reason)) return "content-filter"
    if (this.calls > 0) return "tool-calls"
    return reason === "STOP" ? "stop" : "unknown"
  }
}

const sum = (...counts: ReadonlyArray<number | undefined>): number | undefined =>
  counts.every((each) => each === undefined) ? undefined : counts.reduce<number>((all, each) => all + (each ?? 0), 0)

/** Counts what Google's tools read as input, and reasoning as output, because Google charges for both. */
const usageOf = (usage: Fields): Response.FinishPartEncoded["usage"] => {
  const thoughts = count(usage.thoughtsTokenCount)
  const inputTokens = sum(count(usage.promptTokenCount), count(usage.toolUsePromptTokenCount))
  const outputTokens = sum(count(usage.candidatesTokenCount), thoughts)
  return {
    inputTokens,
    outputTokens,
    totalTokens: sum(inputTokens, outputTokens),
    reasoningTokens: thoughts,
    cachedInputTokens: count(usage.cachedContentTokenCount)
  }
}
