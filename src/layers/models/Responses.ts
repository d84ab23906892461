/** Reads the answers of OpenAI's Responses API, and of compatible servers. */
import type * as Response from "@effect/ai/Response"
import { ownValue } from "../../domain/base/ownValue.js"
import type { Question } from "../../services/model/call/Wire.js"
import { args, count, each, type Fields, fields, text } from "./Loose.js"
import type { Reader as AnyReader } from "./ProviderExchange.js"
import { keeping, type Origin } from "./ResponsesItems.js"

type Part = Response.StreamPartEncoded

/**
 * The tools that the provider runs: the type of the item, its name in a toolkit, and the item's arguments and result.
 */
const hosted: Record<string, {
  readonly tool: string
  readonly params: (item: Fields) => unknown
  readonly result: (item: Fields) => unknown
}> = {
  web_search_call: {
    tool: "web_search",
    params: ({ action }) => ({ action }),
    result: ({ status }) => ({ status })
  },
  file_search_call: {
    tool: "file_search",
    params: () => ({}),
    result: ({ queries, results, status }) => ({ status, queries, ...results != null && { results } })
  },
  code_interpreter_call: {
    tool: "code_interpreter",
    params: ({ code, container_id }) => ({ code, container_id }),
    result: ({ outputs }) => outputs ?? null
  },
  image_generation_call: {
    tool: "image_generation",
    params: ({ revised_prompt }) => ({ prompt: revised_prompt ?? null }),
    // The picture itself is too large for a transcript.
    result: ({ status }) => ({ status })
  },
  mcp_call: {
    tool: "mcp",
    params: (item) => ({ server: item.server_label, name: item.name, arguments: args(text(item.arguments) ?? "") }),
    result: ({ error, output }) => ({ output: output ?? null, ...error != null && { error } })
  }
}

const typeOf = (part: string): "text" | "reasoning" => part === "text" ? "text" : "reasoning"

const saidIn = (part: Fields): string =>
  part.type === "output_text" ? text(part.text) ?? "" : part.type === "refusal" ? text(part.refusal) ?? "" : ""

const outcomes: Record<string, Response.FinishReason> = {
  max_output_tokens: "length",
  max_tokens: "length",
  content_filter: "content-filter"
}

const usageOf = (usage: Fields): Response.FinishPartEncoded["usage"] => ({
  inputTokens: count(usage.input_tokens),
  outputTokens: count(usage.output_tokens),
  totalTokens: count(usage.total_tokens),
  reasoningTokens: count(fields(usage.output_tokens_details).reasoning_tokens),
  cachedInputTokens: count(fields(usage.input_tokens_details).cached_tokens)
})

const begins = new Set(["response.created", "response.in_progress"])
const completes = new Set(["response.completed", "response.incomplete", "response.failed", "response.done"])

/**
 * Finds the item to which an event belongs, and its key (its "place"). The item's index in the output identifies it,
 * because servers leave ids out, or change them within a stream.
 */
class Places {
  private readonly byIndex = new Map<number, string>()
  private readonly byId = new Map<string, string>()
  private readonly types = new Map<string, unknown>()

  /** Returns the key of a streamed item: by its index, or by its id if the server gives no index. */
  of(event: Fields, item: Fields, type: unknown): string {
    const ids = idsOf(event.item_id, item.id, item.call_id)
    const place = this.at(count(event.output_index), ids)
    this.note(place, ids, type)
    return place
  }

  /**
   * Returns the keys of the items of a whole answer. An item that was streamed before keeps its key: it is found by id,
   * else by index, else by type.
   */
  ofAll(items: ReadonlyArray<Fields>): ReadonlyArray<string> {
    const taken = new Set<string>()
    return items.map((item, index) => {
      const ids = idsOf(item.id, item.call_id)
      const free = [this.byIndex.get(index), ...this.types.keys()].find((place) =>
        place !== undefined && !taken.has(place) && this.types.get(place) === item.type
      )
      const place = this.known(ids) ?? free ?? `whole ${index}`
      taken.add(place)
      this.note(place, ids, item.type)
      return place
    })
  }

  private at(index: number | undefined, ids: ReadonlyArray<string>): string {
    const known = this.known(ids)
    if (index === undefined) return known ?? ids[0] ?? "0"
    const bound = this.byIndex.get(index)
    if (bound !== undefined) return bound
    const isFree = known !== undefined && ![...this.byIndex.values()].includes(known)
    const place = isFree ? known : `${index}`
    this.byIndex.set(index, place)
    return place
  }

  private known(ids: ReadonlyArray<string>): string | undefined {
    return ids.map((id) => this.byId.get(id)).find((place) => place !== undefined)
  }

