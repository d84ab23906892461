/**
 * How the server shares its thread with its sockets.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"

/** How often fibers go on before the sockets and timers of the process are looked at. */
const most = 32

/**
 * A scheduler under which fibers that always have something to do let the process accept connections, read requests and
 * run timers in between.
 *
 * Effect's own runs fibers as promise jobs, and while there are such jobs Node looks at nothing else: with a few hundred
 * turns at once it was seconds before a new connection was accepted, one at a time, and before anybody heard of a stop.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Scheduler.Scheduler => {
  let spent = 0
  return Scheduler.makeBatched((run) => {
    if (spent++ < most) return void Promise.resolve().then(run)
    // All that runs in the same round of the event loop shares one allowance.
    if (spent === most + 1) setImmediate(() => spent = 0)
    setImmediate(run)
  })
}

/**
 * The scheduler for a server, unless the application has chosen one.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never> = Layer.unwrapEffect(
  Effect.map(
    FiberRef.get(FiberRef.currentScheduler),
    (current) => current === Scheduler.defaultScheduler ? Layer.setScheduler(make()) : Layer.empty
  )
)
