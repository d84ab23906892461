/** The conversation as a list of items, built from the stored messages and the events after them. */
import { recordOf } from "../../domain/turn/view/LooseJson.js"
import * as StoredView from "../../domain/turn/view/storedView.js"
import type { Called, FileLink, Noted, Said, Shown } from "../../domain/turn/view/TurnView.js"
import * as TurnView from "../../domain/turn/view/TurnView.js"
import type { Approval, Form, JsonObject, Session, StoredMessage, TurnEvent, TurnResponse } from "../net/wire.js"

export type { FileLink }

interface Common {
  readonly key: string
  /** The sequence number of the message that began the turn. */
  readonly turn: number
  readonly at?: string
}

export interface MessageItem extends Common, Omit<Said, "kind"> {
  readonly kind: "user" | "agent" | "person"
  readonly by?: string
  readonly interrupted?: true
}

export type ToolItem = Called & Common

export interface Happened extends Common, Omit<Noted, "what"> {
  readonly what: Noted["what"] | "job" | "rewound" | "failed"
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

const nameOf = (by: unknown): string => {
  const { id, name } = recordOf(by)
  return [by, name, id].find((one): one is string => typeof one === "string") ?? ""
}

/** Returns what a message of the user or of a person says as items. */
const heard = ({ message, seq, createdAt: at }: StoredMessage, turn: number, by: unknown): ReadonlyArray<Item> => {
  const parts = StoredView.partsOf(message)
  const text = parts.flatMap((part) => part.type === "text" ? [String(part.text)] : []).join("\n\n")
  const files = parts.flatMap((part) => part.type === "file" ? [StoredView.fileOf(part)] : [])
  const who = by === undefined ? { kind: "user" } as const : { kind: "person", by: nameOf(by) } as const
  return text === "" && files.length === 0 ? [] : [{ ...who, text, files, key: `m${seq}`, turn, at }]
}

/** Converts stored messages to items, oldest first. */
export const ofStored = (stored: ReadonlyArray<StoredMessage>): ReadonlyArray<Item> =>
  StoredView.grouped(stored).flatMap(({ by, messages }) => {
    const [first] = messages
    const { createdAt: at, message, seq: turn } = first!
    if (by !== undefined) return heard(first!, turn, by)
    const { shown } = StoredView.ofMessages(messages.map((one) => one.message))
    return [
      ...StoredView.isOfUser(message) ? heard(first!, turn, undefined) : [],
      ...shown.map((item, i): Item => ({ ...item, key: `m${turn}-${i}`, turn, at }))
    ]
  })

/** The messages of a turn that waits for a person; they are stored when it ends. */
const waitingIn = ({ messageCount, pendingApproval, updatedAt }: Session): ReadonlyArray<StoredMessage> =>
  (pendingApproval?.transcript ?? []).map((message, i) => ({
    seq: messageCount + 1 + i,
    message,
    createdAt: updatedAt
  }))

/**
 * Returns the number of the message that begins the next turn. A turn that continues one that waits for a person, as its
 * first event tells, has the same number.
 */
export const nextTurn = (
  session: Pick<Session, "messageCount" | "pendingApproval"> | undefined,
  started?: Of<"TurnStarted">
): number => {
  const { messageCount = 0, pendingApproval: pending } = session ?? {}
  const goesOn = started !== undefined && started.event === undefined && started.messageId === pending?.messageId
  return messageCount + 1 + (pending === undefined || pending.told === true || goesOn ? 0 : pending.transcript.length)
}

/** True if the server repeats the answer of an earlier turn, which the conversation shows already. */
export const isRepeated = (session: Pick<Session, "version"> | undefined, { version }: Of<"TurnStarted">): boolean =>
  session !== undefined && version !== undefined && version < session.version

/** The conversation as the server stores it. */
export const ofSession = (session: Session, stored: ReadonlyArray<StoredMessage>): Talk => ({
  ...empty,
  items: ofStored([...stored, ...waitingIn(session)]),
  approvals: openOf(session)
})

/** The values that the last turn refused. */
export const rejectedIn = (stored: ReadonlyArray<StoredMessage>): TurnResponse["rejected"] =>
  StoredView.ofMessages((StoredView.grouped(stored).at(-1)?.messages ?? []).map(({ message }) => message)).rejected

type Of<T extends TurnEvent["_tag"]> = Extract<TurnEvent, { readonly _tag: T }>

/** Adds items at the end, but before the messages that wait for their turn, which have negative turns. */
const add = (talk: Talk, made: (key: string) => Item): Talk => {
  const added = { ...made(`n${talk.made}`), ...(talk.now !== undefined && { at: talk.now }) }
  const waiting = added.turn < 0 ? -1 : talk.items.findIndex(({ turn }) => turn < 0)
  return {
    ...talk,
    items: talk.items.toSpliced(waiting < 0 ? talk.items.length : waiting, 0, added),
    made: talk.made + 1
  }
}

/** Changes the last item that `fits`. Without such an item, changes none. */
const change = (talk: Talk, fits: (item: Item) => boolean, to: (item: Item) => Item): Talk => {
  const at = talk.items.findLastIndex(fits)
  return at < 0 ? talk : { ...talk, items: talk.items.with(at, to(talk.items[at]!)) }
}

const shownKinds = new Set<string>(
  ["event", "handedOver", "released", "stopped"] satisfies ReadonlyArray<Noted["what"]>
)

/** True if the item belongs to what the turn itself shows, and not to what was said to it or happened beside it. */
const isShownBy = (turn: number) => (item: Item): boolean =>
  item.turn === turn && (item.kind === "agent" || item.kind === "tool" ||
    (item.kind === "note" && shownKinds.has(item.what)))

/** Changes the items of a turn. Items keep their places and keys; new ones are added at the end. */
const within = (talk: Talk, turn: number, to: (items: ReadonlyArray<Shown>) => ReadonlyArray<Shown>): Talk => {
  const isShown = isShownBy(turn)
  // Safe: `isShownBy` selects exactly the items of these kinds.
  const before = talk.items.filter(isShown) as ReadonlyArray<Shown & Common>
  const after = to(before)
  if (after === before) return talk
  const kept = new Map(after.flatMap((item) => "key" in item ? [[item.key, item as Item] as const] : []))
  const items = talk.items.flatMap((item) => isShown(item) ? kept.get(item.key) ?? [] : [item])
  return after.filter((item) => !("key" in item)).reduce<Talk>(
    (talk, item) => add(talk, (key): Item => ({ ...item, key, turn })),
    { ...talk, items }
  )
}

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

/** Ends the items of a turn as its record shows them. A turn that is not stored is not shown. */
const complete = (talk: Talk, turn: number, { response }: Of<"TurnCompleted">): Talk => {
  const isStopped = (item: Item) => item.turn === turn && item.kind === "note" && item.what === "stopped"
  const ended = within(talk, turn, (items) => TurnView.end(items, response))
  // A turn that was stopped before its first word stores nothing, not even the user's message.
  const items = talk.items.some(isStopped) && !ended.items.some(isStopped)
    ? ended.items.filter((item) => item.turn !== turn)
    : ended.items
  return { ...ended, items, approvals: openOf(response.session) }
}

/** A job's new progress replaces its previous one. */
const progress = (talk: Talk, turn: number, { job, value }: Of<"JobProgress">): Talk => {
  const text = `${job}: ${typeof value === "string" ? value : JSON.stringify(value)}`
  const last = talk.items.at(-1)
  return last?.kind === "note" && last.what === "job"
    ? change(talk, (item) => item === last, () => ({ ...last, text }))
    : add(talk, (key) => ({ kind: "note", key, turn, what: "job", text }))
}

const folds: { readonly [T in TurnEvent["_tag"]]?: (talk: Talk, event: Of<T>, turn: number) => Talk } = {
  ApprovalRequested: (talk, { request }) => ({
    ...talk,
    approvals: [...talk.approvals.filter(({ id }) => id !== request.id), request]
  }),
  JobProgress: (talk, event, turn) => progress(talk, turn, event),
  PersonSaid: (talk, { by, text }, turn) =>
    add(talk, (key) => ({ kind: "person", key, turn, text, files: [], by: nameOf(by) })),
  SessionRewound: (talk, { turn: to }, turn) =>
    add(talk, (key) => ({ kind: "note", key, turn, what: "rewound", text: String(to) })),
  UserSaid: (talk, said, turn) => hear(talk, turn, said),
  TurnCompleted: (talk, event, turn) => complete(talk, turn, event)
}

/** Applies an event of the turn that began with message `turn` to the conversation. */
export const fold = (talk: Talk, event: TurnEvent, turn: number): Talk => {
  const told = folds[event._tag] as ((talk: Talk, event: TurnEvent, turn: number) => Talk) | undefined
  const shown = within(talk, turn, (items) => TurnView.add(items, event))
  return told?.(shown, event, turn) ?? shown
}

/** Returns the values of a form as the text of a message, as the server does: with the titles and labels of the form. */
export const textOfForm = (values: JsonObject, form?: Form): string =>
  Object.entries(values).map(([name, value]) => {
    const { suggestions = [], title = name } = form?.properties[name] ?? {}
    const chosen = suggestions.find((one) => JSON.stringify(one.value) === JSON.stringify(value))
    return `${title}: ${chosen?.label ?? (typeof value === "string" ? value : JSON.stringify(value))}`
  }).join("\n")

/** Adds a message that the user has just sent. */
export const sent = (talk: Talk, turn: number, text: string, files: ReadonlyArray<FileLink>): Talk =>
  add(talk, (key) => ({ kind: "user", key, turn, text, files }))

/** Gives the items of a message that waited for its turn the number of that turn. */
export const renumbered = (talk: Talk, from: number, to: number): Talk => ({
  ...talk,
  items: talk.items.map((item) => item.turn === from ? { ...item, turn: to } : item)
})

/** Marks the texts of the turn as interrupted, and adds a note with the reason why the turn failed. */
export const failed = (talk: Talk, turn: number, { error, requestId }: Of<"TurnFailed">): Talk => {
  const items = talk.items.map((item): Item => {
    if (item.kind !== "agent" || item.turn !== turn) return item
    const { streaming: _, ...said } = item
    return { ...said, interrupted: true }
  })
  return add({ ...talk, items }, (key) => ({
    kind: "note",
    what: "failed",
    text: `${error._tag}: ${error.message}`,
    key,
    turn,
    ...(requestId !== undefined && { requestId })
  }))
}

/** Returns the calls of a session that still wait for a person. */
export const openOf = ({ pendingApproval }: Session): ReadonlyArray<Approval> =>
  (pendingApproval?.requests ?? []).flatMap(({ binding: _, ...request }) =>
    pendingApproval?.decisions.some(({ id }) => id === request.id) === true ? [] : [request]
  )
