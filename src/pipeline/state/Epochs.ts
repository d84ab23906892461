/** Generates the epoch of a session, which distinguishes it from an earlier or later session with the same id. */
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"

/**
 * Returns an epoch for a session that begins now, for the user who begins it, if known. It is computed from the clock
 * and the user id, without randomness, so that a replayed or repeated turn gets the same one.
 */
export type NewEpoch = (userId?: string) => Effect.Effect<string | undefined>

const makers = new WeakMap<object, NewEpoch>()

const make = (): NewEpoch => {
  let last = -1
  let count = 0
  return (userId = "") =>
    Effect.clockWith((clock) => {
      // Reads the clock directly, so that a recorded turn does not record this reading.
      const now = clock.unsafeCurrentTimeMillis()
      // The count distinguishes sessions that begin in the same millisecond.
      count = now === last ? count + 1 : 0
      last = now
      // The hash need not be secure, because an epoch gives access to nothing.
      const user = Hash.string(userId) >>> 0
      return Effect.succeed([now, count, user].map((part) => part.toString(36)).join("-"))
    })
}

/** Returns the generator that all agents over the same store in this process share. */
export const ofStore = (store: object): NewEpoch => {
  const maker = makers.get(store) ?? make()
  makers.set(store, maker)
  return maker
}
