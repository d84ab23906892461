/** Builds the requests of Google's Gemini API. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Predicate from "effect/Predicate"
import type { Question } from "../../services/model/call/Wire.js"
import type { OfferedTool } from "../../services/model/Model.js"
import { metadataKey } from "./GoogleResponse.js"
import type { SchemaDialect } from "./GoogleSchema.js"
import { translated } from "./GoogleSchema.js"
import { argumentsOf } from "./JsonSchemas.js"
import type { Fields } from "./Loose.js"
import { base64Of, mediaTypeOf } from "./Provider.js"
import type { Forms } from "./ValidPrompt.js"

/** Fields of the request. Other fields are sent unchanged. */
export interface Config {
  readonly generationConfig?: {
    readonly temperature?: number
    readonly topP?: number
    readonly topK?: number
    readonly maxOutputTokens?: number
    readonly stopSequences?: ReadonlyArray<string>
    readonly seed?: number
    readonly thinkingConfig?: {
      readonly includeThoughts?: boolean
      readonly thinkingBudget?: number
      readonly thinkingLevel?: "minimal" | "low" | "medium" | "high" | (string & {})
    }
    readonly [field: string]: unknown
  }
  readonly safetySettings?: ReadonlyArray<{ readonly category: string; readonly threshold: string }>
  readonly cachedContent?: string
  readonly toolConfig?: { readonly functionCallingConfig?: object; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

const kept = (part: { readonly options: Prompt.ProviderOptions }): Fields => part.options[metadataKey] ?? {}

const file = (part: Prompt.FilePart): Fields => {
  const { data } = part
  const mimeType = mediaTypeOf(part)
  if (data instanceof URL || (typeof data === "string" && /^(https?|gs):/.test(data))) {
    return { fileData: { mimeType, fileUri: data.toString() } }
  }
  return { inlineData: { mimeType, data: base64Of(data) } }
}

/** The forms that Gemini wants. Its names begin with a letter or `_`. */
export const forms: Forms = {
  callId: (id) => id || "call",
  toolName: (name) => name.replace(/[^\w.:-]/g, "_").replace(/^(?![a-zA-Z_])/, "_").slice(0, 64)
}

/** The signature for calls of another model: with this value Gemini 3 skips the check of the signature. */
const noSignature = "skip_thought_signature_validator"

interface Content {
  readonly role: "user" | "model"
  readonly parts: Array<Fields>
  readonly results?: true
}

/** Converts an answer of this or another model. */
class AnswerContent {
  readonly parts: Array<Fields> = []
  private signed = false

  constructor(
    private readonly model: string,
    /** The ids that Gemini itself has given. Only these calls and their results have an id in the request. */
    private readonly ids: Set<string>
  ) {}

  /** Returns the signature of a part. It is valid only for the model that made it. */
  private signature(part: { readonly options: Prompt.ProviderOptions }): Fields {
    const { model, thoughtSignature } = kept(part)
    return typeof thoughtSignature === "string" && model === this.model ? { thoughtSignature } : {}
  }

  add(part: Prompt.AssistantMessagePart): void {
    switch (part.type) {
      case "text":
        this.parts.push({ text: part.text, ...this.signature(part) })
        break
      case "reasoning": {
        // Reasoning is not sent back; only its signature is.
        const signature = this.signature(part)
        if (signature.thoughtSignature !== undefined) this.parts.push({ text: "", ...signature })
        break
      }
      case "file":
        this.parts.push({ ...file(part), ...this.signature(part) })
        break
      case "tool-call":
        this.call(part)
        break
      case "tool-result":
        this.own(part)
    }
  }

  private call(part: Prompt.ToolCallPart) {
    if (part.providerExecuted) return this.own(part)
    const signature = this.signature(part)
    const own = kept(part).ownId === true
    if (own) this.ids.add(part.id)
    // If an answer has several calls, only the first is signed.
    const missing = !this.signed && signature.thoughtSignature === undefined && wantsSignatures(this.model)
    this.signed = true
    this.parts.push({
      functionCall: { ...(own && { id: part.id }), name: part.name, args: part.params },
      ...(missing ? { thoughtSignature: noSignature } : signature)
    })
  }

  /** Adds a tool call or result of Gemini's own tools unchanged. */
  private own(part: { readonly options: Prompt.ProviderOptions }) {
    const { model, part: raw } = kept(part)
    if (Predicate.isRecord(raw) && model === this.model) this.parts.push(raw)
  }
}

/** True for Gemini 3, which refuses calls without a signature; earlier models accept them. */
const wantsSignatures = (model: string): boolean => !/gemini-(1|2)(?!\d)/.test(model) && /gemini/.test(model)

const contents = (prompt: Prompt.Prompt, model: string): ReadonlyArray<Content> => {
  const all: Array<Content> = []
  const ids = new Set<string>()
  const result = ({ id, isFailure, name, result }: Prompt.ToolResultPart): Fields => ({
    functionResponse: {
      ...(ids.has(id) && { id }),
      name,
      // Gemini accepts only objects as results.
      response: Predicate.isRecord(result) ? result : { [isFailure ? "error" : "result"]: result }
    }
  })
  const add = (content: Content) => {
    const last = all.at(-1)
    if (content.parts.length === 0) return
    // The results of all calls of an answer form one message, without other parts.
    if (last?.role !== content.role || last.results !== content.results) all.push(content)
    else for (const part of content.parts) last.parts.push(part)
  }
  for (const message of prompt.content) {
    if (message.role === "user") {
      const parts = message.content.map((part) => part.type === "text" ? { text: part.text } : file(part))
      add({ role: "user", parts })
    }
    if (message.role === "assistant") {
      const said = new AnswerContent(model, ids)
      for (const part of message.content) said.add(part)
      add({ role: "model", parts: said.parts })
    }
    if (message.role === "tool") add({ role: "user", parts: message.content.map(result), results: true })
  }
  if (all[0]?.role !== "user") all.unshift({ role: "user", parts: [{ text: "(the user joins)" }] })
  return all
}

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const parametersOf = (jsonSchema: object, dialect: SchemaDialect): Fields => {
  const schema = argumentsOf(jsonSchema)
  if (dialect === "json_schema") return { parametersJsonSchema: translated(schema, dialect) }
  // OpenAPI refuses an object without properties, so a tool without arguments has no schema.
  return Object.keys(schema.properties as object).length === 0 ? {} : { parameters: translated(schema, dialect) }
}

const choice = ({ toolChoice }: Question): Fields => {
  if (typeof toolChoice === "string") {
    return { mode: toolChoice === "none" ? "NONE" : toolChoice === "required" ? "ANY" : "AUTO" }
  }
  if ("tool" in toolChoice) return { mode: "ANY", allowedFunctionNames: [toolChoice.tool] }
  return toolChoice.mode === "required"
    ? { mode: "ANY", allowedFunctionNames: [...toolChoice.oneOf] }
    : { mode: "AUTO" }
}

/** Returns Google's own name of a tool: `googleSearch` for `google.google_search`. */
const own = ({ hosted }: OfferedTool): ReadonlyArray<Fields> => {
  if (hosted === undefined) return []
  const [vendor, name = ""] = hosted.id.split(/\.(.*)/)
  if (vendor === "google") return [{ [camelCase(name)]: hosted.args ?? {} }]
  throw new Error(`the tool "${hosted.id}" is run by ${vendor}: offer it to models of ${vendor} only`)
}

const offering = (question: Question, dialect: SchemaDialect, config: Config): Fields => {
  const { tools } = question
  if (tools.length === 0) return {}
  const functions = tools.flatMap(({ description, hosted, jsonSchema, name }) =>
    hosted === undefined ? [{ name, description, ...parametersOf(jsonSchema, dialect) }] : []
  )
  const functionCallingConfig = { ...config.toolConfig?.functionCallingConfig, ...choice(question) }
  const toolConfig = { ...config.toolConfig, ...(functions.length > 0 && { functionCallingConfig }) }
  return {
    tools: [...(functions.length === 0 ? [] : [{ functionDeclarations: functions }]), ...tools.flatMap(own)],
    ...(Object.keys(toolConfig).length > 0 && { toolConfig })
  }
}

export const request = (question: Question, options: {
  readonly model: string
  readonly config: Config
  readonly dialect: SchemaDialect
}): Fields => {
  const { dialect, model } = options
  const { toolConfig: _, ...config } = options.config
  const system = question.prompt.content.flatMap((message) =>
    message.role === "system" ? [{ text: message.content }] : []
  )
  const generationConfig = {
    ...config.generationConfig,
    ...(question.json !== undefined && {
      responseMimeType: "application/json",
      [dialect === "json_schema" ? "responseJsonSchema" : "responseSchema"]: translated(question.json.schema, dialect)
    })
  }
  return {
    ...config,
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    contents: contents(question.prompt, model).map(({ parts, role }) => ({ role, parts })),
    ...offering(question, dialect, options.config),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig })
  }
}
