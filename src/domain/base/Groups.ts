/** Grouping of list elements. */
import type { NonEmptyReadonlyArray } from "effect/Array"

/** Groups elements by key. Groups keep the order of the list and are ordered by their first element. */
export const by = <A, K>(all: Iterable<A>, keyOf: (one: A) => K): ReadonlyMap<K, NonEmptyReadonlyArray<A>> => {
  const groups = new Map<K, [A, ...Array<A>]>()
  for (const one of all) {
    const key = keyOf(one)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return groups
}
