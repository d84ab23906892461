/**
 * The items of a turn in its stored messages. Most messages give them; where they do not, the first message of the turn
 * has them in its options. The page runs this module too: it imports no runtime code of Effect.
 */
import type { Json, JsonObject } from "../../base/Json.js"
import { listOf, recordOf } from "./LooseJson.js"
import type { Called, FileLink, Shown } from "./TurnView.js"
import * as TurnView from "./TurnView.js"

/** A message, stored or decoded. */
interface Message {
  readonly role?: unknown
  readonly content?: unknown
  readonly options?: unknown
}

/** Items and refused values of a turn that its messages do not give. */
interface Kept {
  readonly shown?: ReadonlyArray<JsonObject>
  readonly rejected?: ReadonlyArray<JsonObject>
}

/** The items of a turn, and the values that it refused. */
export interface TurnItems {
  readonly shown: ReadonlyArray<Shown>
  readonly rejected: ReadonlyArray<{ readonly field: string; readonly value: Json; readonly message: string }>
}

const textOf = (u: unknown): string => typeof u === "string" ? u : ""

/** The key of the library in the options of a message, and the key of a turn's items in these. */
const [own, key] = ["coxswain", "turn"] as const

/** The text that is stored as the user's after an answer that was stopped. */
export const stopped = "[interrupted by user]"

/** True if the message is the user's own, and not the mark of an answer that was stopped. */
export const isOfUser = (message: Message): boolean => message.role === "user" && messageText(message) !== stopped

export const partsOf = ({ content }: Message): ReadonlyArray<JsonObject> =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content)

/** The text of a message, without its other parts. */
export const messageText = (message: Message): string => partsOf(message).map(({ text }) => textOf(text)).join("")

const optionsOf = ({ options }: Message): JsonObject => recordOf(recordOf(options)[own])

const keptIn = (message: Message | undefined): Kept | undefined => {
  const kept = message === undefined ? undefined : optionsOf(message)[key]
  return kept === undefined ? undefined : recordOf(kept)
}

/** The person who said the message in the agent's place; undefined if the agent said it. */
export const personOf = (message: Message): unknown => optionsOf(message).by

/** Prefix of the data of a file whose bytes are in the server's store. */
const blob = "blob-ref:"

export const fileOf = (part: JsonObject): FileLink => {
  const data = textOf(part.data)
  const ref = textOf(part.ref) || (data.startsWith(blob) ? data.slice(blob.length) : "")
  const url = textOf(part.url) || data
  return {
    name: textOf(part.fileName) || textOf(part.name) || "file",
    mediaType: textOf(part.mediaType),
    ...(ref !== "" ? { ref } : url !== "" && { url })
  }
}

const outcomes = new Set(["invalid", "denied", "unknown_tool", "timed_out", "interrupted", "done_unrecorded"])

/** The outcome of a stored result; a refusal says it in its result. */
const outcomeOf = (part: JsonObject): string => {
  const error = textOf(recordOf(part.result).error)
  return part.isFailure !== true ? "ok" : outcomes.has(error) ? error : "failed"
}

const filesOf = (part: JsonObject) => listOf(recordOf(recordOf(part.options)[own]).files).map(fileOf)

type Fact = Parameters<typeof TurnView.add>[1]

const factsOf = (message: Message): ReadonlyArray<Fact> =>
  message.role === "user"
    ? isOfUser(message) ? [] : [{ _tag: "Interrupted", message: "" }]
    : message.role === "system"
    ? []
    : partsOf(message).flatMap((part): ReadonlyArray<Fact> => {
      const [id, name] = [textOf(part.id), textOf(part.name)]
      switch (part.type) {
        case "text":
          return [{ _tag: "TextDelta", text: textOf(part.text) }]
        case "tool-call":
          return [{ _tag: "ToolCallStarted", id, name, params: (part.params ?? null) as Json }]
        case "tool-result": {
          const gave = { outcome: outcomeOf(part), output: (part.result ?? null) as Json, files: filesOf(part) }
          return [{ _tag: "ToolCallCompleted", id, name, isFailure: part.isFailure === true, ...gave } as Fact]
        }
        default:
          return []
      }
    })

/** Returns the items that the messages themselves give. */
const told = (messages: ReadonlyArray<Message>): ReadonlyArray<Shown> => {
  const items = messages.reduce<ReadonlyArray<Shown>>((items, message) => {
    const facts = factsOf(message)
    // Texts of several messages are paragraphs of one answer.
    const isNext = items.at(-1)?.kind === "agent" && facts[0]?._tag === "TextDelta"
    return facts.reduce(TurnView.add, isNext ? TurnView.add(items, { _tag: "TextDelta", text: "\n\n" }) : items)
  }, [])
  const files = messages.flatMap((message) =>
    message.role === "assistant" ? partsOf(message).filter(({ type }) => type === "file").map(fileOf) : []
  )
  return TurnView.end(items, { message: "", files })
}

