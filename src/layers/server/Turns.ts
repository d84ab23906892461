/**
 * The turns that the server runs: begun for a client, recorded for those who join later, stopped by whoever may, and
 * waited for when the server stops.
 *
 * @since 0.1.0
 */
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { WhileBusy } from "../../domain/AgentOptions.js"
import * as Decode from "../../domain/Decode.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { ErasedEvents } from "../../domain/definition/Erase.js"
import type { SessionFeedError } from "../../domain/Errors.js"
import type { JsonObject } from "../../domain/Json.js"
import type { TurnResponse } from "../../domain/TurnResponse.js"
import type { Agent, Turn } from "../../pipeline/Contract.js"
import type * as TurnFeed from "../../services/TurnFeed.js"
import * as Problem from "./Problem.js"

/** An agent, whatever it collects. */
export type AnyAgent = Agent<Values, Values, unknown, ErasedEvents>

/**
 * A turn that somebody may read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Running {
  readonly turnId: string
  /** From the first event on; a slow reader slows the turn down. Fails as the turn does. */
  readonly events: Stream.Stream<TurnFeed.NumberedEvent, unknown>
  readonly response: Effect.Effect<TurnResponse, unknown>
  /** Stops the turn, and waits until it has stopped. */
  readonly abort: Effect.Effect<void>
}

