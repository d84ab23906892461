/**
 * The turns that the server runs: it begins them for a client, records them for clients that join later, and stops
 * them. When the server stops, it waits for them.
 */
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { WhileBusy } from "../../../domain/authored/AgentOptions.js"
import * as PullStream from "../../../domain/base/PullStream.js"
import type { Values } from "../../../domain/definition/Definition.js"
import type { ErasedEvents } from "../../../domain/definition/Erase.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import type { TurnResponse } from "../../../domain/turn/TurnResponse.js"
import type { Agent, Turn } from "../../../pipeline/agent/Contract.js"
import { onTurnEnd } from "../../../pipeline/state/agentInternals.js"
import type * as SessionLock from "../../../services/session/SessionLock.js"
import type * as TurnFeed from "../../../services/turn/TurnFeed.js"
import type { Named } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import * as JoinedTurns from "./JoinedTurns.js"
import { leaving, type TurnSlot, type TurnSlots } from "./TurnSlots.js"
import { inherited, isLast, record } from "./TurnStream.js"

/** An agent without the types of its data, context and errors. */
export type AnyAgent = Agent<Values, Values, unknown, ErasedEvents>

/** A turn that a client may read. */
export interface Running {
  readonly turnId: string
  /** The events from the first on; a slow reader slows the turn down. The stream fails in the same way as the turn. */
  readonly events: Stream.Stream<TurnFeed.NumberedEvent, unknown>
  readonly response: Effect.Effect<TurnResponse, unknown>
  /**
   * Called when the client disconnects, if the turn should then stop. Stops the turn when no other client of this
   * process waits for it.
   */
  readonly leave: Effect.Effect<void>
}

interface Request {
  /** The session at the time of the request. */
  readonly found: Named
  readonly userId: string
  readonly messageId?: string | undefined
}

interface MessageRequest extends Request {
  readonly message: string
  /**
   * False if the client has sent more than `message`. A later message then cannot stop this turn, because it could not
   * repeat the rest.
   */
  readonly isWhole?: boolean
  /** Checks the message; fails if it is invalid. */
  readonly check: Effect.Effect<unknown, unknown>
  /** Begins the turn of the message, together with the unanswered messages before it. */
  readonly send: (unanswered?: string) => Effect.Effect<Turn<Values, Values, unknown>>
}

export interface Turns {
  /** Begins the turn of a message. */
  readonly say: (said: MessageRequest) => Effect.Effect<Running, Problem.Problem>
  /** Begins a turn that has no message: for a decision, or for the opening of a conversation. */
  readonly go: (
    request: Request & { readonly launch: Effect.Effect<Turn<Values, Values, unknown>> }
  ) => Effect.Effect<Running, Problem.Problem>
  /**
   * Runs a turn without recording its events. The server waits for this turn too before it stops. If the client
   * disconnects, `onDisconnect` decides whether the turn continues.
   */
  readonly aside: <A, E>(turn: Effect.Effect<A, E>) => Effect.Effect<A, E | Problem.Problem>
  /** See `JoinedTurns`. */
  readonly join: JoinedTurns.JoinedTurns["join"]
  readonly running: JoinedTurns.JoinedTurns["running"]
  /** Stops the turns of the session's current epoch, in any process, and waits until they have stopped. */
  readonly abort: (found: Named) => Effect.Effect<void, Problem.Problem>
  /** Removes the records of the turns of a session that was removed. */
  readonly forget: (found: Named) => Effect.Effect<void>
  /** True if new turns are accepted. */
  readonly isOpen: () => boolean
  /** Accepts no new turns, waits for the running ones, and stops those that still run after `limit`. */
  readonly stop: (limit: Duration.DurationInput) => Effect.Effect<void>
  /** Completes when the server has ended its streams. */
  readonly closed: Effect.Effect<void>
}

