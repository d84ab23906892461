/**
 * The answers of `/chat/completions`, as OpenAI described them and as the servers that copy it really give them.
 *
 * @since 0.1.0
 */
import type * as IdGenerator from "@effect/ai/IdGenerator"
import type * as Response from "@effect/ai/Response"
import * as Tool from "@effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { metadataKey } from "./ChatRequest.js"

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

const ToolCall = Schema.Struct({
  index: maybe(Schema.Number),
  id: maybe(Schema.String),
  function: maybe(Schema.Struct({ name: maybe(Schema.String), arguments: maybe(Schema.Unknown) })),
  extra_content: Schema.optional(Schema.Unknown)
})

const Said = Schema.Struct({
  content: maybe(Schema.Union(
    Schema.String,
    Schema.Array(Schema.Struct({ type: Schema.optional(Schema.String), text: Schema.optional(Schema.String) }))
  )),
  refusal: maybe(Schema.String),
  reasoning_content: maybe(Schema.String),
  reasoning: maybe(Schema.String),
  tool_calls: maybe(Schema.Array(ToolCall))
})

const Usage = Schema.Struct({
  prompt_tokens: maybe(Schema.Number),
  completion_tokens: maybe(Schema.Number),
  total_tokens: maybe(Schema.Number),
  prompt_tokens_details: maybe(Schema.Struct({ cached_tokens: maybe(Schema.Number) })),
  completion_tokens_details: maybe(Schema.Struct({ reasoning_tokens: maybe(Schema.Number) })),
  // DeepSeek's name for it.
  prompt_cache_hit_tokens: maybe(Schema.Number)
})

/**
 * A whole answer, or one chunk of a streamed one.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Completion = Schema.Struct({
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  choices: maybe(Schema.Array(Schema.Struct({
    message: maybe(Said),
    delta: maybe(Said),
    finish_reason: maybe(Schema.String)
  }))),
  usage: maybe(Usage),
  error: Schema.optional(Schema.Unknown)
})

/**
 * @since 0.1.0
 * @category schemas
 */
export type Completion = typeof Completion.Type

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

/**
 * Collects what a server says and turns it into parts. A whole answer is one step of it.
 *
 * @since 0.1.0
 * @category models
 */
export class Reader {
  private readonly calls = new Map<number, { id: string; name: string; args: string; extra: unknown; open: boolean }>()
  private open: "text" | "reasoning" | undefined
  private blocks = 0
  private reason: string | undefined
  private usage: typeof Usage.Type | undefined
  private started = false
  ended = false

  constructor(private readonly ids: IdGenerator.Service) {}

  /** Whether the server said why it stopped; a stream without that was cut off. */
  get stopped(): boolean {
    return this.reason !== undefined
  }

  private close(into: Array<Response.StreamPartEncoded>) {
    if (this.open !== undefined) into.push({ type: `${this.open}-end`, id: `${this.blocks}` })
    this.open = undefined
  }

  private words(into: Array<Response.StreamPartEncoded>, type: "text" | "reasoning", delta: string) {
    if (delta === "") return
    if (this.open !== type) {
      this.close(into)
      this.open = type
      into.push({ type: `${type}-start`, id: `${++this.blocks}` })
    }
    into.push({ type: `${type}-delta`, id: `${this.blocks}`, delta })
  }

  /** Adds a chunk. */
  add(chunk: Completion): Effect.Effect<Array<Response.StreamPartEncoded>> {
    const into: Array<Response.StreamPartEncoded> = []
    if (!this.started) {
      this.started = true
      into.push({ type: "response-metadata", id: chunk.id ?? undefined, modelId: chunk.model ?? undefined })
    }
    this.usage = chunk.usage ?? this.usage
    const first = chunk.choices?.[0]
    this.reason = first?.finish_reason ?? this.reason
    const said = first?.message ?? first?.delta
    if (said == null) return Effect.succeed(into)
    this.words(into, "reasoning", said.reasoning_content ?? said.reasoning ?? "")
    const content = said.content ?? said.refusal ?? ""
    this.words(into, "text", typeof content === "string" ? content : content.map(({ text }) => text ?? "").join(""))
    if (said.tool_calls == null || said.tool_calls.length === 0) return Effect.succeed(into)
    return Effect.as(Effect.forEach(said.tool_calls, (call) => this.call(into, call), { discard: true }), into)
  }

  private call(into: Array<Response.StreamPartEncoded>, call: typeof ToolCall.Type): Effect.Effect<void> {
    const whole = call.id != null && call.index == null
    const index = call.index ?? (whole ? this.calls.size : Math.max(0, this.calls.size - 1))
    return Effect.map(
      // Some servers leave ids out, or number them anew in each answer.
      this.calls.has(index) ? Effect.succeed("") : call.id ? Effect.succeed(call.id) : this.ids.generateId(),
      (id) => {
        const current = this.calls.get(index) ?? { id, name: "", args: "", extra: undefined, open: false }
        this.calls.set(index, current)
        current.name += call.function?.name ?? ""
        current.extra ??= call.extra_content
        const given = call.function?.arguments
        const delta = typeof given === "string" ? given : given == null ? "" : JSON.stringify(given)
        current.args += delta
        if (!current.open && current.name !== "") {
          this.close(into)
          current.open = true
          into.push({ type: "tool-params-start", id: current.id, name: current.name })
        }
        if (delta !== "") into.push({ type: "tool-params-delta", id: current.id, delta })
      }
    )
  }

  /** The parts that end an answer. */
  end(): Array<Response.StreamPartEncoded> {
    this.ended = true
    const into: Array<Response.StreamPartEncoded> = []
    this.close(into)
    for (const { args, extra, id, name } of this.calls.values()) {
      const metadata = extra === undefined ? {} : { [metadataKey]: { extraContent: extra } }
      into.push({ type: "tool-params-end", id })
      into.push({ type: "tool-call", id, name, params: parameters(args), metadata })
    }
    const { reason, usage } = this
    const called = this.calls.size > 0
    const known = reasons[reason ?? ""] ?? "unknown"
    into.push({
      type: "finish",
      // Some servers stop with "stop" after a call.
      reason: called && (known === "stop" || known === "unknown") ? "tool-calls" : known,
      usage: {
        inputTokens: usage?.prompt_tokens ?? undefined,
        outputTokens: usage?.completion_tokens ?? undefined,
        totalTokens: usage?.total_tokens ?? undefined,
        reasoningTokens: usage?.completion_tokens_details?.reasoning_tokens ?? undefined,
        cachedInputTokens: usage?.prompt_tokens_details?.cached_tokens ?? usage?.prompt_cache_hit_tokens ?? undefined
      }
    })
    return into
  }
}

/** Arguments that are no JSON are handed on as they are: whoever decodes them tells the model what is wrong. */
const parameters = (args: string): unknown => {
  if (args.trim() === "") return {}
  try {
    return Tool.unsafeSecureJsonParse(args)
  } catch {
    return args
  }
}

/**
 * The parts of a whole answer, from the parts of the same answer streamed.
 *
 * @since 0.1.0
 * @category combinators
 */
export const whole = (parts: ReadonlyArray<Response.StreamPartEncoded>): Array<Response.PartEncoded> => {
  const into: Array<Response.PartEncoded> = []
  for (const part of parts) {
    if (part.type === "text-delta") into.push({ type: "text", text: part.delta })
    else if (part.type === "reasoning-delta") into.push({ type: "reasoning", text: part.delta })
    else if (part.type === "tool-call" || part.type === "finish" || part.type === "response-metadata") into.push(part)
  }
  return into
}
