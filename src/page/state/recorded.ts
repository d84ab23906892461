/** The turns of a conversation that the server has recorded, in the form of turns that the page has seen. */
import { type Signal, signal } from "@preact/signals"
import type { Fact } from "../../domain/turn/why/Why.js"
import * as Why from "../../domain/turn/why/Why.js"
import { ask } from "../net/api.js"
import { listOf, recordOf } from "../net/json.js"
import type { Json, JsonObject, Past } from "../net/wire.js"
import type { Conversation, Seen } from "./conversation.js"

const number = (u: unknown): number | undefined => typeof u === "number" ? u : undefined
const text = (u: unknown): string => typeof u === "string" ? u : ""

const writtenIn = (entry: JsonObject): JsonObject => recordOf(listOf(entry.written).at(-1))

/** The flow scores and conditions of a recorded turn. */
const understood = (entry: JsonObject): ReadonlyArray<Fact> =>
  listOf(entry.understood).map(({ end }): Fact => {
    const { conditions, flowScores } = recordOf(recordOf(end).value)
    return {
      _tag: "Understood",
      conditions: recordOf(conditions) as Readonly<Record<string, boolean>>,
      flowScores: recordOf(flowScores) as Readonly<Record<string, number>>
    }
  })

const usedIn = (entry: JsonObject): ReadonlyArray<Fact> =>
  [...listOf(entry.understood), ...listOf(entry.spoken)].flatMap(({ used }) =>
    listOf(used).map((one) => ({ _tag: "ModelCallFinished", ...one }) as Fact)
  )

const changedIn = (data: JsonObject, before: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(data).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
  )

const endedAs = ({ end, reply }: JsonObject): ReadonlyArray<Fact> =>
  end === "answered" || end === undefined
    ? []
    : end === "interrupted" || end === "gone"
    ? [{ _tag: "Interrupted", message: text(reply) }]
    : [{ _tag: "TurnFailed", error: { _tag: text(end), message: text(end) } } as Fact]

/** The facts of an entry of the turn log. An entry has no directives and no refused values. */
const ofEntry = (entry: JsonObject, before: JsonObject): ReadonlyArray<Fact> => {
  const collected = changedIn(recordOf(recordOf(writtenIn(entry).session).data), before)
  const steps: ReadonlyArray<Json> = Array.isArray(entry.steps) ? entry.steps : []
  return [
    ...Object.keys(collected).length === 0 ? [] : [{ _tag: "DataCollected", data: collected } as const],
    ...steps.map((step) => {
      const [flowId = "", stepId = ""] = text(step).split("/")
      return { _tag: "StepEntered", flowId, stepId } as const
    }),
    ...listOf(entry.called).map(({ callId, end, params = null, toolId }) => {
      const isGiven = recordOf(end)._tag === "Gave"
      const outcome = isGiven ? "ok" : "failed"
      const output = recordOf(end).value ?? null
      return {
        _tag: "ToolCallCompleted",
        id: callId,
        name: toolId,
        params,
        outcome,
        output,
        isFailure: !isGiven
      } as Fact
    }),
    ...usedIn(entry),
    ...endedAs(entry)
  ]
}

/** Converts a recorded turn. `before` is the data before it, as far as it is known. */
const ofPast = ({ entry = {}, input, response }: Past, turn: number, before: JsonObject): Seen => {
  const session = response?.session ?? recordOf(writtenIn(entry).session)
  const version = number(session.version)
  const facts: ReadonlyArray<Fact> = [
    { _tag: "TurnStarted", sessionId: "", ...(typeof input?.event === "string" && { event: input.event }) },
    ...understood(entry),
    ...(response === undefined ? ofEntry(entry, before) : Why.ofResponse(response))
  ]
  return {
    turn,
    began: 0,
    events: facts as Seen["events"],
    ...(typeof input?.message === "string" && { message: input.message }),
    ...(version !== undefined && { after: { version, data: recordOf(session.data) } })
  }
}

/** Recorded turns, and the `before` of the page that precedes them. */
interface Recorded {
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
  let data: JsonObject = {}
  const turns = items.map((one) => {
    const { messages, session } = writtenIn(one.entry ?? {})
    const turn = number(listOf(messages)[0]?.seq) ?? ended + 1
    const seen = ofPast(one, turn, data)
    ended = one.response?.session.messageCount ?? number(recordOf(session).messageCount) ?? ended
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
