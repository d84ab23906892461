/**
 * What belongs together in a list.
 *
 * @since 0.1.0
 */
import type { NonEmptyReadonlyArray } from "effect/Array"

/**
 * The parts of a list by their key, each group in the order of the list, and the groups in the order of their first.
 *
 * @since 0.1.0
 * @category combinators
 */
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
