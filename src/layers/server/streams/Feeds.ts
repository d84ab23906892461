/** The open feeds. Each event of a session is read once, encoded once, and sent to all readers of the session. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import * as SessionFeed from "../../../services/session/SessionFeed.js"
import type { RequestedSession } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import { told } from "../sessions/SessionIds.js"
import type { AnyAgent } from "../turns/Turns.js"
import * as Sse from "./Sse.js"

interface Reader {
  /** The name by which the reader calls the session. */
  readonly name: string
  /**
   * The epoch of the session that the reader follows. An event with another epoch shows that the session was removed
   * and created again. Undefined until the first event, if the session's first turn is still running.
   */
  epoch: string | undefined
  readonly waiting: Sse.ByteQueue
}

/** A request for a feed. */
interface FeedRequest {
  readonly userId: string
  readonly name: string
  readonly found: RequestedSession
}

export interface Feeds {
  /** Fails when the user or the server has reached the limit of open feeds. */
  readonly check: (userId: string) => Effect.Effect<void, Problem.Problem>
  /** Counts one more open feed of the user until the scope closes. Fails like `check`. */
  readonly place: (userId: string) => Effect.Effect<void, Problem.Problem, Scope.Scope>
  /** Opens a feed of the session's events from now on, until the scope closes or the session is removed. */
  readonly open: (asked: FeedRequest) => Effect.Effect<Sse.ByteQueue, never, Scope.Scope>
  /** Ends the feeds of a removed session. */
  readonly end: (sessionId: string) => Effect.Effect<void>
}

interface Options {
  readonly agent: AnyAgent
  readonly feed: SessionFeed.Service
  readonly perUser: number
  readonly perServer: number
  /** Completes when the server ends its streams. */
  readonly closed: Effect.Effect<void>
}

const tooMany = (most: number, whose: string) =>
  Problem.make(429, "TooManyFeeds", "Too many feeds at once", `${whose} may have ${most} feeds open at a time.`, {
    retryAfter: 5
  })

/** Milliseconds for which text deltas are held back, so that several are sent together. */
const words = 50

/**
 * With more than `few` readers, events of a session are held back for `spread` milliseconds per reader. More readers
 * then get fewer but larger deliveries, so that the processor load stays the same.
 */
const few = 32
const spread = 4

const isWord = ({ event: { _tag } }: SessionFeed.Published): boolean =>
  _tag === "TextDelta" || _tag === "ReasoningDelta"

const lost = Problem.ofTag("SessionFeedError")

const close = ({ waiting }: Reader, problem?: Problem.Problem): void => {
  waiting.unsafeDone(problem === undefined ? Exit.void : Exit.fail(problem))
}

/**
 * Passes events of one epoch of the session to a reader. Ends the reader's feed if the reader follows another epoch.
 */
const hand = (reader: Reader, epoch: string, textFor: (name: string) => Uint8Array): void => {
  reader.epoch ??= epoch
  if (reader.epoch !== epoch) return close(reader, Problem.notFound)
  if (!reader.waiting.unsafeOffer(textFor(reader.name))) close(reader, lost)
}

/** Returns a function that encodes the events for a reader, once for each name by which readers call the session. */
const texts = (events: ReadonlyArray<SessionFeed.Published>): (name: string) => Uint8Array => {
  const made = new Map<string, Uint8Array>()
  return (name) => {
    const text = made.get(name) ??
      Sse.encoded(events.map(({ event }) => Sse.event("message", Sse.shown(told(event, name)))).join(""))
    made.set(name, text)
    return text
  }
}

/** Counts the open feeds. */
const makeCount = ({ perServer, perUser }: Options) => {
  const open = new Map<string, number>()
  let all = 0
  const of = (userId: string) => open.get(userId) ?? 0
  const change = (userId: string, by: 1 | -1) => {
    all += by
    if (of(userId) + by > 0) open.set(userId, of(userId) + by)
    else open.delete(userId)
  }
  return {
    excess: (userId: string): Problem.Problem | undefined =>
      of(userId) >= perUser
        ? tooMany(perUser, "A user")
        : all >= perServer
        ? tooMany(perServer, "All users of the server together")
        : undefined,
    change
  }
}

