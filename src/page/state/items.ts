/** The conversation as a list of items, built from the stored messages and the events after them. */
import type { Origins } from "../../domain/origin/Origin.js"
import { listOf, recordOf } from "../net/json.js"
import type { Approval, Json, JsonObject, Session, StoredMessage, TurnEvent } from "../net/wire.js"

export interface FileLink {
  readonly name: string
  readonly mediaType: string
  /** The reference of a file in the server's store. A file that is stored elsewhere has a `url` instead. */
  readonly ref?: string
  readonly url?: string
}

interface Common {
  readonly key: string
  /** The sequence number of the message that began the turn. */
  readonly turn: number
  readonly at?: string
}

export interface MessageItem extends Common {
  readonly kind: "user" | "agent" | "person"
  readonly text: string
  readonly files: ReadonlyArray<FileLink>
  readonly by?: string
  readonly streaming?: true
  readonly waiting?: true
  readonly interrupted?: true
  /** Earlier texts of this message, which the agent had begun and then replaced. */
  readonly replaced?: ReadonlyArray<string>
}

export interface ToolItem extends Common {
  readonly kind: "tool"
  readonly id: string
  readonly name: string
  readonly params: Json
  readonly outcome?: string
  readonly output?: Json
  readonly isFailure?: boolean
  readonly origins?: Origins
  readonly progress?: Json
}

export interface Happened extends Common {
  readonly kind: "note"
  readonly what: "event" | "handedOver" | "released" | "stopped" | "job" | "rewound" | "failed"
  readonly text: string
  /** Id of the request whose failure the server has logged. */
  readonly requestId?: string
}

export type Item = MessageItem | ToolItem | Happened

export interface Talk {
  readonly items: ReadonlyArray<Item>
  /** Number of items that the page has added itself; their keys are made from it. */
  readonly made: number
  readonly approvals: ReadonlyArray<Approval>
  /** The time for the next item that is added. */
  readonly now?: string
}

export const empty: Talk = { items: [], made: 0, approvals: [] }

const textOf = (u: unknown): string => typeof u === "string" ? u : ""

const nameOf = (by: unknown): string =>
  typeof by === "string" ? by : textOf(recordOf(by).name) || textOf(recordOf(by).id)

const partsOf = (content: Json | undefined): ReadonlyArray<JsonObject> =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content)

/** Prefix of the data of a file whose bytes are in the server's store. */
const stored = "blob-ref:"

const fileOf = (part: JsonObject): FileLink => {
  const data = textOf(part.data)
  const ref = textOf(part.ref) || (data.startsWith(stored) ? data.slice(stored.length) : "")
  const url = textOf(part.url) || data
  return {
    name: textOf(part.fileName) || textOf(part.name) || "file",
    mediaType: textOf(part.mediaType),
    ...(ref !== "" ? { ref } : url !== "" && { url })
  }
}

/** Returns the text and the files of a stored message as items. */
const saidIn = (message: JsonObject, parts: ReadonlyArray<JsonObject>, common: Common): ReadonlyArray<Item> => {
  const text = parts.flatMap((part) => part.type === "text" ? [textOf(part.text)] : []).join("\n\n")
  const files = parts.flatMap((part) => part.type === "file" ? [fileOf(part)] : [])
  if (text === "[interrupted by user]") return [{ kind: "note", what: "stopped", text: "", ...common }]
  if (text === "" && files.length === 0) return []
  const by = nameOf(recordOf(recordOf(message.options).coxswain).by)
  const kind = message.role === "user" ? "user" : by === "" ? "agent" : "person"
  return [{ kind, text, files, ...common, ...(by !== "" && { by }) }]
}

const withResult = (call: ToolItem, { isFailure, result = null }: JsonObject): ToolItem => ({
  ...call,
  output: result,
  isFailure: isFailure === true,
  outcome: isFailure !== true ? "ok" : recordOf(result).error === "denied" ? "denied" : "failed"
})

/**
 * Returns the origins of the arguments by call: of the calls in the session's log, and of the calls that wait for a
 * person.
 */
const originsIn = ({ callLog, pendingApproval }: Pick<Session, "callLog" | "pendingApproval">) =>
  new Map(
    [...callLog?.calls ?? [], ...pendingApproval?.records ?? [], ...pendingApproval?.requests ?? []].flatMap((one) =>
      one.callId === undefined || one.origins === undefined ? [] : [[one.callId, one.origins] as const]
    )
  )

