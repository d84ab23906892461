/**
 * The turns of a conversation with their explanations: turns that this page has seen, and earlier ones that the server
 * has recorded.
 */
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

const messageOf = ({ input }: Past): string | undefined =>
  typeof input?.message === "string" ? input.message : undefined

/** Converts a recorded turn to the form of a turn that the page has seen. */
const ofPast = (past: Past, turn: number): Seen => {
  const message = messageOf(past)
  const event = typeof past.input?.event === "string" ? past.input.event : undefined
  const facts: ReadonlyArray<Fact> = [
    { _tag: "TurnStarted", sessionId: "", ...(event !== undefined && { event }) },
    ...understood(past.entry),
    ...(past.response === undefined ? [] : Why.ofResponse(past.response))
  ]
  return { turn, began: 0, events: facts as Seen["events"], ...(message !== undefined && { message }) }
}

/** Loads the turns that the server has recorded, oldest first; empty if the server records none. */
export const past = async (talk: Conversation): Promise<ReadonlyArray<Seen>> => {
  const { items } = await ask<{ readonly items: ReadonlyArray<Past> }>(`${talk.path}/turns?limit=50`)
    .catch(() => ({ items: [] }))
  let begins = 1
  return items.map((one) => {
    const count = one.response?.session.messageCount
    const turn = begins
    if (count !== undefined) begins = count + 1
    return ofPast(one, turn)
  })
}

const answerOf = ({ events }: Seen) => {
  const last = events.at(-1)
  return last?._tag === "TurnCompleted" ? last.response : undefined
}

/** Returns all known turns with their explaining sentences, oldest first. */
export const explained = (recorded: ReadonlyArray<Seen>, seen: ReadonlyArray<Seen>): ReadonlyArray<Explained> => {
  const own = new Set(seen.map(({ turn }) => turn))
  let before: Told["before"]
  return [...recorded.filter(({ turn }) => !own.has(turn)), ...seen].map((one) => {
    const { events, message, turn } = one
    const sentences = Why.sentences({ message, before, facts: events }, definition.value?.graph)
    before = answerOf(one)?.session?.data
    const took = one.began === 0 ? undefined : events.at(-1)?.at
    return { turn, sentences, ...(message !== undefined && { message }), ...(took !== undefined && { took }) }
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
