/** Reads the answers of Anthropic's Messages API. */
import type * as Response from "@effect/ai/Response"
import { ownValue } from "../../domain/base/ownValue.js"
import { args, count, each, type Fields, fields, text } from "./Loose.js"
import type { Reader as AnyReader } from "./ProviderExchange.js"
import { Sources } from "./Sources.js"

/** The key in a part's options for data that is sent back to Anthropic. */
export const metadataKey = "anthropic"

const reasons: Record<string, Response.FinishReason> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  pause_turn: "pause",
  refusal: "content-filter"
}

interface Open {
  readonly block: Fields
  readonly id: string
  json: string
}

type Parts = Array<Response.StreamPartEncoded>

/** Adds cached tokens to the input tokens: Anthropic counts them separately, other providers do not. */
const usageOf = (usage: Fields, written = 0): Response.FinishPartEncoded["usage"] => {
  const cachedInputTokens = count(usage.cache_read_input_tokens)
  const fresh = count(usage.input_tokens)
  const outputTokens = count(usage.output_tokens)
  const inputTokens = fresh === undefined ? undefined : fresh + written + (cachedInputTokens ?? 0)
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens === undefined ? undefined : inputTokens + (outputTokens ?? 0),
    reasoningTokens: count(fields(usage.output_tokens_details).thinking_tokens),
    cachedInputTokens
  }
}

/** Converts Anthropic's events and answers to parts. Ignores unknown blocks, events, citations and stop reasons. */
export class Reader implements AnyReader {
  private readonly open = new Map<number, Open>()
  private readonly ran = new Map<string, string>()
  private readonly sources: Sources
  private usage: Fields = {}
  private reason: unknown
  private ended = false
  private calls = 0
  private answered = false
  private blocks = 0
  /** Text next to a structured answer, used only if there is no structured answer. */
  private aside = ""

  constructor(
    private readonly asked: {
      /** The model; reasoning is sent back only to it. */
      readonly model: string
      /** True if a structured answer comes as a call of the only tool. */
      readonly answersByTool: boolean
      /** Our names of the tools that Anthropic runs, by Anthropic's names. */
      readonly hosted: ReadonlyMap<string, string>
    },
    private readonly unique: string
  ) {
    this.sources = new Sources(unique)
  }

  whole(answer: Fields): Parts {
    if (answer.error != null) return [{ type: "error", error: answer.error }]
    const into: Parts = []
    this.begin(into, answer)
    for (const [index, block] of each(answer.content).entries()) {
      this.start(into, index, block)
      this.stop(into, index)
    }
    this.reason = answer.stop_reason
    this.finish(into)
    return into
  }

  event(event: Fields): Parts {
    const into: Parts = []
    switch (event.type) {
      case "message_start":
        this.begin(into, fields(event.message))
        break
      case "message_delta":
        this.count(event.usage)
        this.reason = fields(event.delta).stop_reason ?? this.reason
        break
      case "message_stop":
        this.finish(into)
        break
      case "error":
        this.fail(into, event)
        break
      default:
        this.block(into, event)
    }
    return into
  }

  private block(into: Parts, { content_block, delta, index, type }: Fields): void {
    const at = count(index)
    switch (type) {
      case "content_block_start":
        return this.start(into, at ?? this.blocks, fields(content_block))
      case "content_block_delta":
        return this.delta(into, at ?? this.blocks - 1, fields(delta))
      case "content_block_stop":
        return this.stop(into, at ?? this.blocks - 1)
    }
  }

  /** If the whole answer came before the error, ends normally; otherwise adds the error. */
  private fail(into: Parts, event: Fields): void {
    if (this.isComplete()) this.finish(into)
    else into.push({ type: "error", error: event.error ?? event })
  }

  isComplete(): boolean {
    return this.reason != null
  }

  end(said: boolean): Parts {
    const into: Parts = []
    if (!this.ended && (said || this.isComplete())) this.finish(into)
    return into
  }

  private begin(into: Parts, message: Fields): void {
    this.count(message.usage)
    into.push({ type: "response-metadata", id: text(message.id), modelId: text(message.model) })
  }

  /** Merges usage: the first event has preliminary counts, the last one the final counts. */
  private count(usage: unknown): void {
    const known = Object.entries(fields(usage)).filter(([_, value]) => value != null)
    this.usage = { ...this.usage, ...Object.fromEntries(known) }
  }

  private start(into: Parts, index: number, block: Fields): void {
    const open: Open = { block, id: text(block.id) ?? `toolu_${this.unique}_${index}`, json: "" }
    this.blocks = Math.max(this.blocks, index) + 1
    this.open.set(index, open)
    this.first(into, String(index), open)
    for (const citation of each(block.citations)) this.cite(into, citation)
    if (text(block.type)?.endsWith("_tool_result")) this.result(into, block)
  }

  /** Adds the parts for the first event of a block. */
  private first(into: Parts, id: string, { block, id: callId }: Open): void {
    const { answersByTool, model } = this.asked
    switch (block.type) {
      case "text":
        if (!answersByTool) into.push({ type: "text-start", id })
        return this.words(into, id, text(block.text) ?? "")
      case "thinking":
        into.push({ type: "reasoning-start", id })
        return this.thoughts(into, id, block)
      case "redacted_thinking": {
        const kept = { type: "redacted_thinking", redactedData: text(block.data) ?? "", model }
        into.push({ type: "reasoning-start", id, metadata: { [metadataKey]: kept } })
        return
      }
      case "tool_use":
        if (answersByTool) into.push({ type: "text-start", id })
        else if (typeof block.name === "string") into.push({ type: "tool-params-start", id: callId, name: block.name })
    }
  }

