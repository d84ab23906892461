/** Builds the requests of Anthropic's Messages API. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Predicate from "effect/Predicate"
import { asText, recordOf } from "../../domain/base/Json.js"
import { named } from "../../domain/session/part/Part.js"
import type { Question } from "../../services/model/call/Wire.js"
import type { OfferedTool } from "../../services/model/Model.js"
import { metadataKey } from "./AnthropicResponse.js"
import { grammar } from "./AnthropicSchema.js"
import { argumentsOf } from "./JsonSchemas.js"
import type { Fields } from "./Loose.js"
import { base64Of, conforming, mediaTypeOf } from "./Provider.js"
import { withoutTags } from "./SystemNotes.js"
import type { Forms } from "./ValidPrompt.js"
import * as ValidPrompt from "./ValidPrompt.js"

/** The way in which JSON answers are requested: by Anthropic's structured outputs, or by a forced tool call. */
export type StructuredOutput = "json_schema" | "tool"

/** Fields of the request. Other fields are sent unchanged. */
export interface Config {
  /** Default 4096, plus the token budget of `thinking`. */
  readonly max_tokens?: number
  readonly temperature?: number
  readonly top_k?: number
  readonly top_p?: number
  readonly stop_sequences?: ReadonlyArray<string>
  readonly service_tier?: "auto" | "standard_only"
  readonly metadata?: { readonly user_id?: string | null }
  /**
   * Anthropic refuses thinking together with a forced tool, so a request that forces a tool is sent without thinking.
   * The option `structuredOutput` decides whether JSON answers, such as that of the understanding call, are requested
   * by a forced tool.
   */
  readonly thinking?:
    | { readonly type: "enabled"; readonly budget_tokens: number }
    | { readonly type: "adaptive"; readonly display?: "summarized" | "omitted" }
    | { readonly type: "disabled" }
  readonly output_config?: {
    readonly effort?: "low" | "medium" | "high" | "xhigh" | "max" | (string & {})
    readonly [field: string]: unknown
  }
  /** True if the model makes only one tool call at a time. */
  readonly disableParallelToolCalls?: boolean
  readonly [field: string]: unknown
}

const kept = (part: { readonly options: Prompt.ProviderOptions }): Fields => part.options[metadataKey] ?? {}

const caching = (part: { readonly options: Prompt.ProviderOptions }): Fields => {
  const { cacheControl } = kept(part)
  return cacheControl === undefined ? {} : { cache_control: cacheControl }
}

const source = (part: Prompt.FilePart): Fields => {
  const { data } = part
  if (data instanceof URL) return { type: "url", url: data.toString() }
  if (typeof data === "string" && /^https?:/.test(data)) return { type: "url", url: data }
  const media_type = mediaTypeOf(part)
  const base64 = base64Of(data)
  if (media_type !== "text/plain") return { type: "base64", media_type, data: base64 }
  const text = Either.getOrElse(Encoding.decodeBase64String(base64), () => base64)
  return { type: "text", media_type, data: withoutTags(text) }
}

const said = (part: Prompt.TextPart | Prompt.FilePart): ReadonlyArray<Fields> => {
  if (part.type === "file") {
    const type = part.mediaType.startsWith("image/") ? "image" : "document"
    const title = type === "document" && part.fileName !== undefined ? { title: part.fileName } : {}
    return [{ type, source: source(part), ...title, ...caching(part) }]
  }
  return [{ type: "text", text: part.text, ...caching(part) }]
}

/** The ids of calls have the characters of names. */
export const forms: Forms = {
  ...ValidPrompt.forms(64),
  callId: (id) => id.replace(/[^\w-]/g, "_").slice(0, 128) || "_"
}

const thought = (part: Prompt.ReasoningPart, model: string): ReadonlyArray<Fields> => {
  const { model: of = model, redactedData, signature } = kept(part)
  // Reasoning is signed for the model that wrote it, and other models refuse it.
  if (of !== model) return []
  if (typeof redactedData === "string") return [{ type: "redacted_thinking", data: redactedData }]
  return typeof signature === "string" ? [{ type: "thinking", thinking: part.text, signature }] : []
}

/** Returns the original block of a tool that Anthropic ran; only for the same model. */
const own = (part: Prompt.ToolCallPart | Prompt.ToolResultPart, model: string): ReadonlyArray<Fields> => {
  const { block, model: of } = kept(part)
  return Predicate.isRecord(block) && of === model ? [block] : []
}

