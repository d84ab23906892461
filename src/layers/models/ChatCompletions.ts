/** Reads the answers of `/chat/completions`, in OpenAI's form and in the variants of compatible servers. */
import type * as Response from "@effect/ai/Response"
import { ownValue } from "../../domain/base/ownValue.js"
import { Calls, pieceOf, repeats } from "./ChatCalls.js"
import { metadataKey } from "./ChatRequest.js"
import { args, count, each, type Fields, fields, text } from "./Loose.js"
import * as ModelText from "./ModelText.js"
import type { Reader as AnyReader } from "./ProviderExchange.js"
import { Sources } from "./Sources.js"

type Part = Response.StreamPartEncoded

const reasons: Record<string, Response.FinishReason> = {
  stop: "stop",
  end_turn: "stop",
  eos: "stop",
  length: "length",
  max_tokens: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  error: "error"
}

/** Returns the pieces of content: text, and Mistral's reasoning before it. */
const pieces = (content: unknown): ReadonlyArray<readonly ["text" | "reasoning", string]> => {
  if (typeof content === "string") return [["text", content]]
  return each(content).map((piece) =>
    piece.type === "thinking"
      ? ["reasoning", typeof piece.thinking === "string" ? piece.thinking : words(piece.thinking)]
      : ["text", text(piece.text) ?? ""]
  )
}

const words = (list: unknown): string => each(list).map((piece) => text(piece.text) ?? "").join("")

/** Returns the text of OpenRouter's `reasoning_details`, for servers that send reasoning only in this field. */
const detailed = (details: ReadonlyArray<Fields>): string =>
  details.map((detail) => text(detail.text) ?? text(detail.summary) ?? "").join("")

/** Merges the streamed details of one block, in order. */
const collect = (into: Array<Fields>, details: ReadonlyArray<Fields>): void => {
  for (const detail of details) {
    const last = into[into.length - 1]
    if (last !== undefined && isSame(last, detail)) into[into.length - 1] = together(last, detail)
    else into.push(detail)
  }
}

const isSame = (last: Fields, detail: Fields): boolean =>
  last.type === detail.type && last.index === detail.index &&
  (last.id == null || detail.id == null || last.id === detail.id)

const growing = new Set(["text", "summary", "data"])

const together = (last: Fields, detail: Fields): Fields => {
  const whole = { ...last }
  for (const [key, value] of Object.entries(detail)) {
    if (value == null) continue
    const before = last[key]
    whole[key] = growing.has(key) && typeof before === "string" && typeof value === "string" ? before + value : value
  }
  return whole
}

/** Reads the token counts; some servers leave some out, or use other names. */
const usageOf = (usage: Fields): Response.FinishPartEncoded["usage"] => {
  const input = fields(usage.prompt_tokens_details)
  return {
    inputTokens: count(usage.prompt_tokens),
    outputTokens: count(usage.completion_tokens),
    totalTokens: count(usage.total_tokens),
    reasoningTokens: count(fields(usage.completion_tokens_details).reasoning_tokens),
    // DeepSeek reports this count as `prompt_cache_hit_tokens`.
    cachedInputTokens: count(input.cached_tokens) ?? count(usage.prompt_cache_hit_tokens)
  }
}

/** True for an error in any of the forms of servers: `{ error }`, `{ object: "error", message }`, `{ detail }`. */
const isError = ({ choices, detail, error, message, object }: Fields): boolean =>
  error != null || object === "error" || (choices === undefined && (message ?? detail) != null)

/** Returns the message of a choice, because some servers repeat the whole message in each chunk. */
const messageIn = ({ delta, message }: Fields, streamed: boolean): Fields =>
  fields(streamed ? delta ?? message : message ?? delta)

/** The error's message for a tool call as text that cannot be read. `CallFailure` knows how to mend it. */
const unreadCall = "the model wrote a tool call as text, in a form that cannot be read"

/** Converts a server's events and answers to parts. */
export class Reader implements AnyReader {
  private readonly calls: Calls
  private readonly details: Array<Fields> = []
  private readonly sources: Sources
  private open: "text" | "reasoning" | undefined
  private blocks = 0
  private reason: string | undefined
  private usage: Fields = {}
  private started = false
  private ended = false
  private isUnread = false
  /** The name of the server's reasoning field, because the reasoning is sent back under the same name. */
  private field: string | undefined

  private readonly content: ModelText.ModelText

  constructor(private readonly model: string, unique: string, options: ModelText.Options) {
    this.content = new ModelText.ModelText(options)
    this.sources = new Sources(unique)
    this.calls = new Calls(unique)
  }

  whole(answer: Fields): Array<Part> {
    return [...this.read(answer, false), ...this.finish()]
  }

  event(event: Fields): Array<Part> {
    return this.read(event, true)
  }

  /** True if the server gave a finish reason. A stream without one was cut off. */
  isComplete(): boolean {
    return this.reason !== undefined
  }

  end(said: boolean): Array<Part> {
    return this.ended || !(said || this.isComplete()) ? [] : this.finish()
  }

