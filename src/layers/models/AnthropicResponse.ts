/**
 * The answers of Anthropic's Messages API.
 *
 * @since 0.1.0
 */
import type * as Response from "@effect/ai/Response"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { parameters } from "./Exchange.js"
import { Fields, known, list, maybe } from "./Lenient.js"

/**
 * Under this key the parts of a transcript keep what Anthropic wants back.
 *
 * @since 0.1.0
 * @category models
 */
export const metadataKey = "anthropic"

const Usage = Schema.Struct({
  input_tokens: maybe(Schema.Number),
  output_tokens: maybe(Schema.Number),
  cache_creation_input_tokens: maybe(Schema.Number),
  cache_read_input_tokens: maybe(Schema.Number),
  output_tokens_details: maybe(Schema.Struct({ thinking_tokens: maybe(Schema.Number) }))
})

const Block = Schema.Struct({
  type: maybe(Schema.String),
  text: maybe(Schema.String),
  citations: list(Fields),
  thinking: maybe(Schema.String),
  signature: maybe(Schema.String),
  data: maybe(Schema.String),
  id: maybe(Schema.String),
  name: maybe(Schema.String),
  input: Schema.optional(Schema.Unknown),
  tool_use_id: maybe(Schema.String),
  is_error: maybe(Schema.Boolean),
  content: Schema.optional(Schema.Unknown)
}, { key: Schema.String, value: Schema.Unknown })

type Block = typeof Block.Type

/**
 * An event of a streamed answer.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Event = Schema.Struct({
  type: maybe(Schema.String),
  index: maybe(Schema.Number),
  message: maybe(Schema.Struct({ id: maybe(Schema.String), model: maybe(Schema.String), usage: maybe(Usage) })),
  content_block: maybe(Block),
  delta: maybe(Schema.Struct({
    text: maybe(Schema.String),
    thinking: maybe(Schema.String),
    signature: maybe(Schema.String),
    partial_json: maybe(Schema.String),
    citation: maybe(Fields),
    stop_reason: Schema.optional(Schema.Unknown)
  })),
  usage: maybe(Usage),
  error: Schema.optional(Schema.Unknown)
})

/**
 * @since 0.1.0
 * @category schemas
 */
export type Event = typeof Event.Type

/**
 * A whole answer as the events it would have been streamed in.
 *
 * @since 0.1.0
 * @category combinators
 */
export const events = (answer: unknown): ReadonlyArray<unknown> => {
  if (!Predicate.isRecord(answer) || answer.type === "error") return [answer]
  const content: ReadonlyArray<unknown> = Array.isArray(answer.content) ? answer.content : []
  return [
    { type: "message_start", message: answer },
    ...content.flatMap((content_block, index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_stop", index }
    ]),
    { type: "message_delta", delta: { stop_reason: answer.stop_reason } },
    { type: "message_stop" }
  ]
}

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
  readonly block: Block
  readonly id: string
  json: string
}

type Parts = Array<Response.StreamPartEncoded>

/**
 * Collects what Anthropic says and turns it into parts. Blocks, events, citations and stop reasons it does not know are
 * passed over.
 *
 * @since 0.1.0
 * @category models
 */
export class Reader {
  failure: unknown
  private readonly open = new Map<number, Open>()
  private readonly called = new Map<string, string>()
  private readonly sources = new Set<string>()
  private usage: typeof Usage.Type = {}
  private reason: unknown
  private finished = false
  private started = false
  private calls = 0
  private answered = false
  private blocks = 0
  /** What was said beside a structured answer: it is the answer only if there is no other. */
  private aside = ""

  constructor(
    private readonly asked: {
      /** Reasoning is sent back to the model it is of. */
      readonly model: string
      /** The tool by whose call a structured answer is given. */
      readonly json: string | undefined
      readonly hosted: ReadonlyMap<string, string>
    },
    private readonly seed: string
  ) {}

  get stopped(): boolean {
    return this.finished || this.reason !== undefined
  }

