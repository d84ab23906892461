/**
 * Conversion between `@effect/ai` messages and stored JSON. Written by hand, part by part: a turn converts only its own
 * messages, and an invalid stored message is found immediately.
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Excerpt from "../base/error/Excerpt.js"
import { isShallow, type Json, type JsonObject, protoPath } from "../base/Json.js"
import { write } from "../fields/Fields.js"
import { markOf, type Person } from "./HandOver.js"
import type { ToolCallRecord } from "./ToolCall.js"

type Encoded = Record<string, unknown>

/**
 * Marks an object as a message. `Prompt.makeMessage` and `Prompt.makePart` instead copy their argument and add this and
 * two more keys, which takes ten times as long: see `Changed`.
 */
const marked = { [Prompt.MessageTypeId]: Prompt.MessageTypeId } as const

const withOptions = (encoded: Encoded, options: object): Encoded =>
  Object.keys(options).length === 0 || !isShallow(options) ? encoded : { ...encoded, options: asJson(options) }

export const encode = (message: Prompt.Message): JsonObject => {
  const { content, options, role } = message
  const encoded = typeof content === "string" ? content : content.map(encodePart)
  return withOptions({ role, content: encoded }, options) as JsonObject
}

const encodePart = (part: Prompt.Part): Encoded => {
  // Text parts are the most frequent and need no conversion.
  if (part.type === "text") return withOptions({ text: part.text, type: part.type }, part.options)
  const { [Prompt.PartTypeId]: _, options, ...fields } = part
  return withOptions(asJson({ ...saysNothing(part), ...write({}, { ...fields }), ...unreadable(part) }), options)
}

/** Copies a value as JSON. Messages are JSON, because files as bytes are not stored in them. */
const asJson = (value: object): Encoded => JSON.parse(JSON.stringify(value)) as Encoded

/** JSON has no `undefined`, so a call without arguments or a result without a value is stored as `null`. */
const saysNothing = ({ type }: Prompt.Part): Encoded =>
  type === "tool-call" ? { params: null } : type === "tool-result" ? { result: null } : {}

/** Parameters and results that are too deep to be read again are stored as `null`. */
const unreadable = (part: Prompt.Part): Encoded =>
  part.type === "tool-call" && !isShallow(part.params)
    ? { params: null }
    : part.type === "tool-result" && !isShallow(part.result)
    ? { result: null }
    : {}

const parts = {
  user: new Set(["text", "file"]),
  assistant: new Set(["text", "reasoning", "file", "tool-call", "tool-result"]),
  tool: new Set(["tool-result"])
}

const isText = (u: Encoded) => typeof u.text === "string"
const isFile = (u: Encoded) => typeof u.mediaType === "string" && typeof u.data === "string"
const isOfTool = (field: string) => (u: Encoded) => typeof u.id === "string" && typeof u.name === "string" && field in u

const shapes: Record<string, (u: Encoded) => boolean> = {
  text: isText,
  reasoning: isText,
  file: isFile,
  "tool-call": isOfTool("params"),
  "tool-result": isOfTool("result")
}

const isPart = (role: keyof typeof parts, u: unknown): u is Encoded & { readonly type: Prompt.Part["type"] } => {
  if (!Predicate.isRecord(u) || typeof u.type !== "string" || !parts[role].has(u.type)) return false
  if (u.options !== undefined && !Predicate.isRecord(u.options)) return false
  return shapes[u.type]!(u)
}

const hasParts = (role: unknown): role is keyof typeof parts => typeof role === "string" && Object.hasOwn(parts, role)

/** Decodes a valid part. Text parts, the most frequent kind, take a faster path. */
const partOf = (part: Encoded): Prompt.Part => {
  const { options = {} } = part
  return part.type === "text"
    ? text(part.text as string, options as Prompt.ProviderOptions)
    : { ...part, [Prompt.PartTypeId]: Prompt.PartTypeId, options, ...asTexts(part) } as never
}

/** Arguments and results with a key `__proto__`, as earlier versions stored them, are read as text. */
const asTexts = ({ params, result }: Encoded): object => ({
  ...(protoPath(params) !== undefined && { params: JSON.stringify(params) }),
  ...(protoPath(result) !== undefined && { result: JSON.stringify(result) })
})

export const decode = (stored: JsonObject, excerpts?: Excerpt.Options): Either.Either<Prompt.Message, string> => {
  const { content, role } = stored
  const options = Predicate.isRecord(stored.options) ? stored.options as Prompt.ProviderOptions : {}
  if (role === "system" && typeof content === "string") return Either.right(system(content, options))
  if (hasParts(role) && Array.isArray(content)) {
    const made: Array<Prompt.Part> = []
    for (const part of content as ReadonlyArray<unknown>) {
      if (!isPart(role, part)) return Either.left(`a part of a ${role} message is ${Excerpt.of(part, excerpts)}`)
      made.push(partOf(part))
    }
    return Either.right({ content: made, ...marked, role, options } as never)
  }
  return Either.left(`a message has role ${Excerpt.of(role, excerpts)} and no content of that role`)
}

