/** The in-memory sessions of a replay. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type InvalidRequest, SessionConflict, type SessionStoreError } from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"
import * as UserRecord from "../../domain/fields/UserRecord.js"
import type { TurnEntry, Written } from "../../domain/turn/TurnEntry.js"
import type { StoredMessage } from "../../services/session/SessionStore.js"
import type { Runtime } from "../state/TurnState.js"
import { failureOf, only } from "./exitCodec.js"

/** A session during the replay. */
interface Kept {
  readonly version: number
  readonly session: JsonObject
  readonly messages: ReadonlyArray<StoredMessage>
}

/** Sessions by id. */
export type ReplaySessions = Map<string, Kept>

/** Stores the session that the recorded turn loaded. */
export const put = (shelf: ReplaySessions, { before, from, sessionId }: TurnEntry): void => {
  if (before === undefined) return
  if (before.session === null) shelf.delete(sessionId)
  else shelf.set(sessionId, { version: from, session: before.session, messages: before.messages })
}

/** Restores the session as a turn found it, from the recorded writes of the turns before. */
export const putAll = (before: ReadonlyArray<TurnEntry>, entry: TurnEntry): ReplaySessions => {
  const shelf: ReplaySessions = new Map()
  for (const earlier of before) {
    put(shelf, earlier)
    for (const { messages, refused, session } of earlier.written) {
      if (refused !== undefined) continue
      const kept = shelf.get(earlier.sessionId)?.messages ?? []
      shelf.set(earlier.sessionId, { version: Number(session.version), session, messages: [...kept, ...messages] })
    }
  }
  put(shelf, entry)
  return shelf
}

const storeFailures = only<SessionConflict | SessionStoreError | InvalidRequest>([
  "SessionConflict",
  "SessionStoreError",
  "InvalidRequest"
])

/** The record of the user's values as the turn read it. */
const kept = (user: JsonObject | undefined): Kept | undefined =>
  user && { version: Number(user.version), session: user, messages: [] }

/**
 * True if the turn did not write the user's record, because its session was stored meanwhile. No write of the session was
 * refused then.
 */
const isOvertaken = ({ end, written }: TurnEntry): boolean =>
  end === "SessionConflict" && written.every(({ refused }) => refused === undefined)

const unasked = Effect.dieMessage("a turn asked its store for what no turn asks")

/**
 * Makes the store of one replayed turn: it refuses the commits that were refused in the record, and adds all commits to
 * `written`.
 */
export const storeOf = (
  shelf: ReplaySessions,
  entry: TurnEntry,
  written: Array<Written>
): Runtime["store"] => ({
  load: (id, options) =>
    Effect.sync(() =>
      Option.map(
        Option.fromNullable(UserRecord.isRecord(id) ? kept(entry.user) : shelf.get(id)),
        ({ messages, session, version }) => {
          const count = options?.messages ?? 0
          return { id, version, session, messages: count <= 0 ? [] : messages.slice(-count) }
        }
      )
    ),
  commit: ({ expectedVersion, id, messages, session }) =>
    Effect.suspend(() => {
      if (UserRecord.isRecord(id)) {
        return isOvertaken(entry)
          ? Effect.fail(
            new SessionConflict({ sessionId: entry.sessionId, expected: entry.from, actual: entry.from + 1 })
          )
          : Effect.succeed({ version: expectedVersion + 1 })
      }
      const refused = entry.written[written.length]?.refused
      written.push({ session, messages, ...(refused !== undefined && { refused }) })
      if (refused !== undefined) return storeFailures(Effect.fail(failureOf(refused)))
      const version = expectedVersion + 1
      shelf.set(id, { version, session, messages: [...shelf.get(id)?.messages ?? [], ...messages] })
      return Effect.succeed({ version })
    }),
  response: () => Effect.succeedNone,
  journaled: (sessionId, turnKey) =>
    Effect.sync(() =>
      (entry.journal ?? []).map(({ at, fingerprint, outcome }) => ({
        sessionId,
        turnKey,
        fingerprint: String(fingerprint),
        outcome: outcome ?? null,
        at: String(at)
      }))
    ),
  journal: ({ outcome }) => Effect.succeed(outcome),
  messages: (id, { before = Infinity, limit }) =>
    Effect.sync(() => {
      const all = (shelf.get(id)?.messages ?? []).filter(({ seq }) => seq < before)
      const items = all.slice(Math.max(0, all.length - limit))
      return items.length < all.length && items[0] !== undefined ? { items, next: items[0].seq } : { items }
    }),
  list: () => unasked,
  remove: () => unasked,
  due: () => unasked,
  waiting: () => unasked,
  purge: () => unasked
})
