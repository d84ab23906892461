/**
 * Names for the lives of sessions.
 *
 * @since 0.2.0
 */
import * as Effect from "effect/Effect"
import { digest } from "../../domain/session/Approval.js"

/**
 * Gives the name of a life that begins now, and of the user who begins it, if that is known. Nothing in it is drawn by
 * chance, so that a turn that is played back or repeated in a test has the same one.
 *
 * @since 0.2.0
 * @category models
 */
export type NewEpoch = (userId?: string) => Effect.Effect<string | undefined>

const makers = new WeakMap<object, NewEpoch>()

const make = (): NewEpoch => {
  let last = -1
  let count = 0
  return (userId = "") =>
    Effect.clockWith((clock) => {
      // A recorded turn keeps what it asks of the clock; this is none of it.
      const now = clock.unsafeCurrentTimeMillis()
      // Lives that begin in the same millisecond are told apart by their number.
      count = now === last ? count + 1 : 0
      last = now
      return Effect.succeed(digest([now, count, userId]).slice(0, 24))
    })
}

/**
 * What agents over one store of this process share.
 *
 * @since 0.2.0
 * @category constructors
 */
export const ofStore = (store: object): NewEpoch => {
  const maker = makers.get(store) ?? make()
  makers.set(store, maker)
  return maker
}
