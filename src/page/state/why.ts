/**
 * The turns of a conversation with their explanations: turns that this page has seen, and earlier ones that the server
 * has recorded.
 */
import type { Sentence, Told } from "../../domain/turn/why/Why.js"
import * as Why from "../../domain/turn/why/Why.js"
import { definition } from "./agent.js"
import type { Conversation, SeenTurn } from "./conversation.js"
import { recorded } from "./recorded.js"

export interface Explained {
  readonly turn: number
  readonly message?: string
  readonly sentences: ReadonlyArray<Sentence>
  /** Milliseconds that the whole turn took; absent if the page did not see the turn. */
  readonly took?: number
  /** The version of the session after the turn; absent if the turn stored nothing. */
  readonly version?: number
}

/** Returns the version and the data of the session after a turn. */
const afterOf = ({ after, events }: SeenTurn): SeenTurn["after"] => {
  const last = events.at(-1)
  return after ?? (last?._tag === "TurnCompleted" ? last.response.session : undefined)
}

const explain = (one: SeenTurn, before: Told["before"]): Explained => {
  const { events, message, turn } = one
  const took = events.at(-1)?.at
  const version = afterOf(one)?.version
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
  // A turn that failed has the same number as the next turn, which replaces it.
  const all = new Map([...recorded(talk).value.turns, ...seen].map((one) => [one.turn, one]))
  let before: Told["before"]
  return [...all.values()].map((one) => {
    const told = explain(one, before)
    before = afterOf(one)?.data
    return told
  })
}

/** Returns the latest result of each condition. */
export const judged = (seen: ReadonlyArray<SeenTurn>): Readonly<Record<string, boolean>> =>
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