/** Converts stored messages of a session to items, oldest first. */
export const ofStored = (
  stored: ReadonlyArray<StoredMessage>,
  session: Pick<Session, "callLog" | "pendingApproval"> = {}
): ReadonlyArray<Item> => {
  const origins = originsIn(session)
  let turn = stored[0]?.seq ?? 0
  const results = new Map(
    stored.flatMap(({ message }) => listOf(message.content))
      .flatMap((part) => part.type === "tool-result" ? [[textOf(part.id), part] as const] : [])
  )
  const called = (seq: number, at: string) => (part: JsonObject): ReadonlyArray<Item> => {
    if (part.type !== "tool-call") return []
    const id = textOf(part.id)
    const from = origins.get(id)
    const call = {
      kind: "tool",
      key: `c${seq}-${id}`,
      turn,
      at,
      id,
      name: textOf(part.name),
      params: part.params ?? null,
      ...(from !== undefined && { origins: from })
    } as const
    const result = results.get(id)
    return [result === undefined ? call : withResult(call, result)]
  }
  return stored.flatMap(({ createdAt, message, seq }) => {
    if (message.role === "user") turn = seq
    const parts = partsOf(message.content)
    return [
      ...saidIn(message, parts, { turn, at: createdAt, key: `m${seq}` }),
      ...parts.flatMap(called(seq, createdAt))
    ]
  })
}

type Of<T extends TurnEvent["_tag"]> = Extract<TurnEvent, { readonly _tag: T }>

/** Adds an item at the end, but before the messages that wait for their turn, which have negative turns. */
const add = (talk: Talk, item: (key: string) => Item): Talk => {
  const added = { ...item(`n${talk.made}`), ...(talk.now !== undefined && { at: talk.now }) }
  const waiting = added.turn < 0 ? -1 : talk.items.findIndex(({ turn }) => turn < 0)
  return {
    ...talk,
    items: talk.items.toSpliced(waiting < 0 ? talk.items.length : waiting, 0, added),
    made: talk.made + 1
  }
}

/** Changes the last item that `fits`, or removes it if `to` returns undefined. Does nothing if no item fits. */
const change = (talk: Talk, fits: (item: Item) => boolean, to: (item: Item) => Item | undefined): Talk => {
  const at = talk.items.findLastIndex(fits)
  if (at < 0) return talk
  const changed = to(talk.items[at]!)
  return { ...talk, items: changed === undefined ? talk.items.toSpliced(at, 1) : talk.items.with(at, changed) }
}

const isStreaming = (item: Item): item is MessageItem => item.kind === "agent" && item.streaming === true
const isCall = (id: string) => (item: Item): item is ToolItem => item.kind === "tool" && item.id === id

const say = (talk: Talk, turn: number, text: string): Talk =>
  talk.items.some(isStreaming)
    ? change(talk, isStreaming, (item) => ({ ...item as MessageItem, text: (item as MessageItem).text + text }))
    : add(talk, (key) => ({ kind: "agent", key, turn, text, files: [], streaming: true }))

/**
 * Shows the user's message as it is stored: without the texts that a guardrail took out, and together with the messages
 * of stopped turns that the turn answers as well.
 */
const hear = (talk: Talk, turn: number, { files = [], text }: Of<"UserSaid">): Talk => {
  const isShown = (item: Item) => item.kind === "user" && item.turn === turn
  const sent = talk.items.findLast(isShown)
  if (sent === undefined) return add(talk, (key) => ({ kind: "user", key, turn, text, files }))
  const isWithin = (item: Item) => item !== sent && item.kind === "user" && text.startsWith(`${item.text}\n`)
  const items = talk.items.filter((item) => !(item.turn === turn && isWithin(item)))
  return change({ ...talk, items }, isShown, (item) => ({ ...item as MessageItem, text, files }))
}

/** Replaces the text that the agent has said so far in this turn, because the agent has withdrawn it. */
const replace = (talk: Talk, turn: number, message: string): Talk => {
  const before = talk.items.findLast(isStreaming)
  if (before === undefined) return message === "" ? talk : say(talk, turn, message)
  const replaced = [...before.replaced ?? [], ...(before.text === "" ? [] : [before.text])]
  return change(talk, isStreaming, (item) => ({ ...item as MessageItem, text: message, replaced }))
}

const complete = (talk: Talk, turn: number, { response }: Of<"TurnCompleted">): Talk => {
  const files = response.files.map(({ mediaType, name, ...file }): FileLink => ({
    name,
    mediaType,
    ...("ref" in file ? { ref: file.ref } : { url: file.url })
  }))
  const shown = talk.items.some(isStreaming) || (response.message === "" && files.length === 0)
    ? talk
    : say(talk, turn, response.message)
  const ended = change(shown, isStreaming, (item) => {
    const { streaming: _, ...said } = item as MessageItem
    const text = response.message === "" ? said.text : response.message
    return text === "" && files.length === 0 && said.replaced === undefined ? undefined : { ...said, text, files }
  })
  return { ...ended, approvals: response.approvals }
}

