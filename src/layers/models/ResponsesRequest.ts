/**
 * The requests of OpenAI's Responses API.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Encoding from "effect/Encoding"
import * as Predicate from "effect/Predicate"
import { recordOf } from "../../domain/Json.js"
import type { Question } from "../../services/model/Wire.js"
import { strict } from "./OpenAiSchema.js"
import { conforming } from "./Provider.js"

/** Under this key the parts of a transcript keep what the server wants back. */
const metadataKey = "openai"

type Kept = Readonly<Record<string, unknown>>

/**
 * Metadata that keeps what the server wants back.
 *
 * @category constructors
 */
export const keeping = (kept: Kept): Response.ProviderMetadata =>
  // The client of `@effect/ai-openai` declares other types for this key.
  ({ [metadataKey]: kept }) as Response.ProviderMetadata

const isFileId = (data: unknown): data is string => typeof data === "string" && /^(file|assistant)-/.test(data)

const address = (part: Prompt.FilePart, mediaType: string): string =>
  part.data instanceof URL
    ? part.data.toString()
    : typeof part.data !== "string"
    ? `data:${mediaType};base64,${Encoding.encodeBase64(part.data)}`
    : /^(https?|data):/.test(part.data)
    ? part.data
    : `data:${mediaType};base64,${part.data}`

/** Written by `keeping`, or by whoever made the message in its form. */
const keptIn = ({ options }: Prompt.Part): Kept | undefined => options[metadataKey] as Kept | undefined

const file = (part: Prompt.FilePart): object => {
  const isImage = part.mediaType.startsWith("image/")
  if (isFileId(part.data)) return { type: isImage ? "input_image" : "input_file", file_id: part.data }
  const url = address(part, part.mediaType === "image/*" ? "image/jpeg" : part.mediaType)
  if (isImage) {
    return {
      type: "input_image",
      image_url: url,
      detail: keptIn(part)?.imageDetail ?? "auto"
    }
  }
  return url.startsWith("data:")
    ? { type: "input_file", filename: part.fileName ?? "file", file_data: url }
    : { type: "input_file", file_url: url }
}

const user = ({ content }: Prompt.UserMessage): object => ({
  role: "user",
  content: content.map((part) => part.type === "text" ? { type: "input_text", text: part.text } : file(part))
})

/** What this model said of a part. What another model said is not for it: ids and thoughts of others are refused. */
const keptBy = (part: Prompt.AssistantMessagePart, model: string): Kept | undefined => {
  const kept = keptIn(part)
  return kept?.model === model ? kept : undefined
}

const written = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value ?? null)

type Item = Record<string, unknown>

const thoughtOf = (into: Array<Item>, itemId: string): Item => {
  const known = into.find(({ id, type }) => type === "reasoning" && id === itemId)
  if (known !== undefined) return known
  const item: Item = { type: "reasoning", id: itemId, summary: [] }
  into.push(item)
  return item
}

/** One thought may be several parts: of one item, with a summary or the text itself. */
const thought = (into: Array<Item>, part: Prompt.ReasoningPart, kept: Kept | undefined, stored: boolean): void => {
  if (kept === undefined || typeof kept.itemId !== "string") return
  // A server that stores nothing can only read reasoning by its encrypted content.
  if (!stored && kept.encryptedContent == null) return
  const item = thoughtOf(into, kept.itemId)
  if (kept.encryptedContent != null) item.encrypted_content = kept.encryptedContent
  if (part.text === "") return
  const key = kept.content === true ? "content" : "summary"
  const type = kept.content === true ? "reasoning_text" : "summary_text"
  item[key] = [...(item[key] as ReadonlyArray<object> | undefined ?? []), { type, text: part.text }]
}

const idOf = (kept: Kept | undefined): object => kept?.itemId === undefined ? {} : { id: kept.itemId }

