/**
 * Those who wait for what is due in a store are told of commits in their own process, so that they need not ask.
 *
 * @since 0.1.0
 */

/** What a commit means for those who wait. */
export type StoreNotification =
  /** Something is due in a session that was just written: the earliest, in milliseconds since 1970. */
  | { readonly _tag: "Due"; readonly sessionId: string; readonly at: number }
  /** These jobs are not in their session any more: they were cancelled, or their result is stored. */
  | { readonly _tag: "Gone"; readonly jobs: ReadonlyArray<string> }

type Listener = (news: StoreNotification) => void

const listeners = new WeakMap<object, Set<Listener>>()

/**
 * Tells what a commit to the store means.
 *
 * @since 0.1.0
 * @category combinators
 */
export const publish = (store: object, news: StoreNotification): void => {
  for (const listener of listeners.get(store) ?? []) listener(news)
}

/**
 * Listens until the function that it gives is called.
 *
 * @since 0.1.0
 * @category combinators
 */
export const subscribe = (store: object, listener: Listener): () => void => {
  const all = listeners.get(store) ?? new Set<Listener>()
  listeners.set(store, all.add(listener))
  return () => void all.delete(listener)
}
