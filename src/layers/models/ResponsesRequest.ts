/** Builds the requests of OpenAI's Responses API. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Predicate from "effect/Predicate"
import { asText, recordOf } from "../../domain/base/Json.js"
import { isOurs } from "../../domain/session/Transcript.js"
import type { Question } from "../../services/model/call/Wire.js"
import { strict } from "./OpenAiSchema.js"
import { conforming, urlOf } from "./Provider.js"
import { type ItemMetadata, keptBy, keptIn, type Origin } from "./ResponsesItems.js"

const isFileId = (data: unknown): data is string => typeof data === "string" && /^(file|assistant)-/.test(data)

const file = (part: Prompt.FilePart): object => {
  const isImage = part.mediaType.startsWith("image/")
  if (isFileId(part.data)) return { type: isImage ? "input_image" : "input_file", file_id: part.data }
  const url = urlOf(part)
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

type Item = Record<string, unknown>

const thoughtOf = (into: Array<Item>, itemId: string): Item => {
  const known = into.find(({ id, type }) => type === "reasoning" && id === itemId)
  if (known !== undefined) return known
  const item: Item = { type: "reasoning", id: itemId, summary: [] }
  into.push(item)
  return item
}

/**
 * Adds a reasoning part to its item; one item may have several parts, with a summary or the text itself. It is sent
 * back only if its content is known, because a server stores reasoning only for some time.
 */
const thought = (into: Array<Item>, { text }: Prompt.ReasoningPart, kept: ItemMetadata = {}): void => {
  const { content, encryptedContent, itemId } = kept
  const isText = content === true && text !== ""
  if (typeof itemId !== "string" || (encryptedContent == null && !isText)) return
  const item = thoughtOf(into, itemId)
  if (encryptedContent != null) item.encrypted_content = encryptedContent
  if (text !== "") {
    append(item, isText ? "content" : "summary", { type: isText ? "reasoning_text" : "summary_text", text })
  }
}

const append = (item: Item, key: string, value: object): void => {
  const before = item[key]
  item[key] = [...(Array.isArray(before) ? before : []), value]
}

/** Converts a call. A call that the provider ran is sent back unchanged. */
const callOf = (
  { id: call_id, name, params, providerExecuted }: Prompt.ToolCallPart,
  kept: ItemMetadata | undefined
): ReadonlyArray<Item> => {
  if (providerExecuted) return Predicate.isRecord(kept?.item) ? [kept.item] : []
  return [{ type: "function_call", call_id, name, arguments: JSON.stringify(params) }]
}

/** Moves text after a call before the first call, because the results must follow the calls. */
const textFirst = (content: Prompt.AssistantMessage["content"]): Prompt.AssistantMessage["content"] => {
  const call = content.findIndex(isOurs)
  if (call < 0) return content
  const rest = content.slice(call)
  const isText = ({ type }: Prompt.Part) => type === "text"
  return [...content.slice(0, call), ...rest.filter(isText), ...rest.filter((part) => !isText(part))]
}

/**
 * Converts an answer. Texts and calls are sent without their ids: with an id, the server would look for the reasoning
 * before it.
 */
const assistant = (message: Prompt.AssistantMessage, of: Origin): ReadonlyArray<Item> => {
  const items: Array<Item> = []
  for (const part of textFirst(message.content)) {
    const kept = keptBy(part, of)
    switch (part.type) {
      case "text":
        items.push({ role: "assistant", content: [{ type: "output_text", text: part.text }] })
        break
      case "reasoning":
        thought(items, part, kept)
        break
      case "tool-call":
        for (const item of callOf(part, kept)) items.push(item)
    }
  }
  // The server refuses reasoning without a following item.
  while (items[items.length - 1]?.type === "reasoning") items.pop()
  return items
}

const input = ({ content }: Prompt.Prompt, of: Origin): ReadonlyArray<object> =>
  content.flatMap((message): ReadonlyArray<object> => {
    switch (message.role) {
      case "system":
        return [{
          role: /^(o\d|gpt-5|codex-|computer-use)/.test(of.model) ? "developer" : "system",
          content: message.content
        }]
      case "user":
        return [user(message)]
      case "assistant":
        return assistant(message, of)
      case "tool":
        return message.content.map(({ id, result }) => ({
          type: "function_call_output",
          call_id: id,
          output: asText(result)
        }))
    }
  })

const choice = ({ toolChoice }: Question): unknown => {
  if (typeof toolChoice === "string") return toolChoice
  if ("tool" in toolChoice) return { type: "function", name: toolChoice.tool }
  const tools = toolChoice.oneOf.map((name) => ({ type: "function", name }))
  return { type: "allowed_tools", mode: toolChoice.mode ?? "auto", tools }
}

/** Converts a schema for strict mode if possible; otherwise it is sent unchanged. */
const schemaFor = (schema: object, isStrict: boolean): { readonly schema: object; readonly strict: boolean } => {
  const made = isStrict ? strict(schema) : undefined
  return { schema: made ?? schema, strict: made !== undefined }
}

const tool = ({ description, hosted, jsonSchema, name }: Question["tools"][number], isStrict: boolean): object => {
  if (hosted !== undefined) return { type: hosted.providerName, ...recordOf(hosted.args) }
  const { schema: parameters, strict } = schemaFor(jsonSchema, isStrict)
  return { type: "function", name, description, parameters, strict }
}

/** True for models that accept their earlier reasoning in the next request. */
const thinks = (model: string): boolean => /^(o\d|gpt-5(?!.*chat)|codex-)/.test(model)

const encrypted = "reasoning.encrypted_content"

/** Requests the encrypted reasoning, so that it can be sent back. */
const included = (model: string, given: unknown): { readonly include?: ReadonlyArray<unknown> } => {
  const include: ReadonlyArray<unknown> = Array.isArray(given) ? given : []
  const all = thinks(model) && !include.includes(encrypted) ? [...include, encrypted] : include
  return all.length === 0 ? {} : { include: all }
}

export const request = (asked: Question, options: {
  readonly of: Origin
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
    model: options.of.model,
    ...fields,
    ...included(options.of.model, fields.include),
    input: input(asked.prompt, options.of),
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
