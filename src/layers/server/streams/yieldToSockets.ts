/** A scheduler that lets fibers share their thread with the sockets of the process. */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"

/** Number of times that fibers run in a round of the event loop before sockets and timers are served. */
const most = 32

/**
 * Makes a scheduler that lets the process accept connections, read requests and run timers even if fibers always have
 * work.
 *
 * Effect's own scheduler runs fibers as promise jobs, and Node serves only these while there are any: with a few
 * hundred concurrent turns it took seconds to accept a new connection, or to notice a stop.
 */
export const make = (): Scheduler.Scheduler => {
  let spent = 0
  return Scheduler.makeBatched((run) => {
    if (spent++ < most) return void Promise.resolve().then(run)
    // All runs in one round of the event loop are counted together.
    if (spent === most + 1) setImmediate(() => spent = 0)
    setImmediate(run)
  })
}

/** The scheduler for a server, unless the application has set one. */
export const layer: Layer.Layer<never> = Layer.unwrapEffect(
  Effect.map(
    FiberRef.get(FiberRef.currentScheduler),
    (current) => current === Scheduler.defaultScheduler ? Layer.setScheduler(make()) : Layer.empty
  )
)
