/**
 * What a turn found in its store.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import type * as TurnEntry from "../../domain/turn/TurnEntry.js"
import type { StoredMessage, StoredSession } from "../../services/session/SessionStore.js"
import type * as TurnLog from "../../services/turn/TurnLog.js"

/** With messages before the last ones: a turn reads on where it was taken back from some of those. */
export const withEarlier = (
  loaded: Option.Option<StoredSession> = Option.none(),
  earlier: ReadonlyArray<StoredMessage>
): Option.Option<StoredSession> =>
  Option.map(loaded, (found) => {
    const first = found.messages[0]?.seq ?? Infinity
    return { ...found, messages: [...earlier.filter(({ seq }) => seq < first), ...found.messages] }
  })

/** What the log has of sessions: the version that the last recorded turn left, by session, at most ten thousand. */
const left = new WeakMap<TurnLog.Service, Map<string, number>>()
const mostLeft = 10_000

export const leftBy = (log: TurnLog.Service): Map<string, number> => {
  const known = left.get(log) ?? new Map<string, number>()
  left.set(log, known)
  if (known.size > mostLeft) known.clear()
  return known
}

/** What the turn found, where the log does not say so already. */
export const beforeOf = (
  log: TurnLog.Service,
  sessionId: string,
  loaded: Option.Option<StoredSession>
): Pick<TurnEntry.TurnEntry, "before"> => {
  const known = leftBy(log).get(sessionId) ?? 0
  return Option.match(loaded, {
    onNone: () => known === 0 ? {} : { before: { session: null, messages: [] } },
    onSome: ({ messages, session, version }) => known === version ? {} : { before: { session, messages } }
  })
}
