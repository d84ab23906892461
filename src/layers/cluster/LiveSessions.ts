/**
 * The session store of a node. It keeps the sessions that this node owns in memory between their turns. Requests for
 * other sessions go directly to the store that all nodes share. As in every store, the version decides which of two
 * writes wins.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { SessionStoreError } from "../../domain/base/error/Errors.js"
import * as SessionLock from "../../services/session/SessionLock.js"
import type { Service, SessionWrite, StoredMessage, StoredSession } from "../../services/session/SessionStore.js"
import * as StoreNotifications from "../../services/session/StoreNotifications.js"

/** The part of a stored session that is in memory. */
interface CachedSession {
  /** The stored session; None if no session with this id is stored. */
  readonly session: Option.Option<Omit<StoredSession, "messages">>
  /** The last messages. */
  readonly messages: ReadonlyArray<StoredMessage>
  /** True if `messages` are all messages of the session. */
  readonly whole: boolean
}

/** A session in the memory of this node. */
interface Live {
  kept: CachedSession | undefined
  /** Counts the writes: a load that began before a write must not replace what the write has stored in memory. */
  writes: number
  /** The largest number of messages that a load has requested so far. */
  most: number
  /** The earliest known time at which a timer or a job of the session is due. */
  wakeAt: string | undefined
  /** The time in the last wake-up that was stored for the session. */
  armed: string | undefined
  /** Opens at the next write. */
  changed: Effect.Latch
}

/** The sessions of a node. */
export interface LiveSessions {
  /** The store for the agent of this node. Its `due` lists only the sessions in the memory of this node. */
  readonly store: Service
  /** Keeps a session in memory from now on. */
  readonly open: (sessionId: string) => void
  /** Drops a session from memory. */
  readonly close: (sessionId: string) => void
  /** Reports that a timer or a job of the session is due. */
  readonly due: (sessionId: string, at: DateTime.Utc) => void
  /** Returns an effect that waits for the first write of the session after this call. */
  readonly nextWrite: (sessionId: string) => Effect.Effect<void>
}

/** Stores the time of a session's next wake-up. The node that owns the session at that time gets it. */
export type Arm = (sessionId: string, at: DateTime.Utc) => Effect.Effect<void, SessionStoreError>

const last = <A>(items: ReadonlyArray<A>, n: number): ReadonlyArray<A> => n <= 0 ? [] : items.slice(-n)

/** Returns the session after a write, if it can be computed from the session in memory. */
const written = (before: CachedSession | undefined, write: SessionWrite, most: number): CachedSession | undefined => {
  const version = before === undefined
    ? undefined
    : Option.match(before.session, { onNone: () => 0, onSome: ({ version }) => version })
  if (before === undefined || version !== write.expectedVersion) return undefined
  const all = [...before.messages, ...write.messages]
  const messages = last(all, most)
  const session = { id: write.id, version: write.expectedVersion + 1, session: write.session }
  return { session: Option.some(session), messages, whole: before.whole && messages.length === all.length }
}

/** Makes the store of a node from the store that all nodes share. `arm` stores the wake-ups of its sessions. */
export const make = (store: Service, arm: Arm): Effect.Effect<LiveSessions> =>
  Effect.map(SessionLock.make, (lock) => {
    const sessions = new Map<string, Live>()
    const keep = (live: Live, kept: CachedSession | undefined) => {
      live.kept = kept
      live.writes++
      live.changed.unsafeOpen()
      live.changed = Effect.unsafeMakeLatch(false)
    }
    const loaded = (live: Live, id: string, messages: number) =>
      Effect.suspend(() => {
        live.most = Math.max(live.most, messages)
        const { most, writes } = live
        return Effect.map(store.load(id, { messages: most }), (found) => {
          const kept: CachedSession = Option.match(found, {
            onNone: () => ({ session: Option.none(), messages: [], whole: true }),
            onSome: ({ messages, ...session }) => ({
              session: Option.some(session),
              messages,
              whole: messages.length < most
            })
          })
          if (live.writes === writes) live.kept = kept
          return kept
        })
      })
    const load: Service["load"] = (id, options = {}) => {
      const { messages = 0 } = options
      const live = sessions.get(id)
      if (live === undefined) return store.load(id, options)
      const { kept } = live
      const covered = kept !== undefined && (kept.whole || kept.messages.length >= messages)
      return Effect.map(covered ? Effect.succeed(kept) : loaded(live, id, messages), (kept) =>
        Option.map(kept.session, (session) => ({ ...session, messages: last(kept.messages, messages) })))
    }
    /**
     * Stores the wake-up before the session: an unneeded wake-up does no harm, but without a wake-up the timer or job
     * would not run.
     */
    const armed = (live: Live, { id, wakeAt }: SessionWrite) =>
      wakeAt === undefined || wakeAt === live.armed
        ? Effect.void
        : Effect.map(arm(id, DateTime.unsafeMake(wakeAt)), () =>
          void (live.armed = wakeAt))
    const commit: Service["commit"] = (write) => {
      const live = sessions.get(write.id)
      if (live === undefined) {
        const stored = store.commit(write)
        return write.wakeAt === undefined
          ? stored
          : Effect.zipRight(arm(write.id, DateTime.unsafeMake(write.wakeAt)), stored)
      }
      return Effect.onExit(Effect.zipRight(armed(live, write), store.commit(write)), (exit) =>
        Effect.sync(() => {
          if (Exit.isSuccess(exit)) live.wakeAt = write.wakeAt
          keep(live, Exit.isSuccess(exit) ? written(live.kept, write, live.most) : undefined)
        }))
    }
    const remove: Service["remove"] = (id) =>
      Effect.onExit(store.remove(id), (exit) =>
        Effect.sync(() => {
          const live = sessions.get(id)
          if (live === undefined) return
          live.wakeAt = undefined
          live.armed = undefined
          keep(live, Exit.isSuccess(exit) ? { session: Option.none(), messages: [], whole: true } : undefined)
        }))
    const service: Service = {
      ...store,
      lock,
      load,
      commit,
      remove,
      due: ({ before, limit }) =>
        Effect.sync(() =>
          Array.from(sessions).flatMap(([sessionId, { wakeAt }]) =>
            wakeAt === undefined || wakeAt > before ? [] : [{ sessionId, wakeAt }]
          ).sort((a, b) => a.wakeAt < b.wakeAt ? -1 : 1).slice(0, limit)
        )
    }
    return {
      store: service,
      open: (id) => {
        if (sessions.has(id)) return
        const changed = Effect.unsafeMakeLatch(false)
        sessions.set(id, { kept: undefined, writes: 0, most: 0, wakeAt: undefined, armed: undefined, changed })
      },
      close: (id) => {
        sessions.get(id)?.changed.unsafeOpen()
        sessions.delete(id)
      },
      due: (sessionId, at) => {
        const live = sessions.get(sessionId)
        if (live === undefined) return
        live.wakeAt ??= DateTime.formatIso(at)
        StoreNotifications.publish(service, { _tag: "Due", sessionId, at: at.epochMillis })
      },
      nextWrite: (sessionId) => sessions.get(sessionId)?.changed.await ?? Effect.void
    }
  })