export const make = (options: Options): Effect.Effect<Feeds, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { agent, closed, feed } = options
    const decode = Decode.either(agent.schemas.event)
    const count = makeCount(options)

    const deliver = (readers: Set<Reader>, published: ReadonlyArray<SessionFeed.Published>): void => {
      if (published.some(({ event }) => Either.isLeft(decode(event)))) {
        for (const reader of readers) close(reader, lost)
        return
      }
      // Drops events without an epoch. Events that arrive together almost always belong to the same epoch.
      for (const epoch of new Set(published.flatMap(({ epoch }) => epoch ?? []))) {
        const textFor = texts(published.filter((one) => one.epoch === epoch))
        for (const reader of readers) hand(reader, epoch, textFor)
      }
    }

    /** Returns the readers of a session, whose feed stays subscribed as long as it has readers. */
    const readersOf = (sessionId: string) =>
      Effect.gen(function*() {
        const readers = new Set<Reader>()
        const scope = yield* Effect.scope
        const published = yield* feed.subscribe(sessionId)
        let held: Array<SessionFeed.Published> = []
        let isWaiting = false
        const tell = Effect.sync(() => {
          const all = held
          held = []
          isWaiting = false
          if (all.length > 0) deliver(readers, all)
        })
        yield* Stream.runForEachChunk(published, (chunk) =>
          Effect.suspend(() => {
            for (const one of chunk) held.push(one)
            if (readers.size <= few && !Chunk.every(chunk, isWord)) return tell
            if (isWaiting) return Effect.void
            isWaiting = true
            return Effect.forkIn(Effect.delay(tell, Math.max(words, spread * readers.size)), scope)
          })).pipe(
            Effect.zipRight(tell),
            Effect.exit,
            Effect.zipRight(Effect.sync(() => {
              for (const reader of readers) close(reader, lost)
            })),
            Effect.zipRight(RcMap.invalidate(sessions, sessionId)),
            Effect.forkScoped
          )
        return readers
      })
    const sessions: RcMap.RcMap<string, Set<Reader>, unknown> = yield* RcMap.make({ lookup: readersOf })

    const follow = (reader: Reader, sessionId: string) =>
      Effect.gen(function*() {
        const readers = yield* RcMap.get(sessions, sessionId)
        yield* Effect.acquireRelease(
          Effect.sync(() => readers.add(reader)),
          () => Effect.sync(() => readers.delete(reader))
        )
      })

    const check = (userId: string) =>
      Effect.suspend(() => {
        const problem = count.excess(userId)
        return problem === undefined ? Effect.void : Effect.fail(problem)
      })

    const place = (userId: string) =>
      Effect.acquireRelease(
        Effect.tap(check(userId), () => count.change(userId, 1)),
        () => Effect.sync(() => count.change(userId, -1))
      )

    return {
      check,
      place,
      open: ({ found: { epoch, id }, name, userId }) =>
        Effect.gen(function*() {
          const waiting = yield* Sse.make({
            capacity: SessionFeed.capacity,
            strategy: "dropping"
          })
          const reader = { name, waiting, epoch }
          yield* Effect.zipRight(place(userId), Effect.mapError(follow(reader, id), Problem.ofError)).pipe(
            Effect.catchAll((problem) => Effect.sync(() => close(reader, problem))),
            Effect.raceFirst(closed)
          )
          yield* Sse.open(waiting)
          yield* Effect.forkScoped(
            Effect.zipRight(
              closed,
              Effect.sync(() => {
                waiting.unsafeOffer(Sse.encoded(Sse.event("closing", Problem.stopping)))
                close(reader)
              })
            )
          )
          return waiting
        }),
      end: (sessionId) =>
        Effect.flatMap(RcMap.keys(sessions), (ids) =>
          ids.includes(sessionId)
            ? Effect.scoped(Effect.map(RcMap.get(sessions, sessionId), (readers) => {
              for (const reader of readers) close(reader, Problem.notFound)
            })).pipe(Effect.ignore)
            : Effect.void)
    }
  })
