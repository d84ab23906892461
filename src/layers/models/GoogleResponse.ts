/**
 * The answers of Google's Gemini API.
 *
 * @since 0.1.0
 */
import type * as Response from "@effect/ai/Response"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { parameters } from "./Exchange.js"
import { grown } from "./GoogleArguments.js"
import { Fields, known, list, maybe } from "./Lenient.js"

/**
 * Under this key the parts of a transcript keep what Gemini wants back.
 *
 * @since 0.1.0
 * @category models
 */
export const metadataKey = "google"

const FunctionCall = Schema.Struct({
  id: maybe(Schema.String),
  name: maybe(Schema.String),
  args: Schema.optional(Schema.Unknown),
  partialArgs: list(Fields),
  willContinue: maybe(Schema.Boolean)
})

const Part = Schema.Struct({
  text: maybe(Schema.String),
  thought: maybe(Schema.Boolean),
  thoughtSignature: maybe(Schema.String),
  functionCall: maybe(FunctionCall),
  inlineData: maybe(Schema.Struct({ mimeType: Schema.String, data: Schema.String })),
  executableCode: maybe(Fields),
  codeExecutionResult: maybe(Fields)
}, { key: Schema.String, value: Schema.Unknown })

type Part = typeof Part.Type

const Source = maybe(Schema.Struct({ uri: maybe(Schema.String), title: maybe(Schema.String) }))

const Candidate = Schema.Struct({
  content: maybe(Schema.Struct({ parts: list(Part) })),
  finishReason: Schema.optional(Schema.Unknown),
  finishMessage: maybe(Schema.String),
  groundingMetadata: maybe(Schema.Struct({
    groundingChunks: list(Schema.Struct({ web: Source, retrievedContext: Source, maps: Source }))
  }))
})

type Candidate = typeof Candidate.Type

const Usage = Schema.Struct({
  promptTokenCount: maybe(Schema.Number),
  toolUsePromptTokenCount: maybe(Schema.Number),
  candidatesTokenCount: maybe(Schema.Number),
  thoughtsTokenCount: maybe(Schema.Number),
  cachedContentTokenCount: maybe(Schema.Number)
})

/**
 * A whole answer, or one piece of a streamed one.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Generated = Schema.Struct({
  responseId: maybe(Schema.String),
  modelVersion: maybe(Schema.String),
  candidates: list(Candidate),
  promptFeedback: maybe(Schema.Struct({ blockReason: Schema.optional(Schema.Unknown) })),
  usageMetadata: maybe(Usage),
  error: Schema.optional(Schema.Unknown)
})

/**
 * @since 0.1.0
 * @category schemas
 */
export type Generated = typeof Generated.Type

const filtered = /SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|MODEL_ARMOR|LANGUAGE/
/** The model meant to call a tool: the tool loop tells it what was wrong with that. */
const miscalled = /MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL/

type Parts = Array<Response.StreamPartEncoded>

interface Call {
  readonly id: string
  readonly name: string
  readonly metadata: Response.ProviderMetadata
  args: unknown
}

/**
 * Collects what Gemini says and turns it into parts. Kinds of parts, reasons and fields it does not know are passed over.
 *
 * @since 0.1.0
 * @category models
 */
export class Reader {
  failure: unknown
  private open: "text" | "reasoning" | undefined
  private blocks = 0
  private calls = 0
  private call: Call | undefined
  private ran: string | undefined
  private readonly sources = new Set<string>()
  private usage: typeof Usage.Type = {}
  private reason: unknown
  private said: string | undefined
  private started = false

  constructor(
    private readonly asked: {
      /** Signatures are sent back to the model they are of. */
      readonly model: string
      readonly tools: ReadonlyArray<string>
      readonly hosted: ReadonlyMap<string, string>
    },
    private readonly seed: string
  ) {}

  get stopped(): boolean {
    return this.reason !== undefined
  }

  add(event: Generated): Parts {
    const into: Parts = []
    if (event.error != null && !this.stopped) this.failure = event.error
    if (!this.started) {
      this.started = true
      into.push({ type: "response-metadata", id: event.responseId, modelId: event.modelVersion })
    }
    const counted = Object.entries(event.usageMetadata ?? {}).filter(([_, count]) => count !== undefined)
    this.usage = { ...this.usage, ...Object.fromEntries(counted) }
    const candidate = known(event.candidates)[0]
    if (candidate !== undefined) this.candidate(into, candidate)
    // A blocked prompt has no candidates.
    else if (event.promptFeedback?.blockReason != null) this.reason = "SAFETY"
    return into
  }

  private candidate(into: Parts, { content, finishMessage, finishReason, groundingMetadata }: Candidate) {
    for (const part of known(content?.parts)) this.part(into, part)
    for (const { maps, retrievedContext, web } of known(groundingMetadata?.groundingChunks)) {
      this.cite(into, web ?? retrievedContext ?? maps ?? {})
    }
    this.reason = finishReason ?? this.reason
    this.said = finishMessage ?? this.said
  }

  private part(into: Parts, part: Part) {
    const { codeExecutionResult, executableCode, functionCall, inlineData, text } = part
    if (functionCall !== undefined) this.called(into, functionCall, this.signed(part))
    else if (executableCode !== undefined) this.runs(into, executableCode, part)
    else if (codeExecutionResult !== undefined) this.result(into, codeExecutionResult, part)
    else if (inlineData !== undefined && part.thought !== true) this.file(into, inlineData, this.signed(part))
    else if (text !== undefined) this.words(into, text, part)
  }