  private words(into: Parts, id: string, delta: string): void {
    if (this.asked.answersByTool) this.aside += delta
    else if (delta !== "") into.push({ type: "text-delta", id, delta })
  }

  private thoughts(into: Parts, id: string, { signature, thinking }: Fields): void {
    const delta = text(thinking) ?? ""
    if (delta !== "") into.push({ type: "reasoning-delta", id, delta })
    if (typeof signature !== "string" || signature === "") return
    const kept = { type: "thinking", signature, model: this.asked.model }
    into.push({ type: "reasoning-delta", id, delta: "", metadata: { [metadataKey]: kept } })
  }

  private delta(into: Parts, index: number, delta: Fields): void {
    const open = this.open.get(index)
    const id = String(index)
    switch (open?.block.type) {
      case "text":
        this.words(into, id, text(delta.text) ?? "")
        return this.cite(into, fields(delta.citation))
      case "thinking":
        return this.thoughts(into, id, delta)
      case "tool_use":
        this.params(into, id, open, text(delta.partial_json) ?? "")
    }
    if (open !== undefined) open.json += text(delta.partial_json) ?? ""
  }

  private params(into: Parts, id: string, open: Open, delta: string): void {
    if (delta === "") return
    if (this.asked.answersByTool) into.push({ type: "text-delta", id, delta })
    else into.push({ type: "tool-params-delta", id: open.id, delta })
  }

  private stop(into: Parts, index: number): void {
    const open = this.open.get(index)
    if (open === undefined) return
    this.open.delete(index)
    const id = String(index)
    switch (open.block.type) {
      case "text":
        if (!this.asked.answersByTool) into.push({ type: "text-end", id })
        break
      case "thinking":
      case "redacted_thinking":
        into.push({ type: "reasoning-end", id })
        break
      case "tool_use":
        if (this.asked.answersByTool) this.answer(into, id, open)
        else this.call(into, open)
        break
      case "server_tool_use":
      case "mcp_tool_use":
        this.runs(into, open)
    }
  }

  private answer(into: Parts, id: string, { block, json }: Open): void {
    this.answered = true
    if (json === "") into.push({ type: "text-delta", id, delta: JSON.stringify(block.input ?? {}) })
    into.push({ type: "text-end", id })
  }

  private call(into: Parts, { block, id, json }: Open): void {
    const name = text(block.name)
    if (name === undefined) return
    this.calls++
    const params = json === "" ? block.input ?? {} : args(json)
    into.push({ type: "tool-params-end", id }, { type: "tool-call", id, name, params })
  }

  /** Returns our name of a tool that Anthropic ran; undefined if it was not offered. */
  private nameOf(block: Fields): string | undefined {
    if (block.type === "mcp_tool_use") return this.asked.hosted.get(text(block.server_name) ?? "")
    const name = text(block.name) ?? ""
    // Code execution has tools of several names: `bash_code_execution`, `text_editor_code_execution`.
    return this.asked.hosted.get(name.endsWith("_code_execution") ? "code_execution" : name)
  }

  private runs(into: Parts, { block, id, json }: Open): void {
    const name = this.nameOf(block)
    if (name === undefined) return
    this.ran.set(id, name)
    const params = json === "" ? block.input ?? {} : args(json)
    const metadata = { [metadataKey]: { block: { ...block, input: params }, model: this.asked.model } }
    into.push({ type: "tool-call", id, name, params, providerExecuted: true, metadata })
  }

  private result(into: Parts, block: Fields): void {
    const { content, is_error } = block
    for (const found of each(content)) this.cite(into, found)
    const id = text(block.tool_use_id) ?? ""
    const name = this.ran.get(id)
    if (name === undefined) return
    const isFailure = is_error === true || text(fields(content).type)?.endsWith("_error") === true
    const metadata = { [metadataKey]: { block, model: this.asked.model } }
    into.push({ type: "tool-result", id, name, isFailure, result: content, providerExecuted: true, metadata })
  }

  private cite(into: Parts, { title, url }: Fields): void {
    this.sources.cite(into, url, title)
  }

  private finish(into: Parts): void {
    if (this.ended) return
    this.ended = true
    for (const index of [...this.open.keys()]) this.stop(into, index)
    if (!this.answered && this.aside !== "") {
      const id = "aside"
      into.push({ type: "text-start", id }, { type: "text-delta", id, delta: this.aside }, { type: "text-end", id })
    }
    const written = count(this.usage.cache_creation_input_tokens)
    into.push({
      type: "finish",
      reason: this.finishReason(),
      usage: usageOf(this.usage, written),
      ...(written !== undefined && { metadata: { coxswain: { cacheWriteTokens: written } } })
    })
  }

  private finishReason(): Response.FinishReason {
    const reason = ownValue(reasons, String(this.reason)) ?? "unknown"
    if (this.calls > 0) return reason === "unknown" || reason === "stop" ? "tool-calls" : reason
    return this.answered && reason === "tool-calls" ? "stop" : reason
  }
}
