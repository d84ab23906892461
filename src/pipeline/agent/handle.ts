/** Implements the public interface of an agent with one runtime. */
import type * as Prompt from "@effect/ai/Prompt"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type * as Event from "../../domain/authored/Event.js"
import { type InvalidRequest, SessionCorrupt, SessionFeedError } from "../../domain/base/error/Errors.js"
import { acquireFast } from "../../domain/base/FiberRefs.js"
import type { Json } from "../../domain/base/Json.js"
import * as PullStream from "../../domain/base/PullStream.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { ErasedEvents } from "../../domain/definition/Erase.js"
import { complaints } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type { TurnRequest } from "../../domain/session/TurnRequest.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type * as SessionFeed from "../../services/session/SessionFeed.js"
import { checkId } from "../../services/session/SessionStore.js"
import * as Waiting from "../features/approvals/waiting.js"
import { wake } from "../features/timers/wake.js"
import { registerTurn } from "../state/agentInternals.js"
import {
  type Begin,
  beginning,
  type BeginOptions,
  type Event as Happened,
  type UncheckedInput,
  type UncheckedMessage
} from "../state/Input.js"
import { type Abort, type Failure, type Runtime, silent } from "../state/TurnState.js"
import { dispatch } from "../stored/dispatch.js"
import { load, sessionOf } from "../stored/loading.js"
import { fork, rewind } from "../stored/rewind.js"
import { inTime } from "../stored/store.js"
import * as Visible from "../stored/visible.js"
import { turn } from "../turn.js"
import type { Agent, SessionHandle, Turn } from "./Contract.js"
import * as EventLog from "./EventLog.js"
import * as HumanTakeover from "./humanTakeover.js"
import * as Keeping from "./Keeping.js"
import { suggest } from "./suggest.js"

/** Unwraps the error of a failed hook, so that the caller gets the original error. */
const unwrap = <A>(effect: Effect.Effect<A, Failure>): Effect.Effect<A, unknown> => Effect.mapError(effect, unwrapped)

const unwrapped = (failure: Failure): unknown => failure._tag === "HookFailure" ? failure.error : failure

const message = (request: TurnRequest): UncheckedMessage => ({ ...request, _tag: "Message", unanswered: undefined })

const begins = (sessionId: string, options: BeginOptions = {}): Begin => ({
  ...options,
  _tag: "Begin",
  sessionId,
  messageId: options.messageId ?? beginning
})

/** Converts a notification to the input of a turn, unchecked; the turn checks that the agent declares the event. */
const happened = (notification: Event.NotificationOf<Values, string, unknown>): Happened => {
  const { eventId, payload, ...rest } = { ...notification }
  return { ...rest, ...(eventId !== undefined && { messageId: eventId }), payload: payload as Json, _tag: "Event" }
}

/** Runs the turns of a runtime elsewhere: on the cluster node that owns the session. */
interface Elsewhere {
  readonly answer: (input: UncheckedInput) => Effect.Effect<TurnResponse, unknown>
  readonly stream: (input: UncheckedInput) => Stream.Stream<TurnEvent, unknown>
  readonly send: (input: UncheckedInput) => Effect.Effect<Turn<Values, Values, unknown>>
}

const elsewhere = new WeakMap<Runtime, Elsewhere>()

/** Lets the turns of a runtime run elsewhere from now on. */
export const runElsewhere = (runtime: Runtime, by: Elsewhere): void => void elsewhere.set(runtime, by)

/** Answers an input. */
export const answer = (runtime: Runtime, input: UncheckedInput): Effect.Effect<TurnResponse, unknown> =>
  elsewhere.get(runtime)?.answer(input) ?? unwrap(turn(runtime, input, silent))

/** A turn that has started, without its events. */
export interface Started {
  readonly response: Effect.Effect<TurnResponse, unknown>
  /** Lets the turn continue without waiting for its readers. */
  readonly release: Effect.Effect<void>
}

/** Observes a turn when it starts. */
export type OnStart = (turn: Started) => Effect.Effect<unknown>

const unobserved: OnStart = () => Effect.void