const notes: { readonly [T in TurnEvent["_tag"]]?: (event: Of<T>) => Pick<Happened, "what" | "text"> } = {
  HandedOver: ({ by, reason }) => ({ what: "handedOver", text: nameOf(by) || (reason ?? "") }),
  Released: () => ({ what: "released", text: "" }),
  JobProgress: ({ job, value }) => ({
    what: "job",
    text: `${job}: ${typeof value === "string" ? value : JSON.stringify(value)}`
  }),
  Interrupted: () => ({ what: "stopped", text: "" }),
  SessionRewound: ({ turn }) => ({ what: "rewound", text: String(turn) })
}

const folds: { readonly [T in TurnEvent["_tag"]]?: (talk: Talk, event: Of<T>, turn: number) => Talk } = {
  TurnStarted: (talk, { event }, turn) =>
    event === undefined ? talk : add(talk, (key) => ({ kind: "note", what: "event", text: event, key, turn })),
  TextDelta: (talk, { text }, turn) => say(talk, turn, text),
  MessageReplaced: (talk, { message }, turn) => replace(talk, turn, message),
  ToolCallStarted: (talk, { id, name, params }, turn) =>
    talk.items.some(isCall(id))
      ? talk
      : add(talk, (key) => ({ kind: "tool", key, turn, id, name, params })),
  ToolProgress: (talk, { id, progress }) => change(talk, isCall(id), (item) => ({ ...item as ToolItem, progress })),
  ToolCallCompleted: (talk, { id, isFailure, origins, outcome, output }) =>
    change(talk, isCall(id), (item) => ({
      ...item as ToolItem,
      outcome,
      output,
      isFailure,
      ...(origins !== undefined && { origins })
    })),
  ApprovalRequested: (talk, { request }) => ({
    ...talk,
    approvals: [...talk.approvals.filter(({ id }) => id !== request.id), request]
  }),
  PersonSaid: (talk, { by, text }, turn) =>
    add(talk, (key) => ({ kind: "person", key, turn, text, files: [], by: nameOf(by) })),
  UserSaid: (talk, said, turn) => hear(talk, turn, said),
  TurnCompleted: (talk, event, turn) => complete(talk, turn, event)
}

/** Applies an event of the turn that began with message `turn` to the conversation. */
export const fold = (talk: Talk, event: TurnEvent, turn: number): Talk => {
  const told = folds[event._tag] as ((talk: Talk, event: TurnEvent, turn: number) => Talk) | undefined
  const noted = notes[event._tag] as ((event: TurnEvent) => Pick<Happened, "what" | "text">) | undefined
  const next = told?.(talk, event, turn) ?? talk
  if (noted === undefined) return next
  const note = noted(event)
  const last = next.items.at(-1)
  // A job's new progress note replaces its previous one.
  return event._tag === "JobProgress" && last?.kind === "note" && last.what === "job"
    ? change(next, (item) => item === last, () => ({ ...last, ...note }))
    : add(next, (key) => ({ kind: "note", key, turn, ...note }))
}

/** Returns the values of a form as the text of a message. */
export const textOfForm = (values: JsonObject): string =>
  Object.entries(values).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n")

/** Adds a message that the user has just sent. */
export const sent = (talk: Talk, turn: number, text: string, files: ReadonlyArray<FileLink>): Talk =>
  add(talk, (key) => ({ kind: "user", key, turn, text, files }))

/** Gives the items of a message that waited for its turn the number of that turn. */
export const renumbered = (talk: Talk, from: number, to: number): Talk => ({
  ...talk,
  items: talk.items.map((item) => item.turn === from ? { ...item, turn: to } : item)
})

/** Marks the reply that was streaming as interrupted, and adds a note with the reason why the turn failed. */
export const failed = (talk: Talk, turn: number, { error, requestId }: Of<"TurnFailed">): Talk =>
  add(
    change(talk, isStreaming, (item) => {
      const { streaming: _, ...said } = item as MessageItem
      return { ...said, interrupted: true }
    }),
    (key) => ({
      kind: "note",
      what: "failed",
      text: `${error._tag}: ${error.message}`,
      key,
      turn,
      ...(requestId !== undefined && { requestId })
    })
  )

/** Returns the calls of a session that still wait for a person. */
export const openOf = ({ pendingApproval }: Session): ReadonlyArray<Approval> =>
  (pendingApproval?.requests ?? []).filter(({ id }) => pendingApproval?.decisions.every((one) => one.id !== id) ?? true)
