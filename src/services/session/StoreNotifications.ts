/**
 * Notifies those who run what is due of commits in the same process, so that they need not wait for their next poll.
 */

import type { Session } from "../../domain/session/Session.js"

/** A notification about a commit. */
export type StoreNotification =
  /**
   * Something is due in a session that was just written; `at` is the earliest moment, in milliseconds since 1970.
   */
  | { readonly _tag: "Due"; readonly sessionId: string; readonly at: number }
  /** A turn or a rewind has replaced a session in which something was due. */
  | { readonly _tag: "Replaced"; readonly before: Session; readonly after: Session }

type Listener = (news: StoreNotification) => void

const listeners = new WeakMap<object, Set<Listener>>()

/** Notifies the listeners of the store of a commit. */
export const publish = (store: object, news: StoreNotification): void => {
  for (const listener of listeners.get(store) ?? []) listener(news)
}

/** Calls the listener with each notification of the store, until the returned function is called. */
export const subscribe = (store: object, listener: Listener): () => void => {
  const all = listeners.get(store) ?? new Set<Listener>()
  listeners.set(store, all.add(listener))
  return () => void all.delete(listener)
}
