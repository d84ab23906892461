/**
 * The files of a prompt, for models that do not take them all.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
import { captionOf, isAccepted } from "../../../domain/session/part/Part.js"

const isRefused = (part: Prompt.Part, accepts: ReadonlyArray<string>): part is Prompt.FilePart =>
  part.type === "file" && !isAccepted(part.mediaType, accepts)

const holds = (message: Prompt.Message, accepts: ReadonlyArray<string>): message is Prompt.UserMessage =>
  message.role === "user" && message.content.some((part) => isRefused(part, accepts))

/**
 * The prompt with descriptions in place of the files that a model does not take, for the files that have a
 * description.
 *
 * @since 0.1.0
 * @category combinators
 */
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

/**
 * The media type of a file that a model does not take; undefined when it takes them all.
 *
 * @since 0.1.0
 * @category getters
 */
export const fileRefused = (prompt: Prompt.Prompt, accepts: ReadonlyArray<string> | undefined): string | undefined => {
  if (accepts === undefined) return undefined
  for (const message of prompt.content) {
    if (!holds(message, accepts)) continue
    for (const part of message.content) if (isRefused(part, accepts)) return part.mediaType
  }
  return undefined
}