/** Answers an input and emits the events; closing the stream interrupts the turn. */
export const stream = (
  runtime: Runtime,
  input: UncheckedInput,
  onStart: OnStart = unobserved
): Stream.Stream<TurnEvent, unknown> =>
  elsewhere.get(runtime)?.stream(input) ?? PullStream.make(Effect.suspend(() => {
    const log = EventLog.make({ replay: false })
    const started = Effect.tap(start(runtime, input, log), (fiber) => onStart(startedOf(log, fiber)))
    // Interrupts the turn before the log is released. In the other order, the turn would continue after the release,
    // because no reader slows it down any more.
    const interrupted = (fiber: Fiber.RuntimeFiber<TurnResponse, unknown>) =>
      Effect.fiberIdWith((id) => fiber.interruptAsFork(id)).pipe(
        Effect.zipRight(log.release),
        Effect.zipRight(Fiber.await(fiber))
      )
    return Effect.zipLeft(
      log.subscribe,
      acquireFast(started, (fiber) => fiber.unsafePoll() === null ? interrupted(fiber) : Effect.void)
    )
  }))

export const makeHandle = (runtime: Runtime): Omit<Agent<Values, Values, unknown, ErasedEvents>, "schemas"> => ({
  name: runtime.definition.name,
  jobs: Array.from(runtime.definition.jobs.values()),
  respond: (request) => answer(runtime, message(request)),
  stream: (request) => stream(runtime, message(request)),
  begin: (sessionId, options) => answer(runtime, begins(sessionId, options)),
  notify: (notification) => answer(runtime, happened(notification)),
  wake: (sessionId) => unwrap(wake(runtime, sessionId)),
  session: (id) => sessionHandle(runtime, id),
  dispatch: (sessionId, target) => unwrap(dispatch(runtime, sessionId, target)),
  rewind: (sessionId, to) => rewind(runtime, sessionId, to),
  fork: (sessionId, options) => fork(runtime, sessionId, options),
  takeOver: (sessionId, how) => unwrap(HumanTakeover.takeOver(runtime, sessionId, how)),
  say: (sessionId, text, saying) => unwrap(HumanTakeover.say(runtime, sessionId, text, saying)),
  release: (sessionId, directive) => unwrap(HumanTakeover.release(runtime, sessionId, directive)),
  suggest: (sessionId) => PullStream.transform(suggest(runtime, sessionId), Effect.mapError(Option.map(unwrapped))),
  approvals: (query) => Waiting.approvals(runtime, query),
  export: (userId) => Keeping.exportOf(runtime, userId),
  purge: Keeping.purge(runtime),
  erase: (userId) => Keeping.erase(runtime, userId),
  approve: (sessionId, request, decision, options) =>
    answer(runtime, { ...options, _tag: "Approval", sessionId, request, decision })
})

/** The session as stored; a new one if it is not stored yet. */
const snapshot = (runtime: Runtime, id: string) =>
  unwrap(Effect.flatMap(
    Effect.zipRight(checkId(id), inTime(runtime, id)(load(runtime, id, 0))),
    (loaded) => Effect.map(DateTime.now, (now) => sessionOf(runtime, id, loaded, now))
  ))

const sessionHandle = (runtime: Runtime, id: string): SessionHandle<Values, Values, unknown, ErasedEvents> => ({
  id,
  send: (text, options) => send(runtime, message({ ...options, sessionId: id, message: text })),
  begin: (options) => send(runtime, begins(id, options)),
  notify: (told) => send(runtime, happened({ ...told, sessionId: id })),
  approve: (request, decision, options) =>
    send(runtime, { ...options, _tag: "Approval", sessionId: id, request, decision }),
  rewind: (to) => rewind(runtime, id, to),
  fork: (options) => fork(runtime, id, options),
  snapshot: snapshot(runtime, id),
  calls: Effect.map(snapshot(runtime, id), ({ callLog }) => callLog?.calls ?? []),
  history: unwrap(Effect.zipRight(checkId(id), inTime(runtime, id)(history(runtime, id)))),
  feed: feed(runtime, id),
  clear: unwrap(
    Effect.zipRight(
      checkId(id),
      runtime.lock.withLock(id, { wait: runtime.definition.timeouts.lock })(
        inTime(runtime, id)(runtime.store.remove(id))
      )
    )
  )
})