interface Request {
  readonly sessionId: string
  readonly userId: string
  readonly messageId?: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Turns {
  /** Begins the turn of a message. */
  readonly say: (
    request: Request & {
      readonly message: string
      readonly send: (message: string) => Effect.Effect<Turn<Values, Values, unknown>>
    }
  ) => Effect.Effect<Running, Problem.Problem>
  /** Begins the turn of a decision. */
  readonly go: (
    request: Request & { readonly launch: Effect.Effect<Turn<Values, Values, unknown>> }
  ) => Effect.Effect<Running, Problem.Problem>
  /** A turn of which nobody reads the events; the server waits for it too before it stops. */
  readonly aside: <A, E>(turn: Effect.Effect<A, E>) => Effect.Effect<A, E | Problem.Problem>
  /** What is left of the turn that `after` names, or else of the one that runs. */
  readonly join: (
    sessionId: string,
    after?: { readonly turnId: string; readonly seq: number }
  ) => Effect.Effect<
    Option.Option<{ readonly turnId: string; readonly events: Stream.Stream<TurnFeed.NumberedEvent, unknown> }>,
    Problem.Problem
  >
  /** Stops the turns of a session, wherever they run, and waits until they have stopped. */
  readonly abort: (sessionId: string) => Effect.Effect<void, Problem.Problem>
  /** Whether new turns are taken. */
  readonly isOpen: () => boolean
  /** Takes no new turns, waits for those that run, and stops what runs on after `limit`. */
  readonly stop: (limit: Duration.DurationInput) => Effect.Effect<void>
  /** Completes when the server has no more to tell. */
  readonly closed: Effect.Effect<void>
}

interface Options {
  readonly agent: AnyAgent
  readonly feed: TurnFeed.Service
  readonly generateId: Effect.Effect<string>
  readonly whileBusy: WhileBusy
  /** How many turns a user may have at a time. */
  readonly turnsPerUser: number
}

const tooMany = (most: number) =>
  Problem.make(429, "TooManyTurns", "Too many turns at once", `A user may have ${most} turns at a time.`, {
    retryAfter: 1
  })

const failedIn = ({ event }: TurnFeed.NumberedEvent): Problem.Problem | undefined => {
  const { _tag, error } = event
  if (_tag !== "TurnFailed") return undefined
  return Problem.ofTag(typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "")
}

/** The stream of a recorded turn fails as the turn did. */
const faithful = (events: Stream.Stream<TurnFeed.NumberedEvent, unknown>) =>
  Stream.suspend(() => {
    let failure: Problem.Problem | undefined
    return Stream.concat(
      Stream.tap(events, (event) => Effect.sync(() => failure ??= failedIn(event))),
      Stream.suspend(() => failure === undefined ? Stream.empty : Stream.fail(failure))
    )
  })

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ agent, feed, generateId, turnsPerUser, whileBusy }: Options): Turns => {
  const live = new Set<Effect.Effect<void>>()
  const perUser = new Map<string, number>()
  const idle = Effect.unsafeMakeLatch(true)
  const closed = Effect.unsafeMakeLatch(false)
  let open = true

  const count = (userId: string, change: 1 | -1) => {
    const now = (perUser.get(userId) ?? 0) + change
    if (now > 0) perUser.set(userId, now)
    else perUser.delete(userId)
  }
  const enter = (abort: Effect.Effect<void>) => {
    live.add(abort)
    idle.unsafeClose()
  }
  const leave = (abort: Effect.Effect<void>) => {
    live.delete(abort)
    if (live.size === 0) idle.unsafeOpen()
  }

  /** Both readers of a turn, the client and the record, get the same encoded events. */
  const numbered = (turn: Turn<Values, Values, unknown>) => {
    const encoded: Array<JsonObject> = []
    const encode = Schema.encodeSync(agent.schemas.event)
    return Stream.map(
      Stream.zipWithIndex(turn.events),
      ([event, i]): TurnFeed.NumberedEvent => ({ seq: i + 1, event: encoded[i] ??= encode(event) })
    )
  }

  /**
   * Reads the turn to its end, even when nobody else reads it, and records it. When the record cannot be written, the
   * turn goes on.
   */
  const record = (events: Stream.Stream<TurnFeed.NumberedEvent, unknown>, recording: TurnFeed.Recording) => {
    let lost = false
    return Stream.runForEachChunk(events, (chunk) =>
      lost ? Effect.void : Effect.catchAll(
        recording.append(Chunk.toReadonlyArray(chunk).map(({ event }) => event)),
        (error: SessionFeedError) => {
          lost = true
          return Effect.logWarning("The events of a turn are not kept any more: nobody can join it again", error)
        }
      )).pipe(Effect.exit)
  }

  const begin = (
    about: TurnFeed.RunningTurn & { readonly userId: string },
    alone: boolean,
    launch: Effect.Effect<Turn<Values, Values, unknown>>
  ): Effect.Effect<Running, Problem.Problem> =>
    Effect.uninterruptible(Effect.gen(function*() {
      if (!open) return yield* Effect.fail(Problem.stopping)
      if ((perUser.get(about.userId) ?? 0) >= turnsPerUser) return yield* Effect.fail(tooMany(turnsPerUser))
      count(about.userId, 1)
      const scope = yield* Scope.make()
      yield* Scope.addFinalizer(scope, Effect.sync(() => count(about.userId, -1)))
      const recording = yield* feed.begin(about, { alone }).pipe(
        Scope.extend(scope),
        Effect.mapError(Problem.ofError),
        Effect.flatMap(Option.match({
          onNone: () => Effect.fail(Problem.ofTag("SessionBusy")),
          onSome: Effect.succeed
        })),
        Effect.tapErrorCause(() => Scope.close(scope, Exit.void))
      )
      const turn = yield* launch
      const events = numbered(turn)
      enter(turn.abort)
      yield* Effect.forkIn(Effect.interruptible(Effect.zipRight(recording.stopRequested, turn.abort)), scope)
      yield* record(events, recording).pipe(
        Effect.interruptible,
        Effect.ensuring(Scope.close(scope, Exit.void)),
        Effect.ensuring(Effect.sync(() => leave(turn.abort))),
        Effect.forkDaemon
      )
      return { turnId: about.turnId, events, response: turn.response, abort: turn.abort }
    }))

  /** Waits until the turn has ended; its last event but one tells whether it was stopped before it answered. */
  const stopped = ({ sessionId, turnId }: TurnFeed.RunningTurn) =>
    Effect.zipRight(feed.stop(sessionId, turnId), feed.follow(sessionId, turnId, 0)).pipe(
      Effect.flatMap(Option.match({
        onNone: () => Effect.succeed(false),
        onSome: Stream.runFold(false, (seen, { event }) => seen || event._tag === "Interrupted")
      })),
      Effect.mapError(Problem.ofError)
    )

  /** What the user said in turns that this message puts an end to. */
  const unanswered = (others: ReadonlyArray<TurnFeed.RunningTurn>) =>
    Effect.map(
      Effect.forEach(others, (other) =>
        Effect.map(stopped(other), (wasStopped) => wasStopped ? other.message ?? "" : "")),
      (messages) =>
        messages.filter((message) => message !== "")
    )

  const saysLast = (other: TurnFeed.RunningTurn, message: string) =>
    other.message === message || other.message?.endsWith(`\n${message}`) === true

  /** The same message again while it is being answered: its answer is the answer. */
  const same = (others: ReadonlyArray<TurnFeed.RunningTurn>, { message, messageId, userId }: {
    readonly message: string
    readonly messageId?: string | undefined
    readonly userId: string
  }) =>
    others.find((other) =>
      messageId !== undefined && other.messageId === messageId && other.userId === userId && saysLast(other, message)
    )

  const running = (sessionId: string) => Effect.mapError(feed.running(sessionId), Problem.ofError)

  const attach = (
    { sessionId, turnId }: TurnFeed.RunningTurn,
    events: Stream.Stream<TurnFeed.NumberedEvent, unknown>
  ): Running => ({
    turnId,
    events,
    response: Effect.flatMap(
      Stream.runLast(events),
      (last): Effect.Effect<TurnResponse, unknown> =>
        Option.isSome(last) && last.value.event._tag === "TurnCompleted"
          ? Decode.effect(agent.schemas.response)(last.value.event.response)
          : Effect.fail(Problem.ofTag("SessionFeedError"))
    ),
    abort: Effect.ignore(feed.stop(sessionId, turnId))
  })

  const follow = ({ sessionId, turnId }: { readonly sessionId: string; readonly turnId: string }, after: number) =>
    Effect.map(
      Effect.mapError(feed.follow(sessionId, turnId, after), Problem.ofError),
      Option.map((events) => ({ turnId, events: faithful(events) }))
    )

  /** Whether anything is to come of a turn: it runs, or has told more. */
  const hasMore = (sessionId: string, { seq, turnId }: { readonly turnId: string; readonly seq: number }) =>
    Effect.gen(function*() {
      if ((yield* running(sessionId)).some((turn) => turn.turnId === turnId)) return true
      const rest = yield* follow({ sessionId, turnId }, seq)
      if (Option.isNone(rest)) return false
      return Option.isSome(yield* Effect.orElseSucceed(Stream.runHead(rest.value.events), Option.none))
    })

  return {
    say: Effect.fnUntraced(function*({ message, messageId, send, sessionId, userId }) {
      const others = yield* running(sessionId)
      const twin = same(others, { message, messageId, userId })
      const followed = twin === undefined ? Option.none() : yield* follow(twin, 0)
      if (twin !== undefined && Option.isSome(followed)) return attach(twin, followed.value.events)
      const text = whileBusy === "cancel" ? [...yield* unanswered(others), message].join("\n") : message
      const about = {
        sessionId,
        userId,
        turnId: yield* generateId,
        message: text,
        ...(messageId !== undefined && { messageId })
      }
      return yield* begin(about, whileBusy === "reject", send(text))
    }),
    go: Effect.fnUntraced(function*({ launch, messageId, sessionId, userId }) {
      const turnId = yield* generateId
      return yield* begin({ sessionId, turnId, userId, ...(messageId !== undefined && { messageId }) }, false, launch)
    }),
    aside: <A, E>(turn: Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | Problem.Problem> => {
        if (!open) return Effect.fail(Problem.stopping)
        const mark = Effect.sync(() => {})
        enter(mark)
        return Effect.ensuring(turn, Effect.sync(() => leave(mark)))
      }),
    join: Effect.fnUntraced(function*(sessionId, after) {
      const [current] = yield* running(sessionId)
      if (after !== undefined) {
        const rest = yield* follow({ sessionId, turnId: after.turnId }, after.seq)
        if (Option.isSome(rest) && (yield* hasMore(sessionId, after))) return rest
      }
      return current === undefined ? Option.none() : yield* follow(current, 0)
    }),
    abort: (sessionId) =>
      Effect.flatMap(
        running(sessionId),
        (turns) => Effect.forEach(turns, stopped, { concurrency: "unbounded", discard: true })
      ),
    isOpen: () => open,
    stop: (limit) =>
      Effect.gen(function*() {
        open = false
        yield* Effect.timeoutOption(idle.await, limit)
        yield* Effect.forEach(live, (abort) => abort, { concurrency: "unbounded", discard: true })
        closed.unsafeOpen()
      }),
    closed: closed.await
  }
}