export const user = (text: string, files: ReadonlyArray<Prompt.FilePart> = []): Prompt.Message =>
  userOf([textPart(text), ...files])

export const userOf = (content: ReadonlyArray<Prompt.UserMessagePart>): Prompt.Message => ({
  content,
  ...marked,
  role: "user",
  options: {}
})

export const system = (content: string, options: Prompt.ProviderOptions = {}): Prompt.Message => ({
  content,
  ...marked,
  role: "system",
  options
})

/** Makes a text part. A lone surrogate becomes U+FFFD, also in texts of sessions that were stored with one. */
export const text = (text: string, options: Prompt.ProviderOptions = {}): Prompt.TextPart => ({
  text: text.toWellFormed(),
  [Prompt.PartTypeId]: Prompt.PartTypeId,
  type: "text",
  options
})

const textPart = text

export const assistant = (
  content: ReadonlyArray<Prompt.AssistantMessagePart>,
  options: Prompt.ProviderOptions = {}
): Prompt.Message => ({ content, ...marked, role: "assistant", options })

export const assistantText = (text: string): Prompt.Message => assistant([textPart(text)])

/** A message that a person said in the agent's place. */
export const personText = (text: string, by: Person): Prompt.Message => assistant([textPart(text)], markOf(by))

/** Makes the tool message with the results of a round, in call order. */
export const toolResults = (
  results: ReadonlyArray<
    Pick<ToolCallRecord, "output" | "isFailure" | "files"> & { readonly id: string; readonly name: string }
  >
): Prompt.Message =>
  Prompt.makeMessage("tool", {
    content: results.map(({ files, id, isFailure, name, output }) =>
      Prompt.makePart("tool-result", {
        id,
        name,
        result: output,
        isFailure,
        providerExecuted: false,
        ...(files !== undefined && { options: { coxswain: { files } } })
      })
    )
  })

/** Returns the texts of assistant messages, in order. */
export const texts = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<string> =>
  messages.flatMap((message) =>
    message.role === "assistant"
      ? [message.content.map((part) => part.type === "text" ? part.text : "").join("")].filter((text) => text !== "")
      : []
  )

/** Removes the assistant's text from the messages; tool calls and their results stay together. */
export const withoutText = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> =>
  messages.flatMap((message) => {
    if (message.role !== "assistant") return [message]
    const content = message.content.filter((part) => part.type !== "text")
    return content.some((part) => part.type === "tool-call") ? [assistant(content)] : []
  })

/**
 * Returns the tool calls of an assistant message that the library must answer; calls executed by the provider are left
 * out.
 */
export const callsOf = (message: Prompt.Message | undefined): ReadonlyArray<Prompt.ToolCallPart> =>
  message?.role === "assistant" ? message.content.filter((part) => part.type === "tool-call").filter(isOurs) : []

/** Returns the message with changed arguments of one call. */
export const withParams = (message: Prompt.Message, callId: string, params: Json): Prompt.Message =>
  message.role !== "assistant" ? message : assistant(
    message.content.map((part) => part.type === "tool-call" && part.id === callId ? { ...part, params } : part),
    message.options
  )

/** True if a part is a tool call that the library must answer, not the provider. */
export const isOurs = (part: Prompt.Part): boolean => part.type === "tool-call" && !part.providerExecuted

/** Returns the parts of a message; a system message has one part, its text. */
export const partsOf = ({ content }: Prompt.Message): ReadonlyArray<Prompt.Part> =>
  typeof content === "string" ? [text(content)] : content

/** Returns the text parts of a message, one per line; "" without a message. */
export const textOf = (message: Prompt.Message | undefined): string =>
  message === undefined ? "" : partsOf(message).flatMap((part) => part.type === "text" ? [part.text] : []).join("\n")

/**
 * Returns the messages that a model gets again: all except system messages, because instructions come from the current
 * definition, not from storage.
 */
export const replayed = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> =>
  messages.filter(({ role }) => role !== "system")

const length = (value: unknown): number => typeof value === "string" ? value.length : JSON.stringify(value)?.length ?? 0

const lengthOf = (part: Prompt.Part): number => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text.length
    case "tool-call":
      return part.name.length + length(part.params)
    case "tool-result":
      return length(part.result)
    default:
      return 0
  }
}

/** Number of characters of a message that a model reads: text, calls and results. Files count 0. */
export const characters = (message: Prompt.Message): number =>
  partsOf(message).reduce((sum, part) => sum + lengthOf(part), 0)
