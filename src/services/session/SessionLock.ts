/** Runs the turns of a session one at a time, in the order of arrival. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SessionBusy, type SessionStoreError } from "../../domain/base/error/Errors.js"

/** Default time to wait for a session's lock. */
export const defaultWait: Duration.Duration = Duration.minutes(1)

export interface Service {
  /**
   * Runs the effect while it holds the session's lock; waiters are served in order of arrival. Fails with
   * `SessionBusy` when the lock was not free within `wait` (default `defaultWait`), and with `SessionStoreError` when
   * the database that holds the lock cannot be reached.
   */
  readonly withLock: (
    sessionId: string,
    options?: { readonly wait?: Duration.DurationInput | undefined }
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SessionBusy | SessionStoreError, R>
  /** The queue in which the turns of this process wait first. Present if the lock is shared by several processes. */
  readonly local?: Service | undefined
}

export class SessionLock extends Context.Tag("coxswain/SessionLock")<SessionLock, Service>() {}

const unsafeMake = (): Service => {
  // The waiting callers of each session, in order. A session is locked while it has an entry.
  const queues = new Map<string, Set<() => void>>()
  const release = (id: string) => {
    const queue = queues.get(id)!
    for (const next of queue) {
      queue.delete(next)
      return next()
    }
    queues.delete(id)
  }
  /** Takes the lock if it is free and returns undefined; otherwise returns the effect that waits for it. */
  const enqueue = (id: string) => {
    const queue = queues.get(id)
    if (queue === undefined) {
      queues.set(id, new Set())
      return undefined
    }
    let granted = false
    const turn = Effect.unsafeMakeLatch(false)
    const grant = () => {
      granted = true
      turn.unsafeOpen()
    }
    queue.add(grant)
    return {
      wait: turn.await,
      // Leaves the queue. If the lock was granted at the moment of the interruption, passes it on.
      leave: Effect.sync(() => granted ? release(id) : void queue.delete(grant))
    }
  }
  return SessionLock.of({
    withLock: (id, { wait = defaultWait } = {}) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      // Only the wait and the work can be interrupted, so that a lock that was taken is always released.
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend((): Effect.Effect<A, E | SessionBusy, R> => {
          const place = enqueue(id)
          const locked = Effect.matchCauseEffect(restore(effect), {
            onFailure: (cause) => {
              release(id)
              return Exit.failCause(cause)
            },
            onSuccess: (value) => {
              release(id)
              return Exit.succeed(value)
            }
          })
          if (place === undefined) return locked
          const late = Effect.zipRight(
            place.leave,
            Effect.suspend(() => Effect.fail(new SessionBusy({ sessionId: id, after: Duration.decode(wait) })))
          )
          return restore(Effect.timeoutOption(place.wait, wait)).pipe(
            Effect.onInterrupt(() => place.leave),
            Effect.flatMap((granted): Effect.Effect<A, E | SessionBusy, R> => Option.isSome(granted) ? locked : late)
          )
        })
      )
  })
}

/** Makes a lock for this process. It holds an entry for a session only while the session is locked. */
export const make: Effect.Effect<Service> = Effect.sync(unsafeMake)

const locks = new WeakMap<object, Service>()

/** Makes turns wait in the queue of a store before they wait for a lock, so that the order of the queue decides. */
const behind = (queue: Service, lock: Service): Service => ({
  withLock: (sessionId, options) => (effect) =>
    queue.withLock(sessionId, options)(lock.withLock(sessionId, options)(effect)),
  local: queue
})

/**
 * Returns the lock of a store: the store's own lock or, if it has none, one that this process keeps for the store.
 * Agents with the same store wait for each other's turns; agents with different stores do not.
 *
 * A lock that the application provides to an agent replaces the store's lock, but not the queue of this process: two
 * agents with the same store wait for each other in this queue, whatever locks they were given.
 */
export const ofStore = (store: { readonly lock?: Service | undefined }, provided?: Service): Service => {
  const own = store.lock ?? locks.get(store) ?? unsafeMake()
  locks.set(store, own)
  const queue = own.local ?? own
  return provided === undefined || provided === own || provided === queue ? own : behind(queue, provided)
}

export const layer: Layer.Layer<SessionLock> = Layer.effect(SessionLock, make)
