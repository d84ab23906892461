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
  /** The version of the session after the turn; absent if the turn was not stored. */
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

/** The groups in which sentences are read: what changed first. */
export const groups = ["changed", "happened", "because", "asked"] as const
type Group = typeof groups[number]

const groupOf: { readonly [T in Sentence["_tag"]]?: Group } = {
  Took: "changed",
  Wrote: "changed",
  Refused: "changed",
  Forgot: "changed",
  Judged: "because",
  Noticed: "because",
  Scored: "because",
  Skipped: "because",
  Directed: "because",
  Won: "because",
  Dropped: "because",
  Noted: "because",
  Asked: "asked"
}

/** A sentence, with the number of times that the turn says it. */
export interface Line {
  readonly sentence: Sentence
  readonly times: number
}

const sameOf = ({ at: _a, behind: _b, ...told }: Sentence): string => JSON.stringify(told)

/** Returns the sentences of a group, each once, and the conditions that did not hold apart from them. */
export const linesOf = (
  sentences: ReadonlyArray<Sentence>,
  group: Group
): { readonly lines: ReadonlyArray<Line>; readonly notHeld: ReadonlyArray<Line> } => {
  const lines = new Map<string, Line>()
  for (const sentence of sentences) {
    if (sentence._tag === "Said" || (groupOf[sentence._tag] ?? "happened") !== group) continue
    const known = lines.get(sameOf(sentence))
    lines.set(sameOf(sentence), { sentence: known?.sentence ?? sentence, times: (known?.times ?? 0) + 1 })
  }
  const all = [...lines.values()]
  return {
    lines: all.filter(({ sentence }) => !Why.isNotHeld(sentence)),
    notHeld: all.filter(({ sentence }) => Why.isNotHeld(sentence))
  }
}
