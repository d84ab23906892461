/** A store as another process sees it: the same sessions with its own lock. */
import type { SessionStore } from "coxswain"
import { SessionLock } from "coxswain"
import { Effect } from "effect"

export const view = (store: SessionStore.Service): SessionStore.Service => ({
  ...store,
  lock: Effect.runSync(SessionLock.make)
})