const feed = (runtime: Runtime, id: string): SessionHandle<Values, Values, unknown>["feed"] =>
  PullStream.mapEffect(
    PullStream.make<SessionFeed.Published, InvalidRequest | SessionFeedError>(
      Effect.zipRight(checkId(id), runtime.feed.subscribe(id)).pipe(
        Effect.flatMap(PullStream.open),
        Effect.catchAll((error) => Effect.succeed(Effect.fail(Option.some(error))))
      )
    ),
    ({ event }) =>
      Effect.mapError(Decode.effect(runtime.event)(event), (cause) =>
        new SessionFeedError({
          sessionId: id,
          cause,
          what: `the feed of session "${id}"`,
          why: `an event does not decode: ${complaints(cause, runtime.definition.excerpts)}`,
          fix: "Run the same version of the agent in every process that shares the feed"
        }))
  )

const history = (runtime: Runtime, id: string): Effect.Effect<ReadonlyArray<Prompt.Message>, Failure> =>
  Effect.gen(function*() {
    return yield* Effect.forEach(
      yield* Visible.ofSession(runtime.store, id),
      ({ message, seq }) =>
        Either.mapLeft(
          Transcript.decode(message, runtime.definition.excerpts),
          (why) => new SessionCorrupt({ sessionId: id, why: `message ${seq} does not decode: ${why}` })
        )
    )
  })

/** The caller's signal to stop a turn. */
const stoppable = (): { readonly abort: Abort; readonly request: () => void } => {
  let requested = false
  const listeners = new Set<() => void>()
  const listen = (listener: () => void) => {
    if (requested) listener()
    else listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    abort: {
      requested: () => requested,
      listen,
      signal: Effect.async((resume) => {
        const remove = listen(() => resume(Effect.void))
        return Effect.sync(remove)
      })
    },
    request: () => {
      requested = true
      for (const listener of [...listeners]) listener()
    }
  }
}

/** Starts a turn whose events can be read while it runs. */
export const send = (
  runtime: Runtime,
  input: UncheckedInput,
  onStart: OnStart = unobserved
): Effect.Effect<Turn<Values, Values, unknown>> =>
  elsewhere.get(runtime)?.send(input) ?? sendHere(runtime, input, onStart)

const sendHere = (
  runtime: Runtime,
  input: UncheckedInput,
  onStart: OnStart
): Effect.Effect<Turn<Values, Values, unknown>> =>
  Effect.gen(function*() {
    const log = EventLog.make({ replay: true })
    const stop = stoppable()
    const fiber = yield* start(runtime, input, log, stop.abort)
    const started = startedOf(log, fiber)
    yield* onStart(started)
    // The event log is released first, because the turn may be waiting for the reader that now aborts it.
    const abort = Effect.zipRight(log.release, Effect.sync(stop.request))
    return registerTurn({
      events: PullStream.make(log.subscribe),
      response: started.response,
      abort: Effect.zipRight(abort, Effect.asVoid(Fiber.await(fiber)))
    }, fiber)
  })

const startedOf = (log: EventLog.EventLog, fiber: Fiber.RuntimeFiber<TurnResponse, unknown>): Started => ({
  response: Effect.flatten(Fiber.await(fiber)),
  release: log.release
})

/** Runs a turn on a daemon fiber, so that it outlives the fiber that started it. */
const start = (
  runtime: Runtime,
  input: UncheckedInput,
  log: EventLog.EventLog,
  abort?: Abort
): Effect.Effect<Fiber.RuntimeFiber<TurnResponse, unknown>> =>
  unwrap(turn(runtime, input, { ...log.sink, streaming: true, ...(abort !== undefined && { abort }) })).pipe(
    Effect.interruptible,
    Effect.onExit((exit) => log.end(exit)),
    Effect.forkDaemon
  )
