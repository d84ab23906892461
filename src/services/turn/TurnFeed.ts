/**
 * Keeps the events of turns for later readers: a client that lost its connection continues where it was; and a client
 * with the permission can stop the turn, from another process too.
 */
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { SessionFeedError } from "../../domain/base/error/Errors.js"
import { acquireFast } from "../../domain/base/FiberRefs.js"
import type { JsonObject } from "../../domain/base/Json.js"

/** A turn that is running. */
export interface RunningTurn {
  readonly sessionId: string
  /** Unique across all sessions. */
  readonly turnId: string
  /** Id of the turn's user. */
  readonly userId?: string
  /** The user's text, when the turn answers a message. */
  readonly message?: string
  /** The idempotency key of the user's message. */
  readonly messageId?: string
  /** Epoch of the session (`Session.epochOf`) when the turn was requested; absent if the session was not stored yet. */
  readonly epoch?: string
  /**
   * Epoch of the session when the turn started. It differs from `epoch` if the session was removed and created again
   * while the turn waited.
   */
  readonly startedIn?: string
}

/** Returns the epoch of the session to which a turn belongs, as far as it is known. */
export const lifeOf = ({ epoch, startedIn }: RunningTurn): string | undefined => startedIn ?? epoch

/** An event of a turn, encoded, with its number in the turn. */
export interface NumberedEvent {
  /** Number of the event in the turn: 1 for the first, then without gaps. */
  readonly seq: number
  readonly event: JsonObject
}

/** The record of a turn, for the process that runs it. The turn has ended when the scope of `begin` closes. */
export interface Recording {
  /** Records the session's epoch in which the turn has started. Called before the first event of the turn. */
  readonly started: (epoch: string) => Effect.Effect<void, SessionFeedError>
  /** Adds the next events. */
  readonly append: (events: ReadonlyArray<JsonObject>) => Effect.Effect<void, SessionFeedError>
  /** Completes when a client asks to stop the turn. */
  readonly stopRequested: Effect.Effect<void>
}

export interface Service {
  /** Name of the storage, for the report about erased data: `memory`, `Redis`. It must not contain a secret. */
  readonly place: string
  /**
   * Removes the records of a session's turns, and returns their number; with `epoch`, removes only the records of that
   * epoch of the session. Later events of a turn that still runs are dropped, and the streams of its readers end.
   */
  readonly remove: (sessionId: string, epoch?: string) => Effect.Effect<number, SessionFeedError>
  /**
   * Opens the record of a turn until the scope closes; afterwards the record is kept for a minute. Returns `None` if
   * `alone` is set and another turn of the session is running.
   */
  readonly begin: (
    turn: RunningTurn,
    options?: { readonly alone?: boolean }
  ) => Effect.Effect<Option.Option<Recording>, SessionFeedError, Scope.Scope>
  /** Returns the turns of a session that have not ended, in the order in which they began. */
  readonly running: (sessionId: string) => Effect.Effect<ReadonlyArray<RunningTurn>, SessionFeedError>
  /**
   * Streams the events of a turn after number `after`, until the turn ends; `None` if its events were never kept, or
   * are no longer kept. Fails if the process that ran the turn has died, or could not keep all events. `takesOver`: the
   * reader can run the turn itself, so it fails as soon as that process seems to have died, and ends its record.
   */
  readonly follow: (
    sessionId: string,
    turnId: string,
    after: number,
    options?: { readonly takesOver?: boolean }
  ) => Effect.Effect<Option.Option<Stream.Stream<NumberedEvent, SessionFeedError>>, SessionFeedError>
  /** Asks the process that runs the turn to stop it. */
  readonly stop: (sessionId: string, turnId: string) => Effect.Effect<void, SessionFeedError>
}

export class TurnFeed extends Context.Tag("coxswain/TurnFeed")<TurnFeed, Service>() {}

/** Time for which the events of a turn are kept after its end. */
export const keptFor: Duration.Duration = Duration.minutes(1)

/**
 * Maximum total size of the ended turns that a process keeps in memory, in characters of their events as JSON. Above
 * it, the turns that ended first are dropped before `keptFor` has passed.
 */
export const keptAtMost = 32 * 1024 * 1024

/** Limits for the records of ended turns within a process. */
export interface Options {
  /** Time for which the events of a turn are kept after its end. Default: one minute. */
  readonly keptFor?: Duration.DurationInput
  /**
   * Maximum total size of the ended turns that are kept in memory, in characters of their events as JSON. Above it, the
   * turns that ended first are dropped. Default 33,554,432.
   */
  readonly keptAtMost?: number
}

/** The record of a turn in this process. */
interface TurnBuffer {
  turn: RunningTurn
  /** The events. After the end of the turn they are JSON text, which takes much less memory, and is rarely read. */
  events: Array<JsonObject> | string
  /** Opens when there are more events to read, and when the turn has ended. */
  readonly more: Effect.Latch
  readonly stop: Effect.Latch
  /** Milliseconds since 1970 at which the turn ended; absent while it runs. */
  endedAt?: number
}

const eventsOf = ({ events }: TurnBuffer): ReadonlyArray<JsonObject> =>
  typeof events === "string" ? JSON.parse(events) as ReadonlyArray<JsonObject> : events

