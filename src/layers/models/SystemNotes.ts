/**
 * Moves system messages to positions that every vendor accepts. The first one becomes the vendor's own system prompt.
 * Anthropic and Google accept no system messages within the conversation, and the templates of many open models refuse
 * them or move them to the front. So each later system message becomes a note at the start of the next user message.
 * Instructions that change from turn to turn then come after the conversation, which can be cached.
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Transcript from "../../domain/session/Transcript.js"

const name = "system-note"
const open = `<${name}>`
const close = `</${name}>`

/** The sentence in the first system message that explains the notes. It is the same in every request. */
const announcement =
  `Later system messages stand in the user's turns, between ${open} and ${close}: they are instructions of the program, and no ` +
  "user can write these two tags."

const bracket = /[<＜﹤≮‹〈〈⟨❬❮❰˂ᐸ]/g

/**
 * Characters that are skipped in the search for tags: invisible ones, accents, and separators between the words of a
 * tag.
 */
const unread = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}\s._\p{Pd}]/u

/** Characters that look like those of the tags, with the characters that they imitate. */
const alike: Readonly<Record<string, string>> = {
  ...{ ѕ: "s", ꜱ: "s", у: "y", γ: "y", υ: "y", т: "t", τ: "t", е: "e", ε: "e", м: "m", п: "n", ո: "n", η: "n" },
  ...{ о: "o", ο: "o", օ: "o", "⁄": "/", "∕": "/", "\\": "/" }
}

const word = "systemnote"

/**
 * True if the text after a bracket continues as a tag; also if the text ends inside the tag and another text follows.
 */
const goesOn = (text: string, isFollowed: boolean): boolean => {
  let at = 0
  for (const sign of text) {
    for (const one of sign.normalize("NFKD").toLowerCase()) {
      const letter = alike[one] ?? one
      if (unread.test(one) || (at === 0 && letter === "/")) continue
      if (letter !== word[at]) return false
      if (++at === word.length) return true
    }
  }
  return isFollowed
}

/**
 * Returns the text with the tags of notes made harmless, even if they are written with similar characters: the bracket
 * of each tag becomes a round one, and the other characters stay. If another text follows, the first part of a tag at
 * the end is changed too.
 */
export const withoutTags = (text: string, isFollowed = false): string =>
  text.replace(bracket, (found, index: number) => goesOn(text.slice(index + 1), isFollowed) ? "(" : found)

/**
 * Returns JSON without the tags of notes in its texts and keys. Other values, such as a `Date`, are returned unchanged.
 */
const withoutTagsInside = (value: unknown): unknown => {
  if (typeof value === "string") return withoutTags(value)
  if (Array.isArray(value)) return value.map(withoutTagsInside)
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [withoutTags(key), withoutTagsInside(one)]))
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))

/**
 * Makes the tags of notes in a part harmless. Reasoning, and calls that a vendor ran itself, do not change, because the
 * vendor checks them.
 */
const cleanPart = <P extends Prompt.Part>(part: P, isFollowed = false): P => {
  switch (part.type) {
    case "text":
      return { ...part, text: withoutTags(part.text, isFollowed) }
    // Cleans the media type and the name of a file too, because some vendors get them as text.
    case "file":
      return {
        ...part,
        mediaType: withoutTags(part.mediaType),
        ...(part.fileName !== undefined && { fileName: withoutTags(part.fileName) })
      }
    case "tool-call":
      return part.providerExecuted ? part : { ...part, params: withoutTagsInside(part.params) }
    case "tool-result":
      return part.providerExecuted ? part : { ...part, result: withoutTagsInside(part.result) }
    default:
      return part
  }
}

type ConversationMessage = Exclude<Prompt.Message, Prompt.SystemMessage>

const clean = (message: ConversationMessage, next: Prompt.Message | undefined): ConversationMessage => {
  switch (message.role) {
    case "user": {
      const last = next?.role === "user" ? message.content.length : message.content.length - 1
      return { ...message, content: message.content.map((part, i) => cleanPart(part, i < last)) }
    }
    case "assistant":
      return { ...message, content: message.content.map((part) => cleanPart(part)) }
    case "tool":
      return { ...message, content: message.content.map((part) => cleanPart(part)) }
  }
}

const note = (text: string): Prompt.TextPart => Transcript.text(`${open}\n${withoutTags(text)}\n${close}`)

const isSystem = (message: Prompt.Message): message is Prompt.SystemMessage => message.role === "system"

/**
 * Returns the prompt with at most one system message, at the front, and without empty messages. Later system messages
 * become notes in the user's messages; the tags of notes are removed from all other content.
 */
export const placed = (prompt: Prompt.Prompt): Prompt.Prompt => {
  const [first, ...rest] = prompt.content
  const front = first !== undefined && isSystem(first) ? first : undefined
  const said = (front === undefined ? prompt.content : rest).filter(({ content }) => content.length > 0)
  return Prompt.fromMessages(
    said.some(isSystem)
      ? [announcing(front), ...withNotes(said)]
      : front === undefined
      ? said
      : [front, ...said]
  )
}

const announcing = (front: Prompt.SystemMessage | undefined): Prompt.Message =>
  front === undefined || front.content.trim() === ""
    ? Transcript.system(announcement)
    : { ...front, content: `${front.content}\n${announcement}` }

const withNotes = (said: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> => {
  const into: Array<Prompt.Message> = []
  let notes: Array<Prompt.TextPart> = []
  const flush = () => {
    if (notes.length > 0) into.push(Transcript.userOf(notes))
    notes = []
  }
  for (const [i, message] of said.entries()) {
    if (isSystem(message)) {
      if (message.content.trim() !== "") notes.push(note(message.content))
      continue
    }
    // Results of tools must directly follow their calls, so a note is only added after the results.
    if (message.role === "assistant") flush()
    const cleaned = clean(message, said[i + 1])
    into.push(cleaned.role === "user" ? { ...cleaned, content: [...notes, ...cleaned.content] } : cleaned)
    if (cleaned.role === "user") notes = []
  }
  flush()
  return into
}
