/**
 * The events of one turn: appended as they happen, read by any number of readers, each from the first event on and at
 * its own pace.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { acquireFast } from "../../domain/base/FiberRefs.js"
import type * as PullStream from "../../domain/base/PullStream.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import type { Sink } from "../state/TurnState.js"

/** Number of events that a reader may be behind. If a reader is further behind, the turn waits for it. */
const capacity = 16

/** The log of one turn's events. */
export interface EventLog {
  readonly sink: Pick<Sink, "emit" | "ready" | "backpressureMillis">
  /**
   * Marks the end of the events. The readers then end in the same way as the turn: with success, failure or
   * interruption.
   */
  readonly end: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>
  /** Lets the turn continue from now on without waiting for readers. */
  readonly release: Effect.Effect<void>
  /** Opens a reader. The turn waits for this reader while the scope is open. */
  readonly subscribe: PullStream.Open<TurnEvent, unknown>
}

interface Reader {
  /** Index before which the reader has processed all events: it has then asked for more. */
  done: number
  /** Index before which the reader was given all events. */
  given: number
  readonly more: Effect.Latch
}

/** Makes the log of a turn that has no events yet. */
export const make = (options: {
  /**
   * True if later readers get the events from the first on; otherwise an event is dropped once all readers have read
   * it.
   */
  readonly replay: boolean
}): EventLog => {
  let events: Array<TurnEvent> = []
  let forgotten = 0
  let ended: Exit.Exit<unknown, unknown> | undefined
  let released = false
  const readers = new Set<Reader>()
  /** The latch at which the turn waits. It is closed while a reader is too far behind. */
  const room = Effect.unsafeMakeLatch(true)
  let waited = 0
  let waits = 0
  let since = 0

  const length = () => forgotten + events.length
  const slowest = () => {
    let done = Infinity
    for (const reader of readers) done = Math.min(done, reader.done)
    return done
  }
  const isFull = () => !released && length() - slowest() >= capacity
  const readOn = () => {
    if (!options.replay) {
      const read = Math.min(length(), slowest()) - forgotten
      events = events.slice(read)
      forgotten += read
    }
    if (!isFull()) room.unsafeOpen()
  }

  // Several concurrent tools may wait at the same time; this time is counted once.
  const wait = Effect.acquireUseRelease(
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (waits++ === 0) since = now
    }),
    () => room.await,
    () =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (--waits === 0) waited += now - since
      })
  )

  const pull = (reader: Reader): PullStream.Pull<TurnEvent, unknown> =>
    Effect.suspend(() => {
      reader.done = reader.given
      readOn()
      if (reader.given < length()) {
        const next = events.slice(reader.given - forgotten)
        reader.given = length()
        return Effect.succeed(next)
      }
      if (ended === undefined) {
        reader.more.unsafeClose()
        return Effect.zipRight(reader.more.await, pull(reader))
      }
      return Exit.isSuccess(ended)
        ? Effect.fail(Option.none())
        : Effect.mapError(Effect.failCause(ended.cause), Option.some)
    })

  return {
    sink: {
      emit: (event) => {
        events.push(event)
        if (isFull()) room.unsafeClose()
        for (const { more } of readers) more.unsafeOpen()
      },
      ready: Effect.suspend(() => isFull() ? wait : Effect.void),
      backpressureMillis: (now) => waits === 0 ? waited : waited + now - since
    },
    end: (exit) =>
      Effect.sync(() => {
        ended = exit
        for (const { more } of readers) more.unsafeOpen()
      }),
    release: Effect.sync(() => {
      released = true
      room.unsafeOpen()
    }),
    subscribe: Effect.map(
      acquireFast(
        Effect.sync(() => {
          const reader: Reader = { done: forgotten, given: forgotten, more: Effect.unsafeMakeLatch(false) }
          readers.add(reader)
          if (isFull()) room.unsafeClose()
          return reader
        }),
        (reader) =>
          Effect.sync(() => {
            readers.delete(reader)
            readOn()
          })
      ),
      pull
    )
  }
}