/** Returns the events after number `given`; waits for more until the turn has ended. */
const read = (kept: TurnBuffer, given: number): Effect.Effect<ReadonlyArray<NumberedEvent>, Option.Option<never>> =>
  Effect.suspend(() => {
    const events = eventsOf(kept)
    if (given < events.length) {
      return Effect.succeed(events.slice(given).map((event, i) => ({ seq: given + i + 1, event })))
    }
    if (kept.endedAt !== undefined) return Effect.fail(Option.none())
    kept.more.unsafeClose()
    return Effect.zipRight(kept.more.await, read(kept, given))
  })

const followed = (kept: TurnBuffer, after: number): Stream.Stream<NumberedEvent> =>
  Stream.unfoldChunkEffect(after, (given) =>
    read(kept, given).pipe(
      Effect.map((events) => Option.some([Chunk.unsafeFromArray(events), given + events.length] as const)),
      Effect.catchAll(() => Effect.succeedNone)
    ))

const makeKept = (options: Options): Service => {
  const keptMillis = Duration.toMillis(options.keptFor ?? keptFor)
  const most = options.keptAtMost ?? keptAtMost
  const sessions = new Map<string, Array<TurnBuffer>>()
  /** The ended turns, in the order in which they ended. */
  const ended: Array<TurnBuffer> = []
  /** Total size of `ended`, in characters. */
  let size = 0
  const find = (sessionId: string, turnId: string) =>
    sessions.get(sessionId)?.find(({ turn }) => turn.turnId === turnId)
  const forget = (kept: TurnBuffer) => {
    const { sessionId } = kept.turn
    const others = sessions.get(sessionId)?.filter((one) => one !== kept) ?? []
    if (others.length > 0) sessions.set(sessionId, others)
    else sessions.delete(sessionId)
  }
  const tidy = Effect.map(Clock.currentTimeMillis, (now) => {
    while (ended[0] !== undefined && (ended[0].endedAt! + keptMillis <= now || size > most)) {
      size -= ended[0].events.length
      forget(ended.shift()!)
    }
    return now
  })
  const isRunning = ({ endedAt }: TurnBuffer) => endedAt === undefined
  /**
   * Checks for a running turn and opens the record in one step, so that of two turns with `alone` only one is opened.
   */
  const open = (turn: RunningTurn, alone: boolean): TurnBuffer | undefined => {
    if (alone && sessions.get(turn.sessionId)?.some(isRunning) === true) return undefined
    const kept: TurnBuffer = {
      turn,
      events: [],
      more: Effect.unsafeMakeLatch(false),
      stop: Effect.unsafeMakeLatch(false)
    }
    // If a turn is restarted, its new record replaces the old one.
    const others = sessions.get(turn.sessionId)?.filter(({ turn: { turnId } }) => turnId !== turn.turnId) ?? []
    sessions.set(turn.sessionId, [...others, kept])
    return kept
  }
  const close = (kept: TurnBuffer) =>
    Effect.map(tidy, (now) => {
      kept.endedAt = now
      // The record was removed while the turn ran, so the rest is dropped.
      if (find(kept.turn.sessionId, kept.turn.turnId) !== kept) return
      kept.events = JSON.stringify(kept.events)
      size += kept.events.length
      ended.push(kept)
      kept.more.unsafeOpen()
    })
  const closeIfOpen = (kept: TurnBuffer | undefined) => kept === undefined ? Effect.void : close(kept)
  return TurnFeed.of({
    place: "memory",
    remove: (sessionId, epoch) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const all = (sessions.get(sessionId) ?? []).filter(({ turn }) => epoch === undefined || lifeOf(turn) === epoch)
        for (const kept of all) {
          forget(kept)
          const at = ended.indexOf(kept)
          if (at !== -1) {
            ended.splice(at, 1)
            size -= kept.events.length
          }
          kept.events = "[]"
          kept.endedAt ??= now
          kept.more.unsafeOpen()
        }
        return all.length
      }),
    begin: (turn, { alone = false } = {}) =>
      Effect.map(
        Effect.zipRight(tidy, acquireFast(Effect.sync(() => open(turn, alone)), closeIfOpen)),
        (kept) =>
          kept === undefined ? Option.none() : Option.some({
            started: (startedIn) => Effect.sync(() => void (kept.turn = { ...kept.turn, startedIn })),
            append: (events) =>
              Effect.sync(() => {
                const sofar = kept.events
                if (typeof sofar === "string") return
                for (const event of events) sofar.push(event)
                kept.more.unsafeOpen()
              }),
            stopRequested: kept.stop.await
          })
      ),
    running: (sessionId) => Effect.sync(() => sessions.get(sessionId)?.filter(isRunning).map(({ turn }) => turn) ?? []),
    follow: (sessionId, turnId, after) =>
      Effect.map(tidy, () => Option.map(Option.fromNullable(find(sessionId, turnId)), (kept) => followed(kept, after))),
    stop: (sessionId, turnId) => Effect.sync(() => find(sessionId, turnId)?.stop.unsafeOpen())
  })
}

/**
 * Makes a feed within this process. The records of ended turns are dropped after `keptFor`, or when their total size
 * exceeds `keptAtMost`. Both are checked when a turn begins, ends or is followed.
 */
export const makeWith = (options: Options): Effect.Effect<Service> => Effect.sync(() => makeKept(options))

/** Like `makeWith`, with the defaults. */
export const make: Effect.Effect<Service> = makeWith({})

export const layerMemory: Layer.Layer<TurnFeed> = Layer.effect(TurnFeed, make)

/** Like `layerMemory`, with other limits for ended turns. Provide it to `Server.layer`. */
export const layerMemoryWith = (options: Options): Layer.Layer<TurnFeed> => Layer.effect(TurnFeed, makeWith(options))