const isCall = (item: Shown): item is Called => item.kind === "tool"
const equal = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Returns an item as it is stored: without what the messages say about the call. */
const packed = (item: Shown, calls: ReadonlyMap<string, Called>): JsonObject => {
  if (!isCall(item)) {
    const { files = [], ...rest } = { files: undefined, ...item }
    return { ...rest, ...(files.length > 0 && { files }) } as unknown as JsonObject
  }
  const known = recordOf(calls.get(item.id))
  const rest = Object.entries(item).filter(([name, value]) =>
    name === "kind" || name === "id" || !equal(value, known[name])
  )
  return Object.fromEntries(rest) as JsonObject
}

const unpacked = (stored: JsonObject, calls: ReadonlyMap<string, Called>): Shown => {
  const item = stored.kind === "tool"
    ? { ...calls.get(textOf(stored.id)), ...stored }
    : stored.kind === "agent"
    ? { files: [], ...stored }
    : stored
  // Safe: `packed` made it from an item.
  return item as unknown as Shown
}

/** Returns items as they are stored with the first of these messages. */
export const packedAll = (messages: ReadonlyArray<Message>, shown: ReadonlyArray<Shown>): ReadonlyArray<JsonObject> => {
  const calls = callsIn(told(messages))
  return shown.map((item) => packed(item, calls))
}

const callsIn = (items: ReadonlyArray<Shown>): ReadonlyMap<string, Called> =>
  new Map(items.filter(isCall).map((call) => [call.id, call]))

/** Returns the items of a turn and the values that it refused, from its stored messages. */
export const ofMessages = (messages: ReadonlyArray<Message>): TurnItems => {
  const given = told(messages)
  const { rejected = [], shown } = keptIn(messages[0]) ?? {}
  const calls = callsIn(given)
  return {
    shown: shown === undefined ? given : shown.map((one) => unpacked(one, calls)),
    // Safe: `kept` stores them from a response.
    rejected: rejected as unknown as TurnItems["rejected"]
  }
}

/** Returns the items that the first message of a turn keeps; undefined if its messages give them. */
export const keptItems = (messages: ReadonlyArray<Message>): ReadonlyArray<Shown> | undefined =>
  keptIn(messages[0])?.shown === undefined ? undefined : ofMessages(messages).shown

/**
 * Returns what is stored with the first message of a turn; undefined if the messages give it all. A turn that does not begin
 * with a message of the user keeps its items in any case, which marks its beginning.
 */
export const kept = (messages: ReadonlyArray<Message>, { rejected, shown }: TurnItems): Kept | undefined => {
  const given = told(messages)
  const isPlain = messages[0]?.role === "user" && equal(given, shown)
  if (isPlain && rejected.length === 0) return undefined
  return {
    ...(!isPlain && { shown: packedAll(messages, shown) }),
    ...(rejected.length > 0 && { rejected: rejected.map((one) => ({ ...one })) })
  }
}

/** Returns the message with the items of its turn, or without any. */
export const withKept = <M extends { readonly options: object }>(message: M, turn: Kept | undefined): M => {
  const { [key]: before, ...rest } = recordOf(recordOf(message.options)[own])
  if (before === undefined && turn === undefined) return message
  const options = { ...message.options, [own]: { ...rest, ...(turn !== undefined && { [key]: turn }) } }
  return { ...message, options }
}

/** The messages of one turn, or one message of a person. */
export interface Group<M> {
  readonly messages: ReadonlyArray<M>
  readonly by: unknown
}

const begins = (message: Message): boolean => keptIn(message) !== undefined || isOfUser(message)

/** Divides stored messages into turns and the messages of persons, in order. */
export const grouped = <M extends { readonly message: Message; readonly createdAt: string }>(
  stored: ReadonlyArray<M>
): ReadonlyArray<Group<M>> => {
  const groups: Array<{ readonly messages: Array<M>; readonly by: unknown }> = []
  for (const one of stored) {
    const by = personOf(one.message)
    const last = groups.at(-1)
    const isSame = last !== undefined && by === undefined && last.by === undefined && !begins(one.message) &&
      last.messages[0]!.createdAt === one.createdAt
    if (isSame) last.messages.push(one)
    else groups.push({ messages: [one], by })
  }
  return groups
}

/**
 * Returns the text of the user's message that a recorded turn answers, as it is stored; undefined if the turn answers another
 * input. A turn that waits for a person has stored it with what waits.
 */
export const answeredIn = (
  written: {
    readonly messages: ReadonlyArray<{ readonly message: Message; readonly createdAt: string }>
    readonly session: { readonly pendingApproval?: unknown }
  } | undefined
): string | undefined => {
  const { told, transcript } = recordOf(written?.session.pendingApproval)
  const stored = grouped(written?.messages ?? []).at(-1)?.messages.map(({ message }) => message)
  const [first] = stored ?? (told === true ? [] : listOf(transcript))
  return first !== undefined && isOfUser(first) ? messageText(first) : undefined
}