  private signed({ thoughtSignature }: Part, more?: object): { readonly metadata?: Response.ProviderMetadata } {
    if (thoughtSignature === undefined && more === undefined) return {}
    const { model } = this.asked
    return { metadata: { [metadataKey]: { ...(thoughtSignature && { thoughtSignature }), model, ...more } } }
  }

  private close(into: Parts) {
    if (this.open !== undefined) into.push({ type: `${this.open}-end`, id: String(this.blocks) })
    this.open = undefined
  }

  private words(into: Parts, text: string, part: Part) {
    const signed = this.signed(part)
    if (text === "" && signed.metadata === undefined) return
    // A signature may come by itself after the text it belongs to; without any text it is kept like a thought.
    const type = text === "" ? this.open ?? "reasoning" : part.thought === true ? "reasoning" : "text"
    if (this.open !== type) {
      this.close(into)
      this.open = type
      into.push({ type: `${type}-start`, id: String(++this.blocks) })
    }
    into.push({ type: `${type}-delta`, id: String(this.blocks), delta: text, ...signed })
  }

  private file(into: Parts, { data, mimeType }: NonNullable<Part["inlineData"]>, signed: object) {
    this.close(into)
    into.push({ type: "file", mediaType: mimeType, data, ...signed })
  }

  private called(into: Parts, call: typeof FunctionCall.Type, { metadata = {} }: ReturnType<Reader["signed"]>) {
    this.close(into)
    if (call.name !== undefined) {
      this.finish(into)
      const id = call.id ?? `${this.seed}_${this.calls}`
      const own = { ...metadata[metadataKey], ...(call.id !== undefined && { ownId: true }) }
      this.call = {
        id,
        name: call.name,
        args: undefined,
        metadata: Object.keys(own).length === 0 ? {} : { [metadataKey]: own }
      }
      this.calls++
      into.push({ type: "tool-params-start", id, name: call.name })
    }
    if (this.call === undefined) return
    this.call.args = known(call.partialArgs).reduce<unknown>(grown, call.args ?? this.call.args)
    if (call.willContinue !== true) this.finish(into)
  }

  private finish(into: Parts) {
    if (this.call === undefined) return
    const { args, id, metadata, name } = this.call
    this.call = undefined
    into.push({ type: "tool-params-end", id })
    into.push({ type: "tool-call", id, name, params: typeof args === "string" ? parameters(args) : args ?? {}, metadata })
  }

  private runs(into: Parts, code: Fields, part: Part) {
    const name = this.asked.hosted.get("code_execution")
    if (name === undefined) return
    this.close(into)
    const id = this.ran = typeof code.id === "string" ? code.id : `${this.seed}_code_${++this.blocks}`
    const { metadata } = this.signed(part, { part })
    into.push({ type: "tool-call", id, name, params: code, providerExecuted: true, metadata })
  }

  private result(into: Parts, result: Fields, part: Part) {
    const name = this.asked.hosted.get("code_execution")
    if (name === undefined || this.ran === undefined) return
    this.close(into)
    const { metadata } = this.signed(part, { part })
    const isFailure = result.outcome !== "OUTCOME_OK"
    into.push({ type: "tool-result", id: this.ran, name, isFailure, result, providerExecuted: true, metadata })
  }

  private cite(into: Parts, { title, uri }: { readonly title?: string | undefined; readonly uri?: string | undefined }) {
    if (uri === undefined || !URL.canParse(uri) || this.sources.has(uri)) return
    this.sources.add(uri)
    const id = `${this.seed}_source_${this.sources.size}`
    into.push({ type: "source", sourceType: "url", id, url: uri, title: title ?? uri })
  }

  /** What the model wrote instead of a call is in the message only: the tool it named gets it as its arguments. */
  private malformed(into: Parts) {
    const said = this.said ?? ""
    const name = this.asked.tools.find((name) => said.includes(name))
    if (this.calls > 0 || name === undefined) return
    this.called(into, { name, args: { malformed: said } }, {})
  }

  /** The parts that end an answer. */
  end(): Parts {
    const into: Parts = []
    this.close(into)
    this.finish(into)
    if (miscalled.test(String(this.reason))) this.malformed(into)
    const { usage } = this
    const output = usage.candidatesTokenCount === undefined && usage.thoughtsTokenCount === undefined
      ? undefined
      : (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0)
    const input = usage.promptTokenCount === undefined
      ? undefined
      : usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0)
    into.push({
      type: "finish",
      reason: this.finishReason(),
      usage: {
        inputTokens: input,
        outputTokens: output,
        totalTokens: input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0),
        reasoningTokens: usage.thoughtsTokenCount,
        cachedInputTokens: usage.cachedContentTokenCount
      }
    })
    return into
  }

  private finishReason(): Response.FinishReason {
    const reason = Predicate.isString(this.reason) ? this.reason : ""
    if (reason === "MAX_TOKENS") return "length"
    if (filtered.test(reason)) return "content-filter"
    if (this.calls > 0) return "tool-calls"
    return reason === "STOP" ? "stop" : "unknown"
  }
}