const answered = (part: Prompt.AssistantMessagePart, model: string): ReadonlyArray<Fields> => {
  switch (part.type) {
    case "text":
      return said(part)
    // Only the user's messages may have files.
    case "file":
      return [{ type: "text", text: named([{ mediaType: part.mediaType, name: part.fileName }]) }]
    case "reasoning":
      return thought(part, model)
    case "tool-call": {
      const { id, name, params, providerExecuted } = part
      if (providerExecuted) return own(part, model)
      return [{ type: "tool_use", id, name, input: params, ...caching(part) }]
    }
    case "tool-result":
      return own(part, model)
  }
}

/** Converts an answer. Anthropic refuses reasoning at its end. */
const answer = ({ content }: Prompt.AssistantMessage, model: string): ReadonlyArray<Fields> => {
  const end = content.findLastIndex(({ type }) => type !== "reasoning") + 1
  return content.slice(0, end).flatMap((part) => answered(part, model))
}

const result = (part: Prompt.ToolResultPart): Fields => ({
  type: "tool_result",
  tool_use_id: part.id,
  content: asText(part.result),
  ...(part.isFailure && { is_error: true }),
  ...caching(part)
})

interface Message {
  readonly role: "user" | "assistant"
  readonly content: Array<Fields>
}

/** Merges messages so that roles alternate, beginning with the user. */
const messages = (prompt: Prompt.Prompt, model: string): ReadonlyArray<Message> => {
  const all: Array<Message> = []
  const add = (role: Message["role"], content: ReadonlyArray<Fields>) => {
    const last = all.at(-1)
    if (content.length === 0) return
    if (last?.role === role) { for (const block of content) last.content.push(block) }
    else all.push({ role, content: [...content] })
  }
  for (const message of prompt.content) {
    if (message.role === "user") add("user", message.content.flatMap(said))
    if (message.role === "assistant") add("assistant", answer(message, model))
    if (message.role === "tool") add("user", message.content.map(result))
  }
  if (all[0]?.role !== "user") all.unshift({ role: "user", content: [{ type: "text", text: "(the user joins)" }] })
  // Newer models refuse to continue an answer.
  if (all.at(-1)?.role !== "user") all.push({ role: "user", content: [{ type: "text", text: "(go on)" }] })
  return all
}

/** Headers that some of Anthropic's own tools require. */
const betas: Record<string, string> = {
  code_execution_20250522: "code-execution-2025-05-22",
  code_execution_20250825: "code-execution-2025-08-25",
  web_fetch_20250910: "web-fetch-2025-09-10",
  computer_20250124: "computer-use-2025-01-24",
  mcp: "mcp-client-2025-11-20"
}

/** Returns the version in a tool's id: `web_search_20250305` for `anthropic.web_search_20250305`. */
const versionOf = ({ id }: { readonly id: string }): string => {
  const [vendor, version = ""] = id.split(/\.(.*)/)
  if (vendor === "anthropic") return version
  throw new Error(`the tool "${id}" is run by ${vendor}: offer it to models of ${vendor} only`)
}

const tool = ({ description, hosted, jsonSchema, name }: OfferedTool): Fields => {
  if (hosted === undefined) return { name, description, input_schema: argumentsOf(jsonSchema) }
  const type = versionOf(hosted)
  return type === "mcp"
    ? { type: "mcp_toolset", mcp_server_name: hosted.providerName }
    : { ...recordOf(hosted.args), type, name: hosted.providerName }
}

/** The MCP servers whose tools Anthropic calls itself. */
const servers = (tools: ReadonlyArray<OfferedTool>): Fields => {
  const all = tools.flatMap(({ hosted }) =>
    hosted !== undefined && versionOf(hosted) === "mcp"
      ? [{ ...recordOf(hosted.args), type: "url", name: hosted.providerName }]
      : []
  )
  return all.length === 0 ? {} : { mcp_servers: all }
}

const choice = ({ toolChoice }: Question): Fields => {
  if (typeof toolChoice === "string") return { type: toolChoice === "required" ? "any" : toolChoice }
  if ("tool" in toolChoice) return { type: "tool", name: toolChoice.tool }
  return { type: toolChoice.mode === "required" ? "any" : "auto" }
}

