/**
 * One turn at a time per session, in the order they came.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Runs the effect while it holds the session's lock; waiters are served first come, first served. */
  readonly withLock: (sessionId: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
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
  /** Undefined: the lock is taken. Else: how to wait for it. */
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
      // Still in the queue: leave it. The lock was handed over just then: hand it on.
      leave: Effect.sync(() => granted ? release(id) : void queue.delete(grant))
    }
  }
  return SessionLock.of({
    withLock: (id) => (effect) =>
      // Only waiting and working can be interrupted: between taking the lock and giving it back nothing is lost.
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const place = enqueue(id)
          const locked = Effect.ensuring(restore(effect), Effect.sync(() => release(id)))
          return place === undefined
            ? locked
            : Effect.zipRight(Effect.onInterrupt(restore(place.wait), () => place.leave), locked)
        })
      )
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<SessionLock> = Layer.effect(SessionLock, make)
