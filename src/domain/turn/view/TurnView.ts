/**
 * The items that a turn shows after the user's message: texts of the agent, tool calls and notes. One fold makes them from
 * the events of a running turn; the stored messages of a turn are read as the same events. It imports no runtime code of
 * Effect, because the page runs it too.
 */
import type { Json } from "../../base/Json.js"
import type { Origins } from "../../origin/Origin.js"
import type { TurnEvent } from "../TurnEvent.js"

/** A file of an answer, in the application's `BlobStore` or at an address. */
export interface FileLink {
  readonly name: string
  readonly mediaType: string
  /** The reference of a file in the server's store. A file that is stored elsewhere has a `url` instead. */
  readonly ref?: string
  readonly url?: string
}

/** A text of the agent. Calls divide the texts of a turn. */
export interface Said {
  readonly kind: "agent"
  readonly text: string
  readonly files: ReadonlyArray<FileLink>
  /** The turn is not over, so the text may change. */
  readonly streaming?: true
  /** Texts that the agent has withdrawn in this turn; only until its end. */
  readonly replaced?: ReadonlyArray<string>
}

/** A tool call. A call that waits for a decision is no item, but an approval. */
export interface Called {
  readonly kind: "tool"
  readonly id: string
  readonly name: string
  readonly params: Json
  /** Absent until the call has a result. */
  readonly outcome?: string
  readonly output?: Json
  readonly isFailure?: boolean
  readonly origins?: Origins
  readonly files?: ReadonlyArray<FileLink>
  /** The last progress of a running call. */
  readonly progress?: Json
}

/** An event that the turn answered, a change of who has the conversation, or the stop of the turn. */
export interface Noted {
  readonly kind: "note"
  readonly what: "event" | "handedOver" | "released" | "stopped"
  /** The name of the event, or of the person; "" if there is none. */
  readonly text: string
}

export type Shown = Said | Called | Noted

/** The events that show something, whose decoded form equals their JSON. */
type Telling = Extract<TurnEvent, {
  readonly _tag:
    | "TurnStarted"
    | "TextDelta"
    | "MessageReplaced"
    | "ToolCallStarted"
    | "ToolProgress"
    | "ToolCallCompleted"
    | "HandedOver"
    | "Released"
    | "Interrupted"
}>

type Fact =
  | Telling
  | { readonly _tag: "ApprovalRequested"; readonly request: { readonly callId: string } }
  | { readonly _tag: Exclude<TurnEvent["_tag"], Telling["_tag"] | "ApprovalRequested"> }

type Items = ReadonlyArray<Shown>

const isSaid = (item: Shown): item is Said => item.kind === "agent"
const isCall = (id: string) => (item: Shown): item is Called => item.kind === "tool" && item.id === id

const nameOf = (by: Extract<Fact, { readonly _tag: "HandedOver" }>["by"]): string =>
  typeof by === "string" ? by : by?.name ?? by?.id ?? ""

const linkOf = ({ mediaType, name, ...file }: {
  readonly name: string
  readonly mediaType: string
  readonly ref?: string
  readonly url?: string
}): FileLink => ({
  name,
  mediaType,
  ...(file.ref !== undefined ? { ref: file.ref } : file.url !== undefined && { url: file.url })
})

const note = (what: Noted["what"], text = ""): Noted => ({ kind: "note", what, text })

/** Adds to the last text; begins a new one after a call or a note. */
const say = (items: Items, text: string): Items => {
  const last = items.at(-1)
  if (last !== undefined && isSaid(last)) return items.with(-1, { ...last, text: last.text + text })
  const begun = text.trimStart()
  return begun === "" ? items : [...items, { kind: "agent", text: begun, files: [], streaming: true }]
}

/** Replaces all texts of the turn so far, because the agent has withdrawn them. */
const replace = (items: Items, text: string): Items => {
  const said = items.filter(isSaid)
  const replaced = said.flatMap((one) => [...one.replaced ?? [], ...(one.text === "" ? [] : [one.text])])
  const others = items.filter((item) => !isSaid(item))
  if (said.length === 0) return say(items, text)
  // A text at the end keeps its identity, and with it its place on the page.
  const before = items.at(-1)
  const place = before !== undefined && isSaid(before) ? before : said[0]!
  return [...others, { ...place, text, replaced }]
}

const folds: {
  readonly [T in Fact["_tag"]]?: (items: Items, fact: Extract<Fact, { readonly _tag: T }>) => Items
} = {
  TurnStarted: (items, { event }) => event === undefined ? items : [...items, note("event", event)],
  TextDelta: (items, { text }) => say(items, text),
  MessageReplaced: (items, { message }) => replace(items, message),
  ToolCallStarted: (items, { id, name, params }) =>
    items.some(isCall(id)) ? items : [...items, { kind: "tool", id, name, params }],
  ToolProgress: (items, { id, progress }) => items.map((item) => isCall(id)(item) ? { ...item, progress } : item),
  ToolCallCompleted: (items, { files = [], id, isFailure, origins, outcome, output }) =>
    items.map((item) => {
      if (!isCall(id)(item) || item.outcome !== undefined) return item
      const { progress: _, ...call } = item
      return {
        ...call,
        outcome,
        output,
        isFailure,
        ...(origins !== undefined && { origins }),
        ...(files.length > 0 && { files: files.map(linkOf) })
      }
    }),
  ApprovalRequested: (items, { request }) => items.filter((item) => !isCall(request.callId)(item)),
  HandedOver: (items, { by, reason = "" }) => [...items, note("handedOver", nameOf(by) || reason)],
  Released: (items) => [...items, note("released")],
  Interrupted: (items) => [...items, note("stopped")]
}

/** The tags of the events that change the items. */
export const showing: ReadonlySet<string> = new Set(Object.keys(folds))

/** Adds an event of the turn to its items. Other events leave them as they are. */
export const add = (items: Items, fact: Fact): Items => {
  const fold = folds[fact._tag] as ((items: Items, fact: Fact) => Items) | undefined
  return fold?.(items, fact) ?? items
}

/** The parts of a response that items show. */
interface Ended {
  readonly message: string
  readonly files: ReadonlyArray<Parameters<typeof linkOf>[0] & { readonly callId?: string | undefined }>
}

const isEvent = (item: Shown): boolean => item.kind === "note" && item.what === "event"
const isStop = (item: Shown): boolean => item.kind === "note" && item.what === "stopped"

/**
 * Ends the items of a turn: adds the files that no call of it gave, and removes what a turn leaves in no record. These are
 * withdrawn texts, all of a turn that was stopped before its first word, and an event without any effect.
 */
export const end = (items: Items, { files, message }: Ended): Items => {
  const given = files.filter(({ callId = "" }) => !items.some(isCall(callId))).map(linkOf)
  const answered = message !== "" && !items.some(isSaid) ? say(items, message) : items
  const last = answered.findLast(isSaid)
  const whole = given.length === 0
    ? answered
    : last === undefined
    ? [...answered, { kind: "agent", text: "", files: given } as const]
    : answered.map((item) => item === last ? { ...last, files: given } : item)
  const ended = whole.flatMap((item): Items => {
    if (isSaid(item)) {
      const { replaced: _r, streaming: _s, ...said } = item
      return said.text === "" && said.files.length === 0 ? [] : [said]
    }
    if (item.kind !== "tool") return [item]
    const { progress: _, ...call } = item
    return [call]
  })
  return ended.every(isEvent) || (ended.some(isStop) && !ended.some(isSaid)) ? [] : ended
}
