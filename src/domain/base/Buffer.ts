/**
 * A buffer between writers and one reader that pulls. `Mailbox` and `Queue` can do more, but would make the bundle of
 * an agent four kilobytes larger.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Pull } from "./PullStream.js"

export interface Buffer<A, E> {
  /** Adds an element; false if the buffer is full or has ended. */
  readonly add: (element: A) => boolean
  /** Adds an element as soon as there is room; drops it if the buffer has ended. */
  readonly put: (element: A) => Effect.Effect<void>
  /** Ends the buffer, unless it has ended. The reader first gets the elements in the buffer, then this end. */
  readonly end: (exit: Exit.Exit<unknown, E>) => void
  /** Returns all elements in the buffer; waits for the first one. */
  readonly pull: Pull<A, E>
}

/** Makes a buffer of at most `capacity` elements. */
export const make = <A, E>(capacity: number): Buffer<A, E> => {
  let held: Array<A> = []
  let ended: Exit.Exit<unknown, E> | undefined
  const more = Effect.unsafeMakeLatch(false)
  const room = Effect.unsafeMakeLatch(true)
  const add = (element: A): boolean => {
    if (ended !== undefined || held.length >= capacity) return false
    held.push(element)
    more.unsafeOpen()
    return true
  }
  const put = (element: A): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (add(element) || ended !== undefined) return Effect.void
      room.unsafeClose()
      return Effect.zipRight(room.await, put(element))
    })
  const pull: Pull<A, E> = Effect.suspend(() => {
    if (held.length > 0) {
      const elements = held
      held = []
      room.unsafeOpen()
      return Effect.succeed(elements)
    }
    if (ended === undefined) {
      more.unsafeClose()
      return Effect.zipRight(more.await, pull)
    }
    return Exit.isSuccess(ended)
      ? Effect.fail(Option.none())
      : Effect.mapError(Effect.failCause(ended.cause), Option.some)
  })
  const end = (exit: Exit.Exit<unknown, E>): void => {
    ended ??= exit
    more.unsafeOpen()
    room.unsafeOpen()
  }
  return { add, put, end, pull }
}