  private note(place: string, ids: ReadonlyArray<string>, type: unknown): void {
    for (const id of ids) if (!this.byId.has(id)) this.byId.set(id, place)
    if (!this.types.has(place)) this.types.set(place, type)
  }
}

const idsOf = (...ids: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  ids.flatMap((id) => typeof id === "string" && id !== "" ? [id] : [])

/** Converts a server's events and answers to parts. A whole answer is treated as the last event. */
export class Reader implements AnyReader {
  private readonly places = new Places()
  /** Keys of the items that were read completely. */
  private readonly done = new Set<string>()
  /** Keys of the calls that have begun. */
  private readonly called = new Set<string>()
  /** The streamed text and reasoning of items that have not ended, by the key of the item and by part. */
  private readonly streamed = new Map<string, Map<string, string>>()
  private begun = false
  private calls = 0
  private sources = 0
  private ended = false

  constructor(
    private readonly of: Origin,
    private readonly tools: Question["tools"],
    private readonly unique: string
  ) {}

  whole(answer: Fields): Array<Part> {
    const into: Array<Part> = []
    this.complete(into, answer)
    return into
  }

  isComplete(): boolean {
    return this.ended || (this.done.size > 0 && [...this.streamed.keys()].every((item) => this.done.has(item)))
  }

  /**
   * Returns the last parts of a stream that has ended. If the server's end mark is missing, the stream was cut off.
   * With the mark, the answer is complete if all its items have ended.
   */
  end(said: boolean): Array<Part> {
    if (this.ended || !said || !this.isComplete()) return []
    const into: Array<Part> = []
    this.finish(into, {})
    return into
  }

  event(event: Fields, name: string): Array<Part> {
    const into: Array<Part> = []
    const type = text(event.type) ?? name
    if (begins.has(type)) this.begin(into, fields(event.response))
    else if (completes.has(type)) this.complete(into, fields(event.response))
    else this.part(into, type, event)
    return into
  }

  private part(into: Array<Part>, type: string, event: Fields): void {
    switch (type) {
      case "error":
        into.push({ type: "error", error: event.error ?? { code: event.code, message: event.message } })
        break
      case "response.output_item.added":
        this.added(into, fields(event.item), event)
        break
      case "response.output_item.done":
        this.item(into, fields(event.item), this.places.of(event, fields(event.item), fields(event.item).type))
        break
      default:
        this.delta(into, type, event)
    }
  }

  private delta(into: Array<Part>, type: string, event: Fields): void {
    const delta = text(event.delta)
    if (delta === undefined || delta === "") return
    const place = (of: string) => this.places.of(event, {}, of)
    switch (type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.words(into, place("message"), "text", delta)
      case "response.reasoning_summary_text.delta":
        return this.words(into, place("reasoning"), `summary ${event.summary_index}`, delta)
      case "response.reasoning_text.delta":
        return this.words(into, place("reasoning"), `content ${event.content_index}`, delta)
      case "response.function_call_arguments.delta": {
        const id = place("function_call")
        if (this.called.has(id)) into.push({ type: "tool-params-delta", id, delta })
      }
    }
  }

  private begin(into: Array<Part>, response: Fields): void {
    if (this.begun) return
    this.begun = true
    into.push({ type: "response-metadata", id: text(response.id), modelId: text(response.model) })
  }

  private added(into: Array<Part>, item: Fields, event: Fields): void {
    const id = this.places.of(event, item, item.type)
    if (item.type !== "function_call") return
    this.called.add(id)
    into.push({ type: "tool-params-start", id, name: text(item.name) ?? "" })
  }

  private words(into: Array<Part>, item: string, part: string, delta: string): void {
    const id = `${item} ${part}`
    const parts = this.streamed.get(item) ?? new Map<string, string>()
    this.streamed.set(item, parts)
    const before = parts.get(part)
    if (before === undefined) into.push({ type: `${typeOf(part)}-start`, id })
    parts.set(part, (before ?? "") + delta)
    into.push({ type: `${typeOf(part)}-delta`, id, delta })
  }

  /** Ends an item: adds the content that was not streamed, and the metadata that is sent back. */
  private item(into: Array<Part>, item: Fields, id: string): void {
    if (this.done.has(id)) return
    this.done.add(id)
    const kept = { ...this.of, ...text(item.id) !== undefined && { itemId: item.id } }
    switch (item.type) {
      case "message":
        this.message(into, item, id, kept)
        break
      case "reasoning":
        this.thought(into, item, id, kept)
        break
      case "function_call":
        this.call(into, item, id, kept)
        break
      default:
        this.ran(into, item, id, kept)
    }
    this.close(into, id)
  }

  private message(into: Array<Part>, item: Fields, id: string, kept: Fields): void {
    const content = each(item.content)
    const whole = content.map(saidIn).join("")
    const shown = this.streamed.get(id)?.get("text") ?? ""
    // Keeps the streamed text, and adds the part of the whole text that was not streamed.
    const rest = whole.startsWith(shown) ? whole.slice(shown.length) : ""
    if (rest !== "") this.words(into, id, "text", rest)
    this.close(into, id, kept)
    for (const { annotations } of content) for (const annotation of each(annotations)) this.cite(into, annotation)
  }

  private cite(into: Array<Part>, annotation: Fields): void {
    const id = `${this.unique}_source_${++this.sources}`
    const url = text(annotation.url)
    const name = text(annotation.title) ?? text(annotation.filename)
    if (annotation.type === "url_citation" && url !== undefined && URL.canParse(url)) {
      into.push({ type: "source", sourceType: "url", id, url, title: name || url })
    } else if (annotation.type === "file_citation" && name !== undefined) {
      into.push({ type: "source", sourceType: "document", id, mediaType: "text/plain", title: name })
    }
  }

  private thought(into: Array<Part>, item: Fields, id: string, kept: Fields): void {
    const encrypted = text(item.encrypted_content)
    const metadata = { ...kept, ...encrypted !== undefined && { encryptedContent: encrypted } }
    if (!this.streamed.has(id)) {
      for (const key of ["summary", "content"] as const) {
        for (const [index, part] of each(item[key]).entries()) {
          const thought = text(part.text)
          if (thought !== undefined && thought !== "") this.words(into, id, `${key} ${index}`, thought)
        }
      }
    }
    if (this.streamed.has(id)) return this.close(into, id, metadata)
    // Added even without a visible text, because the reasoning must be sent back.
    into.push({ type: "reasoning-start", id }, { type: "reasoning-end", id, metadata: keeping(metadata) })
  }

  private call(into: Array<Part>, item: Fields, id: string, kept: Fields): void {
    const name = text(item.name)
    if (name === undefined || name === "") return
    if (this.called.has(id)) into.push({ type: "tool-params-end", id })
    const callId = text(item.call_id) || text(item.id) || `call_${this.unique}_${this.calls}`
    this.calls++
    into.push({
      type: "tool-call",
      id: callId,
      name,
      params: typeof item.arguments === "string" ? args(item.arguments) : item.arguments ?? {},
      metadata: keeping(kept)
    })
  }

  /**
   * Adds the call and the result of a tool that the provider ran; both are in one item. Ignores items of unknown types.
   */
  private ran(into: Array<Part>, item: Fields, id: string, kept: Fields): void {
    const kind = ownValue(hosted, `${item.type}`)
    if (kind === undefined) return
    const offered = this.tools.find((tool) => tool.hosted?.providerName.startsWith(kind.tool))
    const name = offered?.name ?? kind.tool
    const providerName = offered?.hosted?.providerName ?? kind.tool
    const both = { id, name, providerName, providerExecuted: true }
    into.push({ ...both, type: "tool-call", params: kind.params(item), metadata: keeping({ ...kept, item }) })
    const isFailure = item.error != null || item.status === "failed"
    into.push({ ...both, type: "tool-result", isFailure, result: kind.result(item) })
  }

  private close(into: Array<Part>, item: string, kept: Fields = {}): void {
    for (const part of this.streamed.get(item)?.keys() ?? []) {
      const metadata = keeping(part.startsWith("content") ? { ...kept, content: true } : kept)
      into.push({ type: `${typeOf(part)}-end`, id: `${item} ${part}`, metadata })
    }
    this.streamed.delete(item)
  }

  private complete(into: Array<Part>, response: Fields): void {
    if (response.status === "failed" || response.error != null) {
      into.push({ type: "error", error: response.error ?? { message: "the response failed" } })
      return
    }
    this.begin(into, response)
    // Some servers do not mark the end of an item.
    const items = each(response.output)
    for (const [index, place] of this.places.ofAll(items).entries()) this.item(into, items[index]!, place)
    this.finish(into, response)
  }

  private finish(into: Array<Part>, response: Fields): void {
    this.ended = true
    for (const item of [...this.streamed.keys()]) this.close(into, item)
    const why = text(fields(response.incomplete_details).reason)
    into.push({
      type: "finish",
      reason: this.outcome(text(response.status), why),
      usage: usageOf(fields(response.usage))
    })
  }

  private outcome(status: string | undefined, why: string | undefined): Response.FinishReason {
    if (why !== undefined) return ownValue(outcomes, why) ?? (this.calls > 0 ? "tool-calls" : "unknown")
    return this.calls > 0 ? "tool-calls" : status === undefined || status === "completed" ? "stop" : "unknown"
  }
}
