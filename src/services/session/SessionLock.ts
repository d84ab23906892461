/**
 * One turn at a time per session, in the order they came.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SessionBusy, type SessionStoreError } from "../../domain/base/error/Errors.js"

/**
 * How long to wait for a session's lock unless told otherwise.
 *
 * @since 0.1.0
 * @category models
 */
export const defaultWait: Duration.Duration = Duration.minutes(1)

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * Runs the effect while it holds the session's lock; waiters are served first come, first served. Fails with
   * `SessionBusy` when the lock was not free within `wait` (default `defaultWait`), and with `SessionStoreError` when
   * a lock that is kept in a database cannot be asked for.
   */
  readonly withLock: (
    sessionId: string,
    options?: { readonly wait?: Duration.DurationInput | undefined }
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SessionBusy | SessionStoreError, R>
  /** Of a lock that several processes share: the queue that turns of this process wait in first. */
  readonly local?: Service | undefined
}

/**
 * @since 0.1.0
 * @category tags
 */
export class SessionLock extends Context.Tag("coxswain/SessionLock")<SessionLock, Service>() {}

/**
 * A lock for this process. An entry lives only while its session is locked.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service> = Effect.sync(() => {
  // A session is locked while it has an entry; the entry is the queue of those who wait.
  const queues = new Map<string, Set<() => void>>()
  const release = (id: string) => {
    const queue = queues.get(id)!
    for (const next of queue) {
      queue.delete(next)
      return next()
    }
    queues.delete(id)
  }
  /** `undefined` when the lock was free and is now taken; otherwise the effect that waits for it. */
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
      // When interrupted while still in the queue, leave it. When the lock was handed over at that moment, hand it
      // on.
      leave: Effect.sync(() => granted ? release(id) : void queue.delete(grant))
    }
  }
  return SessionLock.of({
    withLock: (id, { wait = defaultWait } = {}) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      // Only waiting and working can be interrupted: between taking the lock and giving it back nothing is lost.
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
})

const locks = new WeakMap<object, Service>()

/** A lock behind the queue of a store: whoever comes first to the queue comes first. */
const behind = (queue: Service, lock: Service): Service => ({
  withLock: (sessionId, options) => (effect) =>
    queue.withLock(sessionId, options)(lock.withLock(sessionId, options)(effect)),
  local: queue
})

/**
 * The lock of a store: the one that it brings, else one for each store of this process. Agents over one store take turns,
 * and agents over different stores do not wait for each other.
 *
 * A lock that was provided to the agent takes the place of the store's, except for the queue within this process: two
 * agents over one store take turns in it, whatever locks they were given.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofStore = (store: { readonly lock?: Service | undefined }, provided?: Service): Service => {
  const own = store.lock ?? locks.get(store) ?? Effect.runSync(make)
  locks.set(store, own)
  const queue = own.local ?? own
  return provided === undefined || provided === own || provided === queue ? own : behind(queue, provided)
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<SessionLock> = Layer.effect(SessionLock, make)
