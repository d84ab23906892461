/**
 * Values that are computed once per part of a definition. In an agent with a thousand flows, computing them for each
 * message would take most of a turn's time.
 */

/**
 * Memoizes a function by object identity, as long as the object exists. The object must not change, and the function
 * must depend on the object only.
 */
export const weak = <K extends object, A>(make: (key: K) => A): (key: K) => A => {
  const kept = new WeakMap<K, { readonly made: A }>()
  return (key) => {
    const found = kept.get(key)
    if (found !== undefined) return found.made
    const made = make(key)
    kept.set(key, { made })
    return made
  }
}

/**
 * Like `weak`, for lists. Does not cache the result for an empty list, because new empty lists are created all the
 * time.
 */
export const list = <K extends ReadonlyArray<unknown>, A>(make: (list: K) => A): (list: K) => A => {
  const kept = weak(make)
  return (list) => list.length === 0 ? make(list) : kept(list)
}

/**
 * Memoizes values by text key, and keeps the `capacity` values that were created last. The key must contain everything
 * that the value depends on.
 */
export const lru = <A>(capacity: number): (key: string, make: () => A) => A => {
  const kept = new Map<string, { readonly made: A }>()
  return (key, make) => {
    const found = kept.get(key)
    if (found !== undefined) return found.made
    const made = make()
    kept.set(key, { made })
    if (kept.size > capacity) kept.delete(kept.keys().next().value!)
    return made
  }
}