  add(event: Event): Parts {
    const into: Parts = []
    if (event.error != null) this.failure = this.stopped ? undefined : event.error
    this.count(event.message?.usage)
    this.count(event.usage)
    const at = event.index ?? this.blocks - 1
    switch (event.type) {
      case "message_start":
        this.begin(into, event)
        break
      case "content_block_start":
        if (event.content_block !== undefined) this.start(into, event.index ?? this.blocks, event.content_block)
        break
      case "content_block_delta":
        this.delta(into, this.open.get(at), event)
        break
      case "content_block_stop":
        this.stop(into, at)
        break
      case "message_delta":
        this.reason = event.delta?.stop_reason ?? this.reason
        break
      case "message_stop":
        this.finished = true
    }
    return into
  }

  /** The first event has the tokens as far as they are known then, the last one all of them. */
  private count(usage: typeof Usage.Type | undefined) {
    const given = Object.entries(usage ?? {}).filter(([_, value]) => value !== undefined)
    this.usage = { ...this.usage, ...Object.fromEntries(given) }
  }

  private begin(into: Parts, { message }: Event) {
    if (this.started) return
    this.started = true
    into.push({ type: "response-metadata", id: message?.id, modelId: message?.model })
  }

  private start(into: Parts, index: number, block: Block) {
    const open: Open = { block, id: block.id ?? `${this.seed}_${this.blocks}`, json: "" }
    this.blocks = Math.max(this.blocks, index) + 1
    this.open.set(index, open)
    const { id, type } = { id: String(index), type: block.type }
    if (type === "text" && this.asked.json === undefined) into.push({ type: "text-start", id })
    if (type === "text") this.words(into, id, block.text ?? "")
    if (type === "thinking") {
      into.push({ type: "reasoning-start", id })
      if (block.thinking) into.push({ type: "reasoning-delta", id, delta: block.thinking })
      if (block.signature) this.sign(into, id, block.signature)
    }
    if (type === "redacted_thinking") {
      const kept = { type: "redacted_thinking", redactedData: block.data ?? "", model: this.asked.model }
      into.push({ type: "reasoning-start", id, metadata: { [metadataKey]: kept } })
    }
    if (type === "tool_use" && block.name !== undefined) {
      if (block.name === this.asked.json) into.push({ type: "text-start", id })
      else into.push({ type: "tool-params-start", id: open.id, name: block.name })
    }
    for (const citation of known(block.citations)) this.cite(into, citation)
    if (type?.endsWith("_tool_result")) this.result(into, block)
  }

  private words(into: Parts, id: string, delta: string) {
    if (this.asked.json !== undefined) this.aside += delta
    else if (delta !== "") into.push({ type: "text-delta", id, delta })
  }

  private sign(into: Parts, id: string, signature: string) {
    const kept = { type: "thinking", signature, model: this.asked.model }
    into.push({ type: "reasoning-delta", id, delta: "", metadata: { [metadataKey]: kept } })
  }

  private delta(into: Parts, open: Open | undefined, { delta, index }: Event) {
    if (open === undefined || delta === undefined) return
    const id = String(index ?? this.blocks - 1)
    const { type } = open.block
    if (type === "text" && delta.text !== undefined) this.words(into, id, delta.text)
    if (delta.citation !== undefined) this.cite(into, delta.citation)
    if (type === "thinking" && delta.thinking) into.push({ type: "reasoning-delta", id, delta: delta.thinking })
    if (type === "thinking" && delta.signature) this.sign(into, id, delta.signature)
    if (!delta.partial_json) return
    open.json += delta.partial_json
    if (type !== "tool_use" || open.block.name === undefined) return
    into.push(
      open.block.name === this.asked.json
        ? { type: "text-delta", id, delta: delta.partial_json }
        : { type: "tool-params-delta", id: open.id, delta: delta.partial_json }
    )
  }

