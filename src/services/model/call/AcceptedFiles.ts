/** Adapts a prompt for models that do not accept all its files. */
import * as Prompt from "@effect/ai/Prompt"
import { captionOf, isAccepted } from "../../../domain/session/part/Part.js"

const isRefused = (part: Prompt.Part, accepts: ReadonlyArray<string>): part is Prompt.FilePart =>
  part.type === "file" && !isAccepted(part.mediaType, accepts)

const holds = (message: Prompt.Message, accepts: ReadonlyArray<string>): message is Prompt.UserMessage =>
  message.role === "user" && message.content.some((part) => isRefused(part, accepts))

/** Replaces files that the model does not accept by their descriptions; files without a description stay. */
export const fitted = (prompt: Prompt.Prompt, accepts: ReadonlyArray<string> | undefined): Prompt.Prompt =>
  accepts === undefined || !prompt.content.some((message) => holds(message, accepts))
    ? prompt
    : Prompt.fromMessages(prompt.content.map((message) =>
      holds(message, accepts)
        ? Prompt.makeMessage("user", { content: message.content.map((part) => inWords(part, accepts)) })
        : message
    ))

const inWords = (part: Prompt.UserMessagePart, accepts: ReadonlyArray<string>): Prompt.UserMessagePart => {
  const caption = isRefused(part, accepts) ? captionOf(part) : undefined
  return caption === undefined ? part : Prompt.makePart("text", { text: `[a file: ${caption}]` })
}

/** Returns the media type of a file that the model does not accept; undefined if it accepts all. */
export const fileRefused = (prompt: Prompt.Prompt, accepts: ReadonlyArray<string> | undefined): string | undefined => {
  if (accepts === undefined) return undefined
  for (const message of prompt.content) {
    if (!holds(message, accepts)) continue
    for (const part of message.content) if (isRefused(part, accepts)) return part.mediaType
  }
  return undefined
}
