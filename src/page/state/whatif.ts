/** Compares a conversation with its fork. */
import type { Item } from "./items.js"

export interface Compared {
  readonly here: ReadonlyArray<string>
  readonly there: ReadonlyArray<string>
  readonly differs: boolean
}

const textOf = (item: Item): string => item.kind === "tool" ? `${item.name}: ${item.outcome ?? "…"}` : item.text

/** Returns the texts of each turn, in order. */
const turnsOf = (items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<string>> => {
  const turns = new Map<number, Array<string>>()
  for (const item of items) turns.set(item.turn, [...turns.get(item.turn) ?? [], textOf(item)])
  return [...turns.values()]
}

/** Returns both conversations turn by turn, each turn with `differs`: true if the texts are not the same. */
export const compare = (here: ReadonlyArray<Item>, there: ReadonlyArray<Item>): ReadonlyArray<Compared> => {
  const [one, other] = [turnsOf(here), turnsOf(there)]
  return Array.from({ length: Math.max(one.length, other.length) }, (_, i) => {
    const [left, right] = [one[i] ?? [], other[i] ?? []]
    return { here: left, there: right, differs: JSON.stringify(left) !== JSON.stringify(right) }
  })
}