  private stop(into: Parts, index: number) {
    const open = this.open.get(index)
    if (open === undefined) return
    this.open.delete(index)
    const id = String(index)
    switch (open.block.type) {
      case "text":
        if (this.asked.json === undefined) into.push({ type: "text-end", id })
        break
      case "thinking":
      case "redacted_thinking":
        into.push({ type: "reasoning-end", id })
        break
      case "tool_use":
        this.call(into, id, open)
        break
      case "server_tool_use":
      case "mcp_tool_use":
        this.ran(into, open)
    }
  }

  private call(into: Parts, textId: string, { block: { input, name }, id, json }: Open) {
    if (name === undefined) return
    if (name === this.asked.json) {
      this.answered = true
      if (json === "") into.push({ type: "text-delta", id: textId, delta: JSON.stringify(input ?? {}) })
      into.push({ type: "text-end", id: textId })
      return
    }
    this.calls++
    into.push({ type: "tool-params-end", id })
    into.push({ type: "tool-call", id, name, params: json === "" ? input ?? {} : parameters(json) })
  }

  /** The name by which the application knows a tool that Anthropic ran; none when it did not offer it. */
  private known(block: Block): string | undefined {
    if (block.type === "mcp_tool_use") return this.asked.hosted.get("mcp")
    // Code is executed by tools of several names: `bash_code_execution`, `text_editor_code_execution`.
    const name = block.name?.endsWith("_code_execution") ? "code_execution" : block.name
    return this.asked.hosted.get(name ?? "")
  }

  private ran(into: Parts, { block, id, json }: Open) {
    const name = this.known(block)
    if (name === undefined) return
    this.called.set(id, name)
    const params = json === "" ? block.input ?? {} : parameters(json)
    const metadata = { [metadataKey]: { block: { ...block, input: params } } }
    into.push({ type: "tool-call", id, name, providerName: block.name, params, providerExecuted: true, metadata })
  }

  private result(into: Parts, block: Block) {
    const { content, is_error, tool_use_id: id = "" } = block
    for (const each of Array.isArray(content) ? content : []) if (Predicate.isRecord(each)) this.cite(into, each)
    const name = this.called.get(id)
    if (name === undefined) return
    const isFailure = is_error ?? (Predicate.isRecord(content) && String(content.type).endsWith("_error"))
    const metadata = { [metadataKey]: { block } }
    into.push({ type: "tool-result", id, name, isFailure, result: content, providerExecuted: true, metadata })
  }

  private cite(into: Parts, { title, url }: { readonly [key: string]: unknown }) {
    if (typeof url !== "string" || !URL.canParse(url) || this.sources.has(url)) return
    this.sources.add(url)
    const id = `${this.seed}_source_${this.sources.size}`
    into.push({ type: "source", sourceType: "url", id, url, title: typeof title === "string" ? title : url })
  }

  /** The parts that end an answer. */
  end(): Parts {
    const into: Parts = []
    for (const index of [...this.open.keys()]) this.stop(into, index)
    if (this.asked.json !== undefined && !this.answered && this.aside !== "") {
      into.push({ type: "text-start", id: "aside" }, { type: "text-delta", id: "aside", delta: this.aside })
      into.push({ type: "text-end", id: "aside" })
    }
    const { usage } = this
    const cached = usage.cache_read_input_tokens
    // Cached tokens are counted apart here; everywhere else they are a part of the input tokens.
    const inputTokens = usage.input_tokens === undefined
      ? undefined
      : usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (cached ?? 0)
    into.push({
      type: "finish",
      reason: this.finishReason(),
      usage: {
        inputTokens,
        outputTokens: usage.output_tokens,
        totalTokens: inputTokens === undefined ? undefined : inputTokens + (usage.output_tokens ?? 0),
        reasoningTokens: usage.output_tokens_details?.thinking_tokens,
        cachedInputTokens: cached
      }
    })
    return into
  }

  private finishReason(): Response.FinishReason {
    const reason = reasons[String(this.reason)] ?? "unknown"
    if (this.calls > 0) return reason === "unknown" || reason === "stop" ? "tool-calls" : reason
    return this.answered && reason === "tool-calls" ? "stop" : reason
  }
}
