/**
 * The turns of this process that are under way: how many a user has, and what a server waits for before it stops.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Problem from "./Problem.js"

/** What a turn has from before it begins until all is written that is to be written of it. */
export interface TurnSlot {
  readonly turnId?: string | undefined
  /** Stops what runs, and waits until it has stopped; nothing to stop until it was begun. */
  abort: Effect.Effect<void>
  /** How many clients wait for the turn: the one that began it, and those that said the same message again. */
  clients: number
  /** The turn is over: its user may have another one. */
  readonly free: () => void
  /** There is nothing left to wait for. */
  readonly leave: () => void
}

export interface TurnSlots {
  /** A place for a turn of a user, who gets that of the turns it puts an end to; without a turn, one that is not counted. */
  readonly take: (
    turn?: { readonly turnId: string; readonly userId: string },
    insteadOf?: ReadonlyArray<string>
  ) => Either.Either<TurnSlot, Problem.Problem>
  /** One more client waits for a turn of this process, or of another one; gives what it does when it goes away. */
  readonly attend: (turnId: string) => Effect.Effect<void>
  /** Whether new turns are taken. */
  readonly isOpen: () => boolean
  /** Whether what runs is being stopped: what has a place and was not begun yet is not begun any more. */
  readonly isHalted: () => boolean
  /** Gives out no more places, waits for those that are taken, and stops what runs on after `limit`. */
  readonly close: (limit: Duration.DurationInput) => Effect.Effect<void>
}

/** A client that waits for a turn goes away; the last one stops it, and waits until it has stopped. */
export const leaving = (place: TurnSlot): Effect.Effect<void> =>
  Effect.suspend(() => --place.clients === 0 ? place.abort : Effect.void)

/** How long a server that has stopped its turns waits until what they told is written down. */
const writing = "5 seconds"

const tooMany = (most: number) =>
  Problem.make(429, "TooManyTurns", "Too many turns at once", `A user may have ${most} turns at a time.`, {
    retryAfter: 1
  })

/** `most`: how many turns a user may have at a time. */
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
        yield* Effect.timeoutOption(idle.await, limit)
        halted = true
        yield* Effect.forEach(Array.from(taken), ({ abort }) => abort, { concurrency: "unbounded", discard: true })
        yield* Effect.timeoutOption(idle.await, writing)
      })
  }
}
