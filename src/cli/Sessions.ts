/** Reads the sessions of a store. */
import * as Effect from "effect/Effect"
import type * as SessionStore from "../services/session/SessionStore.js"

const pageSize = 200

/** Returns the summaries of sessions, last updated first, and at most `limit`. */
export const summaries = (
  store: SessionStore.Service,
  query: { readonly userId?: string; readonly limit: number }
) =>
  Effect.gen(function*() {
    const found: Array<SessionStore.SessionSummary> = []
    let cursor: string | undefined
    do {
      const limit = Math.min(pageSize, query.limit - found.length)
      const page = yield* store.list({ ...query, limit, ...(cursor !== undefined && { cursor }) })
      for (const item of page.items) found.push(item)
      cursor = page.next
    } while (cursor !== undefined && found.length < query.limit)
    return found
  })