/** For a question without tools, declares the tools that the transcript calls, because Anthropic requires this. */
const declared = (all: ReadonlyArray<Message>): Fields => {
  const names = new Set(
    all.flatMap(({ content }) => content.flatMap((block) => block.type === "tool_use" ? [block.name] : []))
  )
  if (names.size === 0) return {}
  const tools = [...names].map((name) => ({ name, input_schema: { type: "object", properties: {} } }))
  return { tools, tool_choice: { type: "none" } }
}

/** Models that have structured outputs. */
const structured = /claude-(opus-4-[1-9](?!\d)|(sonnet|haiku)-4-[5-9](?!\d)|[a-z]+-([5-9]|\d\d)(?!\d))/

const thinks = ({ thinking }: Config): boolean => thinking !== undefined && thinking.type !== "disabled"

/** Chooses how to request JSON: a forced tool takes every schema, structured outputs also work with thinking. */
export const jsonBy = ({ json }: Question, options: {
  readonly model: string
  readonly config: Config
  readonly structuredOutput: StructuredOutput | undefined
}): { readonly by: StructuredOutput; readonly schema: object } | undefined => {
  if (json === undefined) return undefined
  const native = thinks(options.config) && structured.test(options.model)
  const wanted = options.structuredOutput ?? (native ? "json_schema" : "tool")
  const schema = wanted === "json_schema" ? grammar(json.schema) : undefined
  return schema === undefined ? { by: "tool", schema: argumentsOf(json.schema) } : { by: "json_schema", schema }
}

const offering = (question: Question, all: ReadonlyArray<Message>, config: Config): Fields => {
  const { toolChoice, tools } = question
  if (tools.length === 0) return declared(all)
  const serial = config.disableParallelToolCalls === true && toolChoice !== "none"
  return {
    ...servers(tools),
    tools: tools.map(tool),
    tool_choice: { ...choice(question), ...(serial && { disable_parallel_tool_use: true }) }
  }
}

const answering = (objectName: string, input_schema: object): Fields => {
  const name = conforming(objectName)
  return {
    tools: [{ name, description: "Answer by calling this tool.", input_schema }],
    tool_choice: { type: "tool", name, disable_parallel_tool_use: true }
  }
}

/**
 * True if the request must be sent without thinking: Anthropic refuses thinking in a request with results of calls that
 * another model made, or that were made without thinking.
 */
const thoughtless = (all: ReadonlyArray<Message>): boolean => {
  const [said, results] = all.slice(-2)
  return said?.role === "assistant" && results?.content[0]?.type === "tool_result" &&
    !/thinking$/.test(String(said.content[0]?.type))
}

/** Returns the `thinking` option, or undefined if this request does not allow it. */
const thinkingFor = ({ thinking }: Config, all: ReadonlyArray<Message>, forced: boolean): Config["thinking"] =>
  forced && thinking?.type !== "disabled" || thinking?.type === "enabled" && thoughtless(all) ? undefined : thinking

export const request = (question: Question, options: {
  readonly model: string
  readonly config: Config
  readonly structuredOutput: StructuredOutput | undefined
  readonly stream: boolean
}): { readonly body: Fields; readonly betas: ReadonlyArray<string> } => {
  const { disableParallelToolCalls: _, ...config } = options.config
  const { model } = options
  const all = messages(question.prompt, model)
  const system = question.prompt.content.flatMap((message) =>
    message.role === "system"
      ? [{ type: "text", text: message.content, ...caching(message) }]
      : []
  )
  const json = jsonBy(question, options)
  const offered = json?.by === "tool"
    ? answering(question.json!.name, json.schema)
    : offering(question, all, options.config)
  const forced = /^(any|tool)$/.test(String(recordOf(offered.tool_choice).type))
  const thinking = thinkingFor(config, all, forced)
  const body: Fields = {
    max_tokens: 4096 + (thinking?.type === "enabled" ? thinking.budget_tokens : 0),
    ...config,
    model,
    thinking,
    ...(system.length > 0 && { system }),
    messages: all,
    ...offered,
    ...(json?.by === "json_schema" && {
      output_config: { ...config.output_config, format: { type: "json_schema", schema: json.schema } }
    }),
    ...(options.stream && { stream: true })
  }
  const asksFor = ({ hosted }: OfferedTool) => hosted === undefined ? undefined : betas[versionOf(hosted)]
  return { body, betas: question.tools.map(asksFor).filter((beta) => beta !== undefined) }
}
