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
export const by = <K extends object, A>(make: (key: K) => A): (key: K) => A => {
  const kept = new WeakMap<K, { readonly made: A }>()
  return (key) => {
    const found = kept.get(key)
    if (found !== undefined) return found.made
    const made = make(key)
    kept.set(key, { made })
    return made
  }
}