interface Options {
  readonly agent: AnyAgent
  readonly feed: TurnFeed.Service
  readonly generateId: Effect.Effect<string>
  readonly whileBusy: WhileBusy
  readonly onDisconnect: "continue" | "abort"
  readonly places: TurnSlots
  /** Serializes the messages of a session when a new message stops the one before it (`whileBusy: "cancel"`). */
  readonly order: SessionLock.Service
}

/**
 * Delays completion until the turn's record is closed, so that this client and all readers of the record see the same
 * end.
 */
const untilOver = (running: Running, over: Effect.Effect<unknown>): Running => ({
  ...running,
  events: PullStream.transform(
    running.events,
    (pull) => Effect.tap(pull, (events) => events.some(isLast) ? over : Effect.void)
  ),
  response: Effect.flatMap(Effect.exit(running.response), (exit) => Effect.zipRight(over, exit))
})

export const make = ({ agent, feed, generateId, onDisconnect, order, places, whileBusy }: Options): Turns => {
  const closed = Effect.unsafeMakeLatch(false)
  const { heir, join, running } = JoinedTurns.make(feed)

  /** Encodes and numbers the events of a turn. The client and the record share them. */
  const numbered = (turn: Turn<Values, Values, unknown>) => {
    const encoded: Array<TurnFeed.NumberedEvent> = []
    const encode = Schema.encodeSync(agent.schemas.event)
    return PullStream.transform(turn.events, (pull) => {
      let read = 0
      return Effect.map(pull, (events) =>
        events.map((event) => {
          const seq = ++read
          return encoded[seq - 1] ??= { seq, event: encode(event) }
        }))
    })
  }

  /** Opens the record of a turn, for as long as the scope is open. */
  const open = (about: TurnFeed.RunningTurn, alone: boolean, scope: Scope.Scope) =>
    feed.begin(about, { alone }).pipe(
      Scope.extend(scope),
      Effect.mapError(Problem.ofError),
      Effect.flatMap(Option.match({
        onNone: () => Effect.fail(Problem.ofTag("SessionBusy")),
        onSome: Effect.succeed
      })),
      Effect.filterOrFail(() => !places.isHalted(), () => Problem.stopping)
    )

  /** Begins a turn in its slot. It must run uninterruptibly. */
  const begin = (
    about: TurnFeed.RunningTurn,
    place: TurnSlot,
    launch: Effect.Effect<Turn<Values, Values, unknown>>,
    alone = false
  ): Effect.Effect<Running, Problem.Problem> =>
    Effect.flatMap(Scope.make(), (scope) =>
      Effect.gen(function*() {
        const recording = yield* open(about, alone, scope)
        const turn = yield* launch
        place.abort = turn.abort
        const over = Effect.unsafeMakeLatch(false)
        const running = { turnId: about.turnId, events: numbered(turn), response: turn.response, leave: leaving(place) }
        const stopping = Effect.zipRight(recording.stopRequested, turn.abort)
        onTurnEnd(turn, place.free)
        yield* Effect.forkIn(Effect.interruptible(stopping), scope)
        yield* record(running.events, recording).pipe(
          Effect.interruptible,
          Effect.ensuring(Scope.close(scope, Exit.void)),
          Effect.ensuring(Effect.zipRight(Effect.sync(place.leave), over.open)),
          Effect.forkDaemon
        )
        return alone ? untilOver(running, Effect.timeoutOption(over.await, "1 second")) : running
      }).pipe(Effect.onError(() => Scope.close(scope, Exit.void))))

  /** Takes a slot for a turn and begins the turn. Turns that it replaces do not count towards the user's limit. */
  const inPlace = (
    about: { readonly turnId: string; readonly userId: string },
    insteadOf: ReadonlyArray<TurnFeed.RunningTurn>,
    start: (place: TurnSlot) => Effect.Effect<Running, Problem.Problem>
  ): Effect.Effect<Running, Problem.Problem> =>
    Effect.uninterruptible(
      Effect.suspend(() =>
        Either.match(places.take(about, insteadOf.map(({ turnId }) => turnId)), {
          onLeft: Effect.fail,
          onRight: (place) => Effect.onError(start(place), () => Effect.sync(place.leave))
        })
      )
    )

  /** Stops a turn and waits until it has ended. Returns true if it was stopped before it answered. */
  const stopped = ({ sessionId, turnId }: TurnFeed.RunningTurn) =>
    Effect.zipRight(feed.stop(sessionId, turnId), feed.follow(sessionId, turnId, 0, { takesOver: true })).pipe(
      Effect.mapError(Problem.ofError),
      Effect.flatMap(Option.match({
        onNone: () => Effect.succeed(false),
        // The process that ran the turn is gone, so there is nothing to wait for.
        onSome: (events) =>
          Effect.orElseSucceed(
            Stream.runFold(events, false, (seen, { event }) => seen || event._tag === "Interrupted"),
            () => false
          )
      }))
    )

  /** Stops these turns, and returns their messages that were not answered. */
  const unanswered = (others: ReadonlyArray<TurnFeed.RunningTurn>) =>
    Effect.map(
      Effect.forEach(
        others,
        (other) => Effect.map(stopped(other), (wasStopped) => wasStopped ? other.message ?? "" : ""),
        { concurrency: "unbounded" }
      ),
      (messages) => messages.filter((message) => message !== "")
    )

  const saysLast = (other: TurnFeed.RunningTurn, message: string) =>
    other.message === message || other.message?.endsWith(`\n${message}`) === true

  /**
   * Returns the running turn of the same message, if the client has sent the message again: its answer is for both
   * requests.
   */
  const same = (others: ReadonlyArray<TurnFeed.RunningTurn>, { message, messageId, userId }: {
    readonly message: string
    readonly messageId?: string | undefined
    readonly userId: string
  }) =>
    others.find((other) =>
      messageId !== undefined && other.messageId === messageId && other.userId === userId && saysLast(other, message)
    )

  /**
   * Returns a running turn for a client that has sent its message again. If the process that runs the turn is gone,
   * `again` begins a turn for the message here, and its events follow those of the lost one.
   */
  const attach = (
    { turnId }: TurnFeed.RunningTurn,
    recorded: Stream.Stream<TurnFeed.NumberedEvent, unknown>,
    again: Effect.Effect<Running, Problem.Problem>
  ): Running => {
    let leave = places.attend(turnId)
    const events = inherited(
      recorded,
      Effect.map(again, (running) => {
        leave = running.leave
        return running.events
      })
    )
    return {
      turnId,
      events,
      response: Effect.flatMap(
        Stream.runLast(events),
        (last): Effect.Effect<TurnResponse, unknown> =>
          Option.isSome(last) && last.value.event._tag === "TurnCompleted"
            ? Decode.effect(agent.schemas.response)(last.value.event.response)
            : Effect.fail(Problem.ofTag("SessionFeedError"))
      ),
      leave: Effect.suspend(() => leave)
    }
  }

  /**
   * Returns the running turns of a session, and among them the turn that already answers this message, if there is one.
   */
  const look = (said: MessageRequest) =>
    Effect.gen(function*() {
      const others = yield* running(said.found)
      const twin = same(others, said)
      const followed = twin === undefined ? Option.none() : yield* heir(twin)
      return {
        others,
        attached: twin !== undefined && Option.isSome(followed)
          ? attach(twin, followed.value.events, sayInOrder(said))
          : undefined
      }
    })

  /** The fields of a turn that are known before it begins. */
  const known = ({ found: { epoch, id: sessionId }, messageId, userId }: Request) =>
    Effect.map(generateId, (turnId) => ({
      sessionId,
      userId,
      turnId,
      ...(messageId !== undefined && { messageId }),
      ...(epoch !== undefined && { epoch })
    }))

  /**
   * Stops the running turns of this user's messages, and begins one turn that answers these messages together with the
   * new one. Waits for turns without a message to end. Stops no turn if the new message is invalid.
   */
  const sayInstead = (said: MessageRequest, others: ReadonlyArray<TurnFeed.RunningTurn>) =>
    Effect.gen(function*() {
      const stoppable = others.filter(({ message, userId }) => message !== undefined && userId === said.userId)
      if (stoppable.length > 0) yield* Effect.mapError(said.check, Problem.ofError)
      const about = yield* known(said)
      return yield* inPlace(about, stoppable, (place) =>
        Effect.flatMap(unanswered(stoppable), (before) => {
          const send = before.length === 0 ? said.send() : said.send(before.join("\n"))
          const together = { message: [...before, said.message].join("\n") }
          return begin({ ...about, ...(said.isWhole !== false && together) }, place, send)
        }))
    })

  const say = (said: MessageRequest): Effect.Effect<Running, Problem.Problem> =>
    Effect.gen(function*() {
      const { attached, others } = yield* look(said)
      if (attached !== undefined) return attached
      if (whileBusy === "cancel") return yield* sayInstead(said, others)
      const about = { ...yield* known(said), ...(said.isWhole !== false && { message: said.message }) }
      const alone = whileBusy === "reject"
      return yield* inPlace(about, [], (place) => begin(about, place, said.send(), alone)).pipe(
        // If the same message was sent twice concurrently, the session may be busy with the turn that answers it.
        Effect.catchIf(({ tag }) => alone && tag === "SessionBusy", (busy) =>
          Effect.flatMap(look(said), (now) =>
            now.attached === undefined ? Effect.fail(busy) : Effect.succeed(now.attached)))
      )
    })

  const inOrder = <A>(
    sessionId: string,
    effect: Effect.Effect<A, Problem.Problem>
  ): Effect.Effect<A, Problem.Problem> => Effect.mapError(order.withLock(sessionId)(effect), Problem.ofError)

  // A message that stops another turn is answered even if its client has disconnected; otherwise both messages would be
  // lost.
  const sayInOrder = (said: MessageRequest): Effect.Effect<Running, Problem.Problem> =>
    Effect.suspend(() => whileBusy === "cancel" ? Effect.uninterruptible(inOrder(said.found.id, say(said))) : say(said))

  const stopAll = (found: Named) =>
    Effect.flatMap(
      running(found),
      (turns) => Effect.forEach(turns, stopped, { concurrency: "unbounded", discard: true })
    )

  /** Runs a turn on its own fiber, so that it can continue after its client has disconnected. */
  const aside = <A, E>(turn: Effect.Effect<A, E>, place: TurnSlot): Effect.Effect<A, E | Problem.Problem> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkDaemon(
          Effect.ensuring(Effect.interruptible(turn), Effect.sync(place.leave))
        )
        place.abort = Effect.asVoid(Fiber.interrupt(fiber))
        const waiting = restore(Fiber.await(fiber))
        const exit = yield* onDisconnect === "abort"
          ? Effect.onInterrupt(waiting, () => Fiber.interruptFork(fiber))
          : waiting
        return yield* Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)
          ? Effect.fail(Problem.ofTag("Interrupted"))
          : exit
      })
    )

  return {
    say: sayInOrder,
    go: ({ launch, ...request }) =>
      Effect.flatMap(known(request), (about) => inPlace(about, [], (place) => begin(about, place, launch))),
    aside: (turn) =>
      Effect.suspend(() =>
        Either.match(places.take(), { onLeft: Effect.fail, onRight: (place) => aside(turn, place) })
      ),
    join,
    running,
    // A message may be waiting for the previous turn to end and then begin a turn; the second `stopAll` stops that
    // turn.
    abort: (found) =>
      whileBusy === "cancel"
        ? Effect.zipRight(stopAll(found), inOrder(found.id, stopAll(found)))
        : stopAll(found),
    forget: ({ epoch, id }) =>
      epoch === undefined ? Effect.void : Effect.catchAll(
        Effect.asVoid(feed.remove(id, epoch)),
        (error) => Effect.logWarning("The turns of a session that was removed are kept for a while", error)
      ),
    isOpen: places.isOpen,
    stop: (limit) => Effect.zipRight(places.close(limit), closed.open),
    closed: closed.await
  }
}
