/**
 * The requests of `/chat/completions`.
 *
 * @since 0.1.0
 */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import * as Tool from "@effect/ai/Tool"
import * as Encoding from "effect/Encoding"

/**
 * How a server is made to answer with JSON: by the schema itself, by any JSON with the schema in the prompt, or by the
 * prompt alone.
 *
 * @since 0.1.0
 * @category models
 */
export type StructuredOutput = "json_schema" | "json_object" | "prompt"

/**
 * Under this key the parts of a transcript keep what the server wants back.
 *
 * @since 0.1.0
 * @category models
 */
export const metadataKey = "openaiCompatible"

const dataUrl = (part: Prompt.FilePart): string => {
  if (part.data instanceof URL) return part.data.toString()
  if (typeof part.data === "string" && /^(https?|data):/.test(part.data)) return part.data
  const mediaType = part.mediaType === "image/*" ? "image/jpeg" : part.mediaType
  return `data:${mediaType};base64,${typeof part.data === "string" ? part.data : Encoding.encodeBase64(part.data)}`
}

const user = (message: Prompt.UserMessage): object => {
  if (message.content.every((part) => part.type === "text")) {
    return { role: "user", content: message.content.map((part) => part.type === "text" ? part.text : "").join("\n") }
  }
  const content = message.content.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : part.mediaType.startsWith("image/")
      ? { type: "image_url", image_url: { url: dataUrl(part) } }
      : { type: "file", file: { filename: part.fileName ?? "file", file_data: dataUrl(part) } }
  )
  return { role: "user", content }
}

const assistant = (message: Prompt.AssistantMessage): ReadonlyArray<object> => {
  let content = ""
  const calls: Array<object> = []
  for (const part of message.content) {
    if (part.type === "text") content += part.text
    if (part.type !== "tool-call" || part.providerExecuted) continue
    const extra = part.options[metadataKey]?.extraContent
    calls.push({
      id: part.id,
      type: "function",
      function: {
        name: part.name,
        arguments: typeof part.params === "string" ? part.params : JSON.stringify(part.params)
      },
      ...(extra !== undefined && { extra_content: extra })
    })
  }
  if (calls.length > 0) return [{ role: "assistant", content, tool_calls: calls }]
  return content === "" ? [] : [{ role: "assistant", content }]
}

/** Many chat templates take one system message, at the front. */
const messages = (prompt: Prompt.Prompt, instruction: string | undefined): ReadonlyArray<object> => {
  const system: Array<string> = []
  const rest: Array<object> = []
  for (const message of prompt.content) {
    switch (message.role) {
      case "system":
        system.push(message.content)
        break
      case "user":
        rest.push(user(message))
        break
      case "assistant":
        for (const said of assistant(message)) rest.push(said)
        break
      case "tool":
        for (const { id, result } of message.content) {
          const content = typeof result === "string" ? result : JSON.stringify(result)
          rest.push({ role: "tool", tool_call_id: id, content })
        }
    }
  }
  if (instruction !== undefined) system.push(instruction)
  return system.length === 0 ? rest : [{ role: "system", content: system.join("\n\n") }, ...rest]
}

const choice = ({ toolChoice }: LanguageModel.ProviderOptions): unknown => {
  // Servers without a tool parser refuse an explicit "auto"; it is the default anyway.
  if (typeof toolChoice === "string") return toolChoice === "auto" ? undefined : toolChoice
  if ("tool" in toolChoice) return { type: "function", function: { name: toolChoice.tool } }
  return toolChoice.mode === "required" ? "required" : undefined
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const request = (asked: LanguageModel.ProviderOptions, options: {
  readonly model: string
  readonly structuredOutput: StructuredOutput
  readonly body: Record<string, unknown> | undefined
  readonly stream: boolean
}): object => {
  const { responseFormat: format } = asked
  const schema = format.type === "json" ? Tool.getJsonSchemaFromSchemaAst(format.schema.ast) : undefined
  const instruction = schema === undefined || options.structuredOutput === "json_schema"
    ? undefined
    : `Answer with one JSON object and nothing else. It must match this JSON schema:\n${JSON.stringify(schema)}`
  const tools = asked.tools.map((tool) => ({
    type: "function",
    function: {
      name: tool.name,
      description: Tool.getDescription(tool as Parameters<typeof Tool.getDescription>[0]),
      parameters: Tool.getJsonSchemaFromSchemaAst(tool.parametersSchema.ast)
    }
  }))
  return {
    model: options.model,
    messages: messages(asked.prompt, instruction),
    ...(tools.length > 0 && { tools, tool_choice: choice(asked) }),
    ...(format.type === "json" && options.structuredOutput === "json_schema" && {
      response_format: {
        type: "json_schema",
        json_schema: { name: format.objectName.replace(/[^\w-]/g, "_").slice(0, 64), schema }
      }
    }),
    ...(format.type === "json" && options.structuredOutput === "json_object" && {
      response_format: { type: "json_object" }
    }),
    ...(options.stream && { stream: true, stream_options: { include_usage: true } }),
    ...options.body
  }
}
