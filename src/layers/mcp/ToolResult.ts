/** Converts the result of a server's tool to the output of an agent's tool. */
import type { CallToolResult } from "@modelcontextprotocol/client"
import * as Option from "effect/Option"
import type { ToolOutput } from "../../domain/authored/Tool.js"
import { isJson, type Json } from "../../domain/base/Json.js"

type Content = CallToolResult["content"][number]

const bytes = (base64: string): number => Math.floor(base64.length * 3 / 4)

/** A part as text. Parts other than text are only named, so that the model knows that they exist. */
const words = (part: Content): string => {
  switch (part.type) {
    case "text":
      return part.text
    case "image":
    case "audio":
      return `[${part.type} ${part.mimeType}, ${bytes(part.data)} bytes]`
    case "resource_link":
      return `[resource ${part.name}: ${part.uri}]`
    case "resource":
      return "text" in part.resource
        ? part.resource.text
        : `[resource ${part.resource.uri}, ${bytes(part.resource.blob)} bytes]`
  }
}

const structured = ({ structuredContent }: CallToolResult): Option.Option<Json> =>
  Option.filter(Option.some(structuredContent), (content): content is Json => content !== undefined && isJson(content))

/**
 * Returns the output for the model. Structured content is kept in `details`; it is also the text if the result has no
 * other text.
 */
export const outputOf = (result: CallToolResult): ToolOutput => {
  const text = result.content.map(words).join("\n")
  const value = structured(result)
  return {
    ok: result.isError !== true,
    outputMessage: text !== ""
      ? text
      : Option.match(value, { onNone: () => "done", onSome: (one) => JSON.stringify(one) }),
    ...Option.match(value, { onNone: () => ({}), onSome: (details) => ({ details }) })
  }
}
