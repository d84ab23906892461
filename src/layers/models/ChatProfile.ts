/**
 * The rules of servers for chat completions that are stricter than OpenAI: the order of messages, the form of ids, the
 * kinds of content and the fields. A profile changes requests that the server would refuse.
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Hash from "effect/Hash"
import { type Forms, forms } from "./ValidPrompt.js"

/**
 * The way in which JSON answers are requested: by the schema itself, as any JSON with the schema in the prompt, or by
 * the prompt alone.
 */
export type StructuredOutput = "json_schema" | "json_object" | "prompt"

/**
 * The rules that a server follows. `openai` fits most servers. `mistral` requires ids of nine letters and digits, an
 * answer between a tool's result and the next user message, and a user message or a result at the end. `deepseek`
 * requires text only, alternating roles, and JSON without a schema. By default, system messages after the first one are
 * sent as notes, because Mistral refuses a system message after an answer, and DeepSeek moves all system messages to
 * the front.
 */
export type Profile = "openai" | "mistral" | "deepseek"

export interface Message {
  readonly role: string
  readonly content: unknown
  readonly [field: string]: unknown
}

/**
 * The form of each system message after the first one: `note` puts it into the next user message, as a `<system-note>`;
 * `system` sends it as a system message at its own position.
 */
export type LaterSystem = "note" | "system"

export interface Rules {
  readonly forms: Forms
  readonly structuredOutput: StructuredOutput
  readonly laterSystem: LaterSystem
  /**
   * True if the server accepts a request to report the usage at the end of a stream; other servers always report it.
   */
  readonly streamOptions: boolean
  /** Converts a file to a part of a message; `url` is its address. */
  readonly file: (part: Prompt.FilePart, url: string) => object
  readonly ordered: (messages: ReadonlyArray<Message>) => ReadonlyArray<Message>
}

const image = (url: string): object => ({ type: "image_url", image_url: { url } })

const isCalling = ({ tool_calls }: Message): boolean => tool_calls !== undefined

const wordsOf = (content: unknown): ReadonlyArray<object> =>
  Array.isArray(content) ? content : [{ type: "text", text: content }]

const joined = (one: unknown, other: unknown): unknown =>
  typeof one === "string" && typeof other === "string" ? `${one}\n\n${other}` : [...wordsOf(one), ...wordsOf(other)]

/**
 * Merges consecutive messages of the user and of the model, except calls and their results: the chat templates of many
 * open models refuse two messages of one side in a row.
 */
const alternating = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const all: Array<Message> = []
  for (const message of messages) {
    const last = all.at(-1)
    const joins = last !== undefined && last.role === message.role && !isCalling(last) &&
      (message.role === "user" || message.role === "assistant")
    if (joins) all[all.length - 1] = { ...message, content: joined(last.content, message.content) }
    else all.push(message)
  }
  return all
}

const openai: Rules = {
  structuredOutput: "json_schema",
  // The chat templates of many open models refuse a later system message, or move it to the front.
  laterSystem: "note",
  streamOptions: true,
  forms: forms(40),
  file: ({ fileName, mediaType }, url) =>
    mediaType.startsWith("image/")
      ? image(url)
      : { type: "file", file: { filename: fileName ?? "file", file_data: url } },
  ordered: alternating
}

const digits = (text: string): string => (Hash.string(text) >>> 0).toString(36).padStart(7, "0")

/**
 * Returns an id of nine letters and digits. An id of another form, such as one of another model, is replaced, always by
 * the same new id.
 */
const nine = (id: string): string =>
  /^[a-zA-Z0-9]{9}$/.test(id) ? id : `${digits(id).slice(-5)}${digits(`${id} `).slice(-4)}`

/** A placeholder for an answer that the server requires at this position. */
const noted: Message = { role: "assistant", content: "Noted." }
const goOn: Message = { role: "user", content: "(go on)" }

/** Adds an answer between a tool's result and the next user message, and a user message after a last answer. */
const bridged = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const all = messages.flatMap((message, i) =>
    message.role === "user" && messages[i - 1]?.role === "tool" ? [noted, message] : [message]
  )
  const last = all.at(-1)?.role
  return last === "user" || last === "tool" ? all : [...all, goOn]
}

const mistral: Rules = {
  ...openai,
  streamOptions: false,
  forms: { ...openai.forms, callId: nine },
  file: ({ fileName, mediaType }, url) =>
    mediaType.startsWith("image/")
      ? image(url)
      : { type: "document_url", document_url: url, ...(fileName !== undefined && { document_name: fileName }) },
  ordered: (messages) => bridged(alternating(messages))
}

const deepseek: Rules = {
  ...openai,
  structuredOutput: "json_object",
  file: ({ fileName, mediaType }) => ({ type: "text", text: `[${mediaType}: ${fileName ?? "a file"}]` })
}

export const rules: Readonly<Record<Profile, Rules>> = { openai, mistral, deepseek }

/** Returns the profile of a server by its address, if the options name none. */
export const profileOf = (url: string): Profile =>
  /\/\/[^/]*\bmistral\.ai\b/.test(url) ? "mistral" : /\/\/[^/]*\bdeepseek\.com\b/.test(url) ? "deepseek" : "openai"
