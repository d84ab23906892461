/** Copies of conversations for experiments: lists leave them out unless asked, and one is compared with its original. */
import { signal } from "@preact/signals"
import type { Item, Talk } from "./items.js"

/** True if the list of sessions and the desk show copies, too. */
export const areCopiesShown = signal(false)

interface Listed {
  /** Id of the session of which this one is a copy. */
  readonly forkedFrom?: string | undefined
}

/** Returns the sessions without copies, unless the reader wants to see those. */
export const withoutCopies = <A>(
  sessions: ReadonlyArray<A>,
  of: (session: A) => Listed | undefined
): ReadonlyArray<A> =>
  areCopiesShown.value ? sessions : sessions.filter((session) => of(session)?.forkedFrom === undefined)

/** Returns the name that the user gave to a session, without the user's prefix in the session's id. */
export const nameOf = (id: string): string => id.replace(/^~[0-9a-f]{8,64}~/, "")

interface Compared {
  readonly here: ReadonlyArray<string>
  readonly there: ReadonlyArray<string>
  readonly differs: boolean
}

const textOf = (item: Item): string => item.kind === "tool" ? `${item.name}: ${item.outcome ?? "…"}` : item.text

/** Returns the texts of each turn, by the number of the message that began it. */
const turnsOf = ({ items }: Talk): ReadonlyMap<number, ReadonlyArray<string>> => {
  const turns = new Map<number, Array<string>>()
  for (const item of items) turns.set(item.turn, [...turns.get(item.turn) ?? [], textOf(item)])
  return turns
}

/**
 * Returns both conversations turn by turn, each turn with `differs`: true if the texts are not the same. Leaves out
 * turns before the first turn that both pages have loaded. Turns can be compared by number, because a fork has the
 * numbers of the original.
 */
export const compare = (here: Talk, there: Talk): ReadonlyArray<Compared> => {
  const [one, other] = [turnsOf(here), turnsOf(there)]
  const first = Math.max(...[one, other].map((turns) => Math.min(...turns.keys(), Infinity)).filter(Number.isFinite), 0)
  const numbers = [...new Set([...one.keys(), ...other.keys()])].filter((turn) => turn >= first).sort((a, b) => a - b)
  return numbers.map((turn) => {
    const [left, right] = [one.get(turn) ?? [], other.get(turn) ?? []]
    return { here: left, there: right, differs: JSON.stringify(left) !== JSON.stringify(right) }
  })
}
