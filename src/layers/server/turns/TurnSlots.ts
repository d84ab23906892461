/** The running turns of this process: for the limit per user, and for a server that waits for them before it stops. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Problem from "../requests/Problem.js"

/**
 * A running turn as this server counts it: for its user's limit, and for the wait of a stopping server. It exists from
 * before the turn begins until the turn's record is written.
 */
export interface TurnSlot {
  readonly turnId?: string | undefined
  /** Stops the turn, and waits until it has stopped. Has no effect until the turn has begun. */
  abort: Effect.Effect<void>
  /**
   * Number of clients that wait for the turn: the client that began it, and clients that sent the same message again.
   */
  clients: number
  /** Frees the slot when the turn has ended, so that its user may begin another turn. */
  readonly free: () => void
  /** Frees the slot, and marks the turn's record as written, so that a stopping server no longer waits for it. */
  readonly leave: () => void
}

export interface TurnSlots {
  /**
   * Takes a slot for a turn of a user. Slots of the turns that the new turn replaces (`insteadOf`) are not counted.
   * Without `turn`, takes a slot that does not count for a user's limit.
   */
  readonly take: (
    turn?: { readonly turnId: string; readonly userId: string },
    insteadOf?: ReadonlyArray<string>
  ) => Either.Either<TurnSlot, Problem.Problem>
  /** Adds a client to a turn of this or another process. Returns the effect to run when that client disconnects. */
  readonly attend: (turnId: string) => Effect.Effect<void>
  /** True if new turns are accepted. */
  readonly isOpen: () => boolean
  /** True while running turns are being stopped. A turn that has taken a slot but has not begun must then not begin. */
  readonly isHalted: () => boolean
  /** Refuses further slots, waits until the taken slots are left, and stops turns that still run after `limit`. */
  readonly close: (limit: Duration.DurationInput) => Effect.Effect<void>
}

/** Removes a client from a turn. If it was the last client, stops the turn, and waits until it has stopped. */
export const leaving = (place: TurnSlot): Effect.Effect<void> =>
  Effect.suspend(() => --place.clients === 0 ? place.abort : Effect.void)

/** How long a stopping server waits for the records of the turns it has stopped. */
const writing = "5 seconds"

const tooMany = (most: number) =>
  Problem.make(429, "TooManyTurns", "Too many turns at once", `A user may have ${most} turns at a time.`, {
    retryAfter: 1
  })

/** `most`: maximum number of concurrent turns of a user. */
export const make = (most: number): TurnSlots => {
  const taken = new Set<TurnSlot>()
  const perUser = new Map<string, number>()
  const idle = Effect.unsafeMakeLatch(true)
  let open = true
  let halted = false

  const of = (userId: string) => perUser.get(userId) ?? 0
  const count = (userId: string, change: 1 | -1) => {
    const now = of(userId) + change
    if (now > 0) perUser.set(userId, now)
    else perUser.delete(userId)
  }
  const enter = (turnId: string | undefined, userId: string | undefined): TurnSlot => {
    let isCounted = userId !== undefined
    if (userId !== undefined) count(userId, 1)
    const free = () => {
      if (isCounted) count(userId!, -1)
      isCounted = false
    }
    const place: TurnSlot = {
      turnId,
      abort: Effect.void,
      clients: 1,
      free,
      leave: () => {
        free()
        taken.delete(place)
        if (taken.size === 0) idle.unsafeOpen()
      }
    }
    taken.add(place)
    idle.unsafeClose()
    return place
  }
  const placeOf = (turnId: string) => Array.from(taken).find((place) => place.turnId === turnId)

  return {
    take: (turn, insteadOf = []) => {
      if (!open) return Either.left(Problem.stopping)
      if (
        turn !== undefined &&
        of(turn.userId) - insteadOf.filter((turnId) => placeOf(turnId) !== undefined).length >= most
      ) {
        return Either.left(tooMany(most))
      }
      return Either.right(enter(turn?.turnId, turn?.userId))
    },
    attend: (turnId) => {
      const place = placeOf(turnId)
      if (place === undefined) return Effect.void
      place.clients++
      return leaving(place)
    },
    isOpen: () => open,
    isHalted: () => halted,
    close: (limit) =>
      Effect.gen(function*() {
        open = false
        // A server stops in a finalizer, which cannot be interrupted. Without this, it would wait for the turns without
        // a limit.
        const left = Effect.interruptible(idle.await)
        yield* Effect.timeoutOption(left, limit)
        halted = true
        yield* Effect.forEach(Array.from(taken), ({ abort }) => abort, { concurrency: "unbounded", discard: true })
        yield* Effect.timeoutOption(left, writing)
      })
  }
}
