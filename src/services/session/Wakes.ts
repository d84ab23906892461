/**
 * Those who wait for what is due in a store are told of commits in their own process, so that they need not ask.
 *
 * @since 0.1.0
 */

/** Told the time of the earliest thing that is due in a session that was just written, in milliseconds since 1970. */
type Listener = (at: number) => void

const listeners = new WeakMap<object, Set<Listener>>()

/**
 * A session of the store was written, in which something is due at this time.
 *
 * @since 0.1.0
 * @category combinators
 */
export const tell = (store: object, at: number): void => {
  for (const listener of listeners.get(store) ?? []) listener(at)
}

/**
 * Listens until the function that it gives is called.
 *
 * @since 0.1.0
 * @category combinators
 */
export const listen = (store: object, listener: Listener): () => void => {
  const all = listeners.get(store) ?? new Set<Listener>()
  listeners.set(store, all.add(listener))
  return () => void all.delete(listener)
}