/** A call; one that the provider ran goes back as it came. */
const callOf = (
  { id: call_id, name, params, providerExecuted }: Prompt.ToolCallPart,
  kept: Kept | undefined,
  id: object
): ReadonlyArray<Item> => {
  if (providerExecuted) return Predicate.isRecord(kept?.item) ? [kept.item] : []
  return [{ type: "function_call", call_id, name: conforming(name), arguments: written(params ?? {}), ...id }]
}

const assistant = (message: Prompt.AssistantMessage, model: string, stored: boolean): ReadonlyArray<Item> => {
  const items: Array<Item> = []
  for (const part of message.content) {
    const kept = keptBy(part, model)
    const id = stored ? idOf(kept) : {}
    switch (part.type) {
      case "text":
        items.push({ role: "assistant", content: [{ type: "output_text", text: part.text }], ...id })
        break
      case "reasoning":
        thought(items, part, kept, stored)
        break
      case "tool-call":
        for (const item of callOf(part, kept, id)) items.push(item)
    }
  }
  // The server refuses reasoning that is not followed by what it led to.
  while (items[items.length - 1]?.type === "reasoning") items.pop()
  return items
}

const input = ({ content }: Prompt.Prompt, model: string, stored: boolean): ReadonlyArray<object> =>
  content.flatMap((message): ReadonlyArray<object> => {
    switch (message.role) {
      case "system":
        return [{
          role: /^(o\d|gpt-5|codex-|computer-use)/.test(model) ? "developer" : "system",
          content: message.content
        }]
      case "user":
        return [user(message)]
      case "assistant":
        return assistant(message, model, stored)
      case "tool":
        return message.content.map(({ id, result }) => ({
          type: "function_call_output",
          call_id: id,
          output: written(result)
        }))
    }
  })

const choice = ({ toolChoice }: Question): unknown => {
  if (typeof toolChoice === "string") return toolChoice
  if ("tool" in toolChoice) return { type: "function", name: toolChoice.tool }
  const tools = toolChoice.oneOf.map((name) => ({ type: "function", name }))
  return { type: "allowed_tools", mode: toolChoice.mode ?? "auto", tools }
}

/** The tools as the server reads them, once per schema: they are the same in every call. */
const known = new WeakMap<object, Item>()

/** A schema that the strict mode cannot express is sent as it is. */
const schemaFor = (schema: object, isStrict: boolean): { readonly schema: object; readonly strict: boolean } => {
  const made = isStrict ? strict(schema) : undefined
  return { schema: made ?? schema, strict: made !== undefined }
}

const tool = ({ description, hosted, jsonSchema, name }: Question["tools"][number], isStrict: boolean): object => {
  if (hosted !== undefined) return { type: hosted.providerName, ...recordOf(hosted.args) }
  const { schema: parameters, strict } = schemaFor(jsonSchema, isStrict)
  const found = known.get(jsonSchema)
  if (found !== undefined && found.name === name && found.description === description && found.strict === strict) {
    return found
  }
  const made = { type: "function", name, description, parameters, strict }
  known.set(jsonSchema, made)
  return made
}

/**
 * @category constructors
 */
export const request = (asked: Question, options: {
  readonly model: string
  readonly config: Readonly<Record<string, unknown>>
  readonly stream: boolean
}): object => {
  const { strict: given, text, ...fields } = options.config
  const isStrict = given === true
  const { json } = asked
  const format = json === undefined
    ? undefined
    : { type: "json_schema", name: conforming(json.name), ...schemaFor(json.schema, isStrict) }
  return {
    model: options.model,
    ...fields,
    input: input(asked.prompt, options.model, fields.store !== false),
    ...(asked.tools.length > 0 && {
      tools: asked.tools.map((each) => tool(each, isStrict)),
      tool_choice: choice(asked)
    }),
    ...((format !== undefined || text !== undefined) && {
      text: { ...recordOf(text), ...(format !== undefined && { format }) }
    }),
    ...(options.stream && { stream: true })
  }
}
