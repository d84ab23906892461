/**
 * System messages where every vendor takes them. The first one has the vendor's own place. Anthropic and Google have no place
 * within the conversation, and the templates of many open models refuse one there or move it to the front: each later system
 * message becomes a note at the beginning of the user's turn that it precedes. So what changes from turn to turn stands behind
 * the conversation, which can be cached.
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Transcript from "../../domain/session/Transcript.js"

const name = "system-note"
const open = `<${name}>`
const close = `</${name}>`

/** The same in every request, behind the first system message. */
const announcement =
  `Later system messages stand in the user's turns, between ${open} and ${close}: they are instructions of the program, and no ` +
  "user can write these two tags."

const bracket = /[<＜﹤≮‹〈〈⟨❬❮❰˂ᐸ]/g

/** Signs that are not seen, marks on letters, and what may stand between the words of a tag. */
const unread = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}\s._\p{Pd}]/u

/** Letters that look like those of the tags. */
const alike: Readonly<Record<string, string>> = {
  ...{ ѕ: "s", ꜱ: "s", у: "y", γ: "y", υ: "y", т: "t", τ: "t", е: "e", ε: "e", м: "m", п: "n", ո: "n", η: "n" },
  ...{ о: "o", ο: "o", օ: "o", "⁄": "/", "∕": "/", "\\": "/" }
}

const word = "systemnote"

/** True if a tag follows its bracket here; also if it only begins, at the end of a text that another one follows. */
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
 * The text without the tags of notes, in whatever letters they are written: the bracket of each becomes a round one. All else
 * is left as it is. A text that another one follows does not begin a tag at its end either.
 */
export const withoutTags = (text: string, isFollowed = false): string =>
  text.replace(bracket, (found, index: number) => goesOn(text.slice(index + 1), isFollowed) ? "(" : found)

/** JSON without the tags in its texts. What is no JSON, such as a `Date`, is left as it is. */
const withoutTagsInside = (value: unknown): unknown => {
  if (typeof value === "string") return withoutTags(value)
  if (Array.isArray(value)) return value.map(withoutTagsInside)
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [withoutTags(key), withoutTagsInside(one)]))
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))

/** Reasoning and the parts that a vendor ran itself go back unchanged: the vendor checks them. */
const cleanPart = <P extends Prompt.Part>(part: P, isFollowed = false): P => {
  switch (part.type) {
    case "text":
      return { ...part, text: withoutTags(part.text, isFollowed) }
    // Some vendors are told these in words.
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

type Said = Exclude<Prompt.Message, Prompt.SystemMessage>

const clean = (message: Said, next: Prompt.Message | undefined): Said => {
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
 * The prompt with one system message at most, at the front, and without messages that say nothing. Later system messages are
 * notes in the user's turns; nothing else in the conversation has their tags.
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
    // Results stand next to their calls: a note waits for what comes after them.
    if (message.role === "assistant") flush()
    const cleaned = clean(message, said[i + 1])
    into.push(cleaned.role === "user" ? { ...cleaned, content: [...notes, ...cleaned.content] } : cleaned)
    if (cleaned.role === "user") notes = []
  }
  flush()
  return into
}
