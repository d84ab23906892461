/**
 * The turns of a conversation with their explanations: turns that this page has seen, and earlier ones that the server
 * has recorded.
 */
import { type Signal, signal } from "@preact/signals"
import type { Fact, Sentence, Told } from "../../domain/turn/why/Why.js"
import * as Why from "../../domain/turn/why/Why.js"
import { ask } from "../net/api.js"
import { listOf, recordOf } from "../net/json.js"
import type { JsonObject, Past } from "../net/wire.js"
import { definition } from "./agent.js"
import type { Conversation, Seen } from "./conversation.js"

export interface Explained {
  readonly turn: number
  readonly message?: string
  readonly sentences: ReadonlyArray<Sentence>
  /** Milliseconds that the whole turn took; absent if the page did not see the turn. */
  readonly took?: number
  /** The version of the session after the turn; absent if the turn stored nothing. */
  readonly version?: number
}

/** Reads the flow scores and the conditions from a recorded turn. */
const understood = (entry: JsonObject | undefined): ReadonlyArray<Fact> =>
  listOf(entry?.understood).flatMap(({ end }): ReadonlyArray<Fact> => {
    const { conditions, flowScores } = recordOf(recordOf(end).value)
    return [{
      _tag: "Understood",
      conditions: recordOf(conditions) as Readonly<Record<string, boolean>>,
      flowScores: recordOf(flowScores) as Readonly<Record<string, number>>
    }]
  })

const number = (u: unknown): number | undefined => typeof u === "number" ? u : undefined

const writtenIn = (entry: JsonObject | undefined) => recordOf(listOf(entry?.written).at(-1))

/** Converts a recorded turn to the form of a turn that the page has seen. */
const ofPast = ({ entry, input, response }: Past, turn: number): Seen => {
  const version = response?.session.version ?? number(recordOf(writtenIn(entry).session).version)
  const facts: ReadonlyArray<Fact> = [
    { _tag: "TurnStarted", sessionId: "", ...(typeof input?.event === "string" && { event: input.event }) },
    ...understood(entry),
    ...(response === undefined ? [] : Why.ofResponse(response))
  ]
  return {
    turn,
    began: 0,
    events: facts as Seen["events"],
    ...(typeof input?.message === "string" && { message: input.message }),
    ...(version !== undefined && { version })
  }
}

/** Recorded turns, and the `before` of the page that precedes them. */
export interface Recorded {
  readonly turns: ReadonlyArray<Seen>
  readonly earlier?: number
}

const load = async (talk: Conversation, before?: number): Promise<Recorded> => {
  const { items, next } = await ask<{ readonly items: ReadonlyArray<Past>; readonly next?: number }>(
    `${talk.path}/turns?limit=20${before === undefined ? "" : `&before=${before}`}`
  )
  // The turn before the page, if the session has it, ends before the page's first message.
  const known = talk.session.value?.turns?.findLast(({ turn }) => turn < (items[0]?.n ?? 1))
  let ended = known?.messageCount ?? 0
  const turns = items.map((one) => {
    const turn = number(listOf(writtenIn(one.entry).messages)[0]?.seq) ?? ended + 1
    ended = one.response?.session.messageCount ?? number(recordOf(writtenIn(one.entry).session).messageCount) ?? ended
    return ofPast(one, turn)
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

const answerOf = ({ events }: Seen) => {
  const last = events.at(-1)
  return last?._tag === "TurnCompleted" ? last.response : undefined
}

const explain = (one: Seen, before: Told["before"]): Explained => {
  const { began, events, message, turn } = one
  const took = began === 0 ? undefined : events.at(-1)?.at
  const version = one.version ?? answerOf(one)?.session?.version
  return {
    turn,
    sentences: Why.sentences({ message, before, facts: events }, definition.value?.graph),
    ...(message !== undefined && { message }),
    ...(took !== undefined && { took }),
    ...(version !== undefined && { version })
  }
}

/** Returns all known turns with their explaining sentences, oldest first. */
export const explained = (talk: Conversation): ReadonlyArray<Explained> => {
  const seen = talk.seen.value
  // A turn that failed has the number of the next one, which then takes its place.
  const all = new Map([...recorded(talk).value.turns, ...seen].map((one) => [one.turn, one]))
  let before: Told["before"]
  return [...all.values()].map((one) => {
    const told = explain(one, before)
    before = answerOf(one)?.session?.data
    return told
  })
}

/** Returns the latest result of each condition. */
export const judged = (seen: ReadonlyArray<Seen>): Readonly<Record<string, boolean>> =>
  Object.assign(
    {},
    ...seen.flatMap(({ events }) => events).map((event) => event._tag === "Understood" ? event.conditions : {})
  )

/** Returns the history of a field: each sentence about it, with its turn. */
export const history = (turns: ReadonlyArray<Explained>, field: string) =>
  turns.flatMap(({ sentences, turn }) =>
    sentences.flatMap((sentence) =>
      (sentence._tag === "Took" || sentence._tag === "Wrote" || sentence._tag === "Refused" ||
          sentence._tag === "Forgot") &&
        sentence.field === field
        ? [{ turn, sentence }]
        : []
    )
  )
