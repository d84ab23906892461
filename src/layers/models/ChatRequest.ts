/** Builds the requests of `/chat/completions`. */
import * as Prompt from "@effect/ai/Prompt"
import { asText } from "../../domain/base/Json.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type { Question } from "../../services/model/call/Wire.js"
import type { LaterSystem, Message, Rules, StructuredOutput } from "./ChatProfile.js"
import { conforming, urlOf } from "./Provider.js"
import { placed } from "./SystemNotes.js"

/** The key in a part's options for data that is sent back to the server. */
export const metadataKey = "openaiCompatible"

const user = (message: Prompt.UserMessage, { file }: Rules): Message => {
  const content = message.content.map((part) =>
    part.type === "text" ? { type: "text", text: part.text } : file(part, urlOf(part))
  )
  const texts = content.map((part) => "text" in part ? String(part.text) : undefined)
  const isText = texts.every((text) => text !== undefined)
  return { role: "user", content: isText ? texts.join("\n") : content }
}

/** If this model has written the reasoning, returns it in the server's own fields. */
const thoughts = (message: Prompt.AssistantMessage, model: string): object => {
  const thought: Record<string, unknown> = {}
  for (const part of message.content) {
    const kept = part.type === "reasoning" ? part.options[metadataKey] : undefined
    if (kept?.model !== model) continue
    const { details, field } = kept
    if (details !== undefined) thought.reasoning_details = details
    if (typeof field === "string" && part.type === "reasoning") {
      thought[field] = `${(thought[field] as string | undefined) ?? ""}${part.text}`
    }
  }
  // OpenRouter gets only `reasoning_details`, which contain the whole reasoning.
  return thought.reasoning_details === undefined ? thought : { reasoning_details: thought.reasoning_details }
}

/** Converts a call. Its extra content is sent only to the model that made the call. */
const called = (part: Prompt.ToolCallPart, model: string): object => {
  const { extraContent: extra, model: of = model } = part.options[metadataKey] ?? {}
  return {
    id: part.id,
    type: "function",
    function: { name: part.name, arguments: JSON.stringify(part.params) },
    ...(extra !== undefined && of === model && { extra_content: extra })
  }
}

/** Converts an answer. Its reasoning is sent back together with its calls, until the next user message. */
const assistant = (message: Prompt.AssistantMessage, { model, thinks }: Setting): ReadonlyArray<Message> => {
  let content = ""
  const calls: Array<object> = []
  for (const part of message.content) {
    if (part.type === "text") content += part.text
    else if (part.type === "tool-call" && !part.providerExecuted) calls.push(called(part, model))
  }
  if (calls.length > 0) {
    const thought = thinks ? thoughts(message, model) : undefined
    return [{ role: "assistant", content, ...thought, tool_calls: calls }]
  }
  return content === "" ? [] : [{ role: "assistant", content }]
}

/** The model and the rules of the server for which a transcript is converted. */
interface Setting {
  readonly model: string
  readonly rules: Rules
  readonly laterSystem: LaterSystem
  /** True if the model's reasoning is included. */
  readonly thinks: boolean
}

/**
 * Adds the instruction for JSON to the first system message, because this message stays the same within a conversation.
 */
const instructed = (prompt: Prompt.Prompt, instruction: string | undefined): Prompt.Prompt => {
  const [first, ...rest] = prompt.content
  if (instruction === undefined) return prompt
  return Prompt.fromMessages(
    first?.role === "system"
      ? [{ ...first, content: `${first.content}\n\n${instruction}` }, ...rest]
      : [Transcript.system(instruction), ...prompt.content]
  )
}

const messages = (
  prompt: Prompt.Prompt,
  setting: Omit<Setting, "thinks">,
  instruction: string | undefined
): ReadonlyArray<Message> => {
  const { content } = instructed(setting.laterSystem === "note" ? placed(prompt) : prompt, instruction)
  const spoken = content.findLastIndex(({ role }) => role === "user")
  const all = content.flatMap((message, index) => turnOf(message, { ...setting, thinks: index > spoken }))
  return setting.rules.ordered(all)
}

const turnOf = (message: Prompt.Message, setting: Setting): ReadonlyArray<Message> => {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }]
    case "user":
      return [user(message, setting.rules)]
    case "assistant":
      return assistant(message, setting)
    case "tool":
      return message.content.map(({ id, result }) => ({
        role: "tool",
        tool_call_id: id,
        content: asText(result)
      }))
  }
}

const choice = ({ toolChoice }: Question): unknown => {
  // "auto" is left out: it is the default, and servers without a tool parser refuse it.
  if (typeof toolChoice === "string") return toolChoice === "auto" ? undefined : toolChoice
  if ("tool" in toolChoice) return { type: "function", function: { name: toolChoice.tool } }
  return toolChoice.mode === "required" ? "required" : undefined
}

const tool = ({ description, hosted, jsonSchema, name }: Question["tools"][number]): object =>
  // Each server has its own names for the tools that it runs.
  hosted === undefined
    ? { type: "function", function: { name, description, parameters: jsonSchema } }
    : { type: hosted.providerName, ...(hosted.args as object) }

/** Returns the fields and instructions that request JSON. */
const structured = (
  { name, schema }: NonNullable<Question["json"]>,
  how: StructuredOutput
): { readonly instruction?: string; readonly format?: object } => {
  if (how === "json_schema") {
    const json_schema = { name: conforming(name), schema }
    return { format: { type: "json_schema", json_schema } }
  }
  return {
    instruction: `Answer with one JSON object and nothing else. It must match this JSON schema:\n${
      JSON.stringify(schema)
    }`,
    ...(how === "json_object" && { format: { type: "json_object" } })
  }
}

export const request = (asked: Question, options: {
  readonly model: string
  readonly rules: Rules
  readonly structuredOutput: StructuredOutput | undefined
  readonly laterSystem: LaterSystem | undefined
  readonly body: Record<string, unknown> | undefined
  readonly stream: boolean
}): object => {
  const { json } = asked
  const { rules, laterSystem = rules.laterSystem, structuredOutput = rules.structuredOutput } = options
  const { instruction, format } = json === undefined ? {} : structured(json, structuredOutput)
  return {
    model: options.model,
    messages: messages(asked.prompt, { model: options.model, rules, laterSystem }, instruction),
    ...(asked.tools.length > 0 && { tools: asked.tools.map(tool), tool_choice: choice(asked) }),
    ...(format !== undefined && { response_format: format }),
    ...(options.stream && { stream: true, ...(rules.streamOptions && { stream_options: { include_usage: true } }) }),
    ...options.body
  }
}
