/** The turns of a conversation that the server has recorded, in the form of turns that the page has seen. */
import { type Signal, signal } from "@preact/signals"
import { recordOf } from "../../domain/turn/view/LooseJson.js"
import * as StoredView from "../../domain/turn/view/storedView.js"
import { ofRecorded } from "../../domain/turn/why/entryFacts.js"
import { ask } from "../net/api.js"
import type { JsonObject, Page, Past } from "../net/wire.js"
import type { Conversation, SeenTurn } from "./conversation.js"
import { textOfForm } from "./items.js"

const after = ({ entry, response }: Past) => response?.session ?? entry?.written.at(-1)?.session ?? {}

/** The messages of the turn itself, without those of a turn that it cancelled. */
const lastIn = ({ entry }: Past) => StoredView.grouped(entry?.written.at(-1)?.messages ?? []).at(-1)?.messages ?? []

/** Converts a recorded turn. `before` is the data before the turn, as far as it is known. */
const ofPast = (past: Past, turn: number, before: JsonObject): SeenTurn => {
  const { data, version } = after(past)
  const { event, message: said, values } = past.input ?? {}
  const message = StoredView.answeredIn(past.entry?.written.at(-1)) ?? said ??
    (values === undefined ? undefined : textOfForm(recordOf(values)))
  return {
    turn,
    began: 0,
    events: ofRecorded({ ...past, ...(typeof event === "string" && { event }) }, before) as SeenTurn["events"],
    ...(typeof message === "string" && { message }),
    ...(typeof version === "number" && { after: { version, data: recordOf(data) } })
  }
}

/** Recorded turns, and the value of `before` for the preceding page. */
interface Recorded {
  readonly turns: ReadonlyArray<SeenTurn>
  readonly earlier?: number
}

const load = async (talk: Conversation, before?: number): Promise<Recorded> => {
  const { items, next } = await ask<Page<Past, number>>(
    `${talk.path}/turns?limit=20${before === undefined ? "" : `&before=${before}`}`
  )
  // The last turn before this page of turns, if the session still lists it.
  const known = talk.session.value?.turns?.findLast(({ turn }) => turn < (items[0]?.n ?? 1))
  let ended = known?.messageCount ?? 0
  let data: JsonObject = {}
  const turns = items.map((one) => {
    const turn = lastIn(one)[0]?.seq ?? ended + 1
    const seen = ofPast(one, turn, data)
    const { messageCount } = after(one)
    if (typeof messageCount === "number") ended = messageCount
    data = recordOf(seen.after?.data ?? data)
    return seen
  })
  return { turns, ...(next !== undefined && { earlier: next }) }
}

const loaded = new WeakMap<Conversation, Signal<Recorded>>()

/** Returns the recorded turns of a conversation. They are loaded once; empty if the server records none. */
export const recorded = (talk: Conversation): Signal<Recorded> => {
  const known = loaded.get(talk)
  if (known !== undefined) return known
  const found = signal<Recorded>({ turns: [] })
  loaded.set(talk, found)
  void talk.open().then(() => talk.status.value === "ready" ? load(talk) : found.value)
    .then((first) => found.value = first, () => {})
  return found
}

/** Loads the recorded turns before those that are loaded. */
export const loadEarlier = async (talk: Conversation): Promise<void> => {
  const into = recorded(talk)
  const { earlier, turns } = into.value
  if (earlier === undefined) return
  const found = await load(talk, earlier)
  into.value = { ...found, turns: [...found.turns, ...turns] }
}