  private read(chunk: Fields, streamed: boolean): Array<Part> {
    if (isError(chunk)) return [{ type: "error", error: chunk.error ?? chunk }]
    const into: Array<Part> = []
    if (!this.started) {
      this.started = true
      into.push({ type: "response-metadata", id: text(chunk.id), modelId: text(chunk.model) })
    }
    if (chunk.usage != null) this.usage = fields(chunk.usage)
    const first = each(chunk.choices)[0] ?? {}
    this.reason = text(first.finish_reason) ?? this.reason
    const said = messageIn(first, streamed)
    this.think(into, said)
    this.say(into, said)
    const calls = each(said.tool_calls)
    calls.forEach((call, position) => this.call(into, call, calls.length > 1 ? position : undefined))
    for (const annotation of each(said.annotations)) {
      const { title, url } = fields(annotation.url_citation)
      this.sources.cite(into, url, title)
    }
    return into
  }

  private think(into: Array<Part>, said: Fields): void {
    const details = each(said.reasoning_details)
    collect(this.details, details)
    for (const field of ["reasoning_content", "reasoning"]) {
      const thought = text(said[field])
      if (thought === undefined || thought === "") continue
      this.field ??= field
      this.words(into, "reasoning", thought)
      return
    }
    this.words(into, "reasoning", detailed(details))
  }

  private say(into: Array<Part>, said: Fields): void {
    for (const [type, piece] of pieces(said.content ?? said.refusal)) {
      if (type === "text") this.separate(into, this.content.take(piece))
      else this.words(into, type, piece)
    }
  }

  /** Adds what the text of the server says: the answer, thoughts and calls. */
  private separate(into: Array<Part>, pieces: ReadonlyArray<ModelText.Piece>): void {
    for (const piece of pieces) {
      switch (piece._tag) {
        case "text":
        case "reasoning":
          this.words(into, piece._tag, piece.text)
          break
        case "thought":
          if (this.open === "text") this.close(into, { coxswain: { thought: true } })
          break
        case "call": {
          const { name, params } = piece.call
          const given = { index: this.calls.all.length, function: { name, arguments: params } }
          this.call(into, given, undefined)
          break
        }
        case "unread":
          this.isUnread = true
      }
    }
  }

  private close(into: Array<Part>, ofText?: Response.ProviderMetadata): void {
    if (this.open !== undefined) {
      const metadata = this.open === "reasoning" ? this.thought() : ofText
      into.push({ type: `${this.open}-end`, id: `${this.blocks}`, ...metadata !== undefined && { metadata } })
    }
    this.open = undefined
  }

  /** The metadata that is sent back to the same model together with the results of its calls. */
  private thought(): Response.ProviderMetadata {
    const { field, model } = this
    return { [metadataKey]: { model, ...field !== undefined && { field } } }
  }

  private words(into: Array<Part>, type: "text" | "reasoning", delta: string): void {
    if (delta === "") return
    if (this.open !== type) {
      this.close(into)
      this.open = type
      into.push({ type: `${type}-start`, id: `${++this.blocks}` })
    }
    into.push({ type: `${type}-delta`, id: `${this.blocks}`, delta })
  }

  private call(into: Array<Part>, given: Fields, position: number | undefined): void {
    const piece = pieceOf(given)
    const call = this.calls.of(piece, position)
    if (piece.name !== call.name) call.name += piece.name
    call.extra ??= piece.extra
    if (!call.open && call.name !== "") {
      this.close(into)
      call.open = true
      into.push({ type: "tool-params-start", id: call.id, name: call.name })
    }
    if (piece.args === "" || repeats(call, piece)) return
    call.args += piece.args
    into.push({ type: "tool-params-delta", id: call.id, delta: piece.args })
  }

  private finish(): Array<Part> {
    this.ended = true
    const into: Array<Part> = []
    this.separate(into, this.content.end())
    if (this.isUnread) return [...into, { type: "error", error: { message: unreadCall } }]
    this.close(into)
    if (this.details.length > 0) {
      const id = `${++this.blocks}`
      const metadata = { [metadataKey]: { model: this.model, details: this.details } }
      into.push({ type: "reasoning-start", id, metadata }, { type: "reasoning-end", id })
    }
    const called = this.calls.all.filter(({ name }) => name !== "")
    for (const { args: given, extra, id, name } of called) {
      const metadata = extra === undefined ? {} : { [metadataKey]: { model: this.model, extraContent: extra } }
      into.push({ type: "tool-params-end", id }, { type: "tool-call", id, name, params: args(given), metadata })
    }
    into.push(this.finished(called.length > 0))
    return into
  }

  private finished(calls: boolean): Part {
    const known = ownValue(reasons, this.reason ?? "") ?? "unknown"
    const written = count(fields(this.usage.prompt_tokens_details).cache_write_tokens)
    return {
      type: "finish",
      // Some servers give the finish reason "stop" after a call.
      reason: calls && (known === "stop" || known === "unknown") ? "tool-calls" : known,
      usage: usageOf(this.usage),
      ...written !== undefined && { metadata: { coxswain: { cacheWriteTokens: written } } }
    }
  }
}
