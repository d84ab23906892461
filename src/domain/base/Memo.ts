/**
 * Values that are computed from a part of a definition, computed once and kept as long as that part exists. With a
 * thousand flows, computing them for each message takes most of a turn's time.
 *
 * @since 0.1.0
 */

/**
 * The function, asked once for each object. The object must not change, and the function must depend on nothing else.
 *
 * @since 0.1.0
 * @category constructors
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
 * The same of a list. What is made of an empty one is not kept, because such lists are made all the time.
 *
 * @since 0.1.0
 * @category constructors
 */
export const list = <K extends ReadonlyArray<unknown>, A>(make: (list: K) => A): (list: K) => A => {
  const kept = weak(make)
  return (list) => list.length === 0 ? make(list) : kept(list)
}

/**
 * The function, asked once for each text as long as its value is among the last that were made. The text must say all that
 * the value depends on.
 *
 * @since 0.1.0
 * @category constructors
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
