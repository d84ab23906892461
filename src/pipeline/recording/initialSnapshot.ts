/** The session that a turn loaded from its store. */
import * as Option from "effect/Option"
import type * as TurnEntry from "../../domain/turn/TurnEntry.js"
import type { StoredMessage, StoredSession } from "../../services/session/SessionStore.js"
import type * as TurnLog from "../../services/turn/TurnLog.js"

/** Adds earlier messages that the turn has read, because a turn after a rewind reads further back. */
export const withEarlier = (
  loaded: Option.Option<StoredSession> = Option.none(),
  earlier: ReadonlyArray<StoredMessage>
): Option.Option<StoredSession> =>
  Option.map(loaded, (found) => {
    const first = found.messages[0]?.seq ?? Infinity
    return { ...found, messages: [...earlier.filter(({ seq }) => seq < first), ...found.messages] }
  })

/** For each log, the version of each session after its last recorded turn; at most ten thousand sessions. */
const left = new WeakMap<TurnLog.Service, Map<string, number>>()
const mostLeft = 10_000

export const leftBy = (log: TurnLog.Service): Map<string, number> => {
  const known = left.get(log) ?? new Map<string, number>()
  left.set(log, known)
  if (known.size > mostLeft) known.clear()
  return known
}

/** Returns the loaded session, if its version differs from its version after the last turn in the log. */
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
