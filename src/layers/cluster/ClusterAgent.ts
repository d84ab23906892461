/**
 * The agent in a process of the cluster: it sends each request for a session to the node that owns the session.
 */
import type { Sharding } from "@effect/cluster/Sharding"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ErrorMessage from "../../domain/base/error/ErrorMessage.js"
import {
  InvalidRequest,
  SessionCorrupt,
  SessionStoreError,
  SessionUnavailable,
  TurnError,
  TurnUnavailable
} from "../../domain/base/error/Errors.js"
import { digest } from "../../domain/base/Json.js"
import * as PullStream from "../../domain/base/PullStream.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { Directive } from "../../domain/directive/Directive.js"
import { complaints } from "../../domain/fields/Fields.js"
import type { Session } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type { Turn } from "../../pipeline/agent/Contract.js"
import * as EventLog from "../../pipeline/agent/EventLog.js"
import * as Handle from "../../pipeline/agent/handle.js"
import * as Keeping from "../../pipeline/agent/Keeping.js"
import { check } from "../../pipeline/phases/check.js"
import { registerAgent, type WrittenDefinition } from "../../pipeline/state/agentInternals.js"
import type { UncheckedInput } from "../../pipeline/state/Input.js"
import type { Runtime } from "../../pipeline/state/TurnState.js"
import { read as readDirective } from "../../pipeline/stored/dispatch.js"
import * as SessionLock from "../../services/session/SessionLock.js"
import { checkId } from "../../services/session/SessionStore.js"
import * as ClusterFeed from "./ClusterFeed.js"
import * as Protocol from "./Protocol.js"
import { type ClusterRefusal, delivering, deliveringStream, ownerLost, refusal, resending } from "./refusal.js"
import type { AnyAgent } from "./SessionEntity.js"

/** Time after which the question for the incarnation's name is repeated if there is no answer. */
const patience = "2 seconds"

/** Interval at which the owner of a long turn is asked whether the turn still runs. */
const readEvery = "1 second"

/** Maximum number of times that a message with a key is sent again after its owner was lost. */
const most = 10

/** Decodes the failure of a call. */
const failed =
  (sessionId: string) => (cause: Cause.Cause<Protocol.Failure | ClusterRefusal>): Effect.Effect<never, unknown> =>
    Option.match(Cause.failureOption(cause), {
      // Only interrupted: the owner stopped the call, because the session moves to another node.
      onNone: () =>
        Cause.isInterruptedOnly(cause) ? Effect.fail(ownerLost(sessionId)) : Effect.die(Cause.squash(cause)),
      onSome: (failure) => {
        if (failure._tag === "Failed") return Effect.fail(failure.error)
        return failure._tag === "Died" ? Effect.die(failure.defect) : Effect.fail(refusal(sessionId)(failure))
      }
    })

const isLost = (u: unknown): boolean => u instanceof SessionUnavailable && u.reason === "owner_lost"

/** Leaves out options that are undefined, because messages between nodes have no `undefined`. */
const defined = <A extends object>(options: A): A =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as A

/** Encodes the input of a turn. */
const wireOf = (given: UncheckedInput): object => {
  if (given._tag !== "Message") return defined(given)
  const unanswered: Array<object> = []
  for (let before = given.unanswered; before !== undefined; before = before.unanswered) {
    const { _tag, unanswered: _, ...said } = before
    unanswered.push(defined(said))
  }
  return { ...defined({ ...given, unanswered: undefined }), ...(unanswered.length > 0 && { unanswered }) }
}

/** Keeps the errors of rewinding and forking as failures; any other error of the owner becomes a defect. */
const restoring = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, TurnError | TurnUnavailable> =>
  Effect.catchAll(effect, (error) => isRestoring(error) ? Effect.fail(error) : Effect.die(error))
const isRestoring = Schema.is(Schema.Union(TurnError, TurnUnavailable))

/**
 * Makes the agent of a process. `local` is the agent's runtime in this process; it uses the store that all nodes share.
 */
export const make = (
  { change, entity, input }: Protocol.Protocol,
  local: Runtime,
  written: WrittenDefinition,
  schemas: AnyAgent["schemas"]
): Effect.Effect<AnyAgent, never, Sharding> =>
  Effect.gen(function*() {
    const client = yield* entity.client
    const of = (sessionId: string) => client(Protocol.entityIdOf(sessionId))
    const { generateId } = local
    const { lock: waits, turn: turnTimeout } = local.definition.timeouts

    /** Asks the owner of a session, and fails with the owner's failure. */
    const ask = <A>(
      sessionId: string,
      asked: Effect.Effect<A, Protocol.Failure | ClusterRefusal>
    ): Effect.Effect<A, unknown> =>
      Effect.zipRight(checkId(sessionId), Effect.catchAllCause(delivering(asked), failed(sessionId)))
    /** Reads a stream of the owner of a session, and fails with the owner's failure. */
    const read = <A>(
      sessionId: string,
      asked: Stream.Stream<A, Protocol.Failure | ClusterRefusal>
    ): Stream.Stream<A, unknown> =>
      Stream.catchAllCause(deliveringStream(asked), (cause) => Stream.fromEffect(failed(sessionId)(cause)))
    /**
     * Returns the name of the current incarnation: a session's entity gets a new name each time it starts on a node.
     */
    const hello = (sessionId: string): Effect.Effect<string, unknown> => {
      // A message to a node that dies may be lost without an error. `Hello` has no effect, so it may be repeated.
      const asked = Effect.retry(
        Effect.timeout(ask(sessionId, of(sessionId).Hello({ sessionId })), patience),
        { while: (error) => Cause.isTimeoutException(error) || isLost(error), schedule: Schedule.spaced("50 millis") }
      )
      return Duration.isFinite(waits)
        ? Effect.timeoutFail(asked, {
          duration: waits,
          onTimeout: () => new SessionUnavailable({ sessionId, reason: "no_owner" })
        })
        : asked
    }
    /** Asks only one incarnation, because the call must not run twice. */
    const askOnce = <A>(
      sessionId: string,
      asked: (
        here: { readonly sessionId: string; readonly incarnation: string }
      ) => Effect.Effect<A, Protocol.Failure | ClusterRefusal>
    ) => Effect.flatMap(hello(sessionId), (incarnation) => ask(sessionId, asked({ sessionId, incarnation })))

    /** Longest time for a message: it waits in the queue, its turn runs, and its turn runs again if a node dies. */
    const longest = Duration.sum(waits, Duration.times(turnTimeout, 2))
    const inTime = <A, E>(sessionId: string, asked: Effect.Effect<A, E>): Effect.Effect<A, E | Protocol.Failure> =>
      Duration.isFinite(longest)
        ? Effect.timeoutFail(asked, {
          duration: longest,
          onTimeout: (): Protocol.Failure => ({ _tag: "Failed", error: ownerLost(sessionId) })
        })
        : asked
    const invalid = (what: string) => (cause: Parameters<typeof complaints>[0]) =>
      new InvalidRequest({
        what,
        why: complaints(cause, local.definition.excerpts),
        fix: "Send what the Schemas of the agent describe"
      })
    const encodeInput = Schema.encodeUnknownEither(input)
    const decodeInput = Schema.decodeUnknownEither(input)
    const checked = (given: UncheckedInput) =>
      Effect.gen(function*() {
        yield* check(local, given)
        const encoded = yield* Either.mapLeft(encodeInput(wireOf(given)), invalid("request"))
        const { messageId, sessionId } = given
        return {
          sessionId,
          input: yield* Either.mapLeft(decodeInput(encoded), invalid("request")),
          ...(messageId !== undefined && { key: digest(JSON.stringify([messageId, encoded])) })
        }
      })

    /**
     * Reports to the owner at intervals that the caller still waits for a turn. Fails if the owner does not know the
     * call, because a node that loses its sessions may never answer its calls.
     */
    const reading = (
      sessionId: string,
      callId: string,
      isStored: boolean
    ): Effect.Effect<never, SessionUnavailable> => {
      const known = of(sessionId).Reading({ sessionId, callId }).pipe(
        Effect.timeout(readEvery),
        Effect.catchAllCause(() => Effect.succeed(true))
      )
      // A message without a stored copy must not run twice, so its owner is asked only once more.
      const from = (left: number): Effect.Effect<never, SessionUnavailable> =>
        Effect.flatMap(
          Effect.delay(known, readEvery),
          (isKnown) => isKnown ? from(isStored ? 0 : 1) : left > 0 ? from(left - 1) : Effect.fail(ownerLost(sessionId))
        )
      return from(isStored ? 0 : 1)
    }

    const answer = (given: UncheckedInput): Effect.Effect<TurnResponse, unknown> =>
      Effect.gen(function*() {
        const { input, key, sessionId } = yield* checked(given)
        const callId = yield* generateId
        const plain = Effect.raceFirst(
          askOnce(sessionId, (here) => of(sessionId).Turn({ ...here, callId, input })),
          reading(sessionId, callId, false)
        )
        if (key === undefined) return yield* plain
        // The session store has the result of a message with a key, so the message may be sent more than once.
        const repeated = Effect.retry(plain, { while: isLost, times: most, schedule: Schedule.spaced("100 millis") })
        const stored = resending(of(sessionId).Keyed({ sessionId, callId, input, key }))
        const keyed: typeof stored = Effect.raceFirst(
          stored,
          // A stored message may be sent again: its turn is still running, or its answer is stored. The earlier call
          // continues: if a new call ended the earlier one, no call would get an answer while the database takes longer
          // for a call than `readEvery`.
          Effect.catchAll(reading(sessionId, callId, true), () => Effect.suspend(() => keyed))
        )
        const exit = yield* Effect.exit(inTime(sessionId, keyed))
        if (Exit.isSuccess(exit)) return exit.value.callId === callId ? exit.value.response : yield* repeated
        const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
        if (failure !== undefined && "callId" in failure) {
          // The result of an earlier call with this key may have been rewound or may have expired, so the owner
          // decides.
          return failure.callId === callId ? yield* failed(sessionId)(Cause.fail(failure.failure)) : yield* repeated
        }
        if (failure !== undefined) return yield* failed(sessionId)(Cause.fail(failure))
        return Cause.isInterruptedOnly(exit.cause) ? yield* repeated : yield* Effect.die(Cause.squash(exit.cause))
      })

    const abort = (sessionId: string, callId: string) =>
      Effect.ignore(resending(of(sessionId).Abort({ sessionId, callId })))
    /**
     * Returns the events of a turn. If its owner is lost, a message with a key is sent again to the next owner. An
     * abort is sent to the next owner too. If a stream with a key is closed before its end, it tells the owner, because
     * after a fail-over the stored message may run there without a reader.
     */
    const events = (
      given: UncheckedInput,
      callId: string,
      stops: boolean,
      isAborted: () => boolean = () => false
    ): Stream.Stream<TurnEvent, unknown> =>
      Stream.unwrapScoped(Effect.gen(function*() {
        const call = yield* checked(given)
        const { sessionId } = call
        let words = false
        let isOver = !stops || call.key === undefined
        const over = Effect.sync(() => {
          isOver = true
        })
        yield* Effect.addFinalizer(() =>
          isOver
            ? Effect.void
            : Effect.forkDaemon(Effect.ignore(Effect.zipRight(hello(sessionId), abort(sessionId, callId))))
        )
        const from = (attempt: number): Stream.Stream<TurnEvent, unknown> =>
          Stream.unwrap(
            Effect.map(
              Effect.zipLeft(hello(sessionId), Effect.when(abort(sessionId, callId), isAborted)),
              (incarnation) =>
                Stream.interruptWhen(
                  read(sessionId, of(sessionId).Stream({ ...call, incarnation, callId, stops })),
                  reading(sessionId, callId, call.key !== undefined)
                )
            )
          ).pipe(
            Stream.tap(({ _tag }) =>
              Effect.sync(() => {
                if (_tag === "TextDelta") {
                  words = true
                }
              })
            ),
            Stream.catchAll((error) =>
              call.key === undefined || !isLost(error) || attempt >= most
                ? Stream.fail(error)
                : Stream.concat(
                  words ? Stream.make<[TurnEvent]>({ _tag: "MessageReplaced", message: "" }) : Stream.empty,
                  from(attempt + 1)
                )
            )
          )
        return Stream.onEnd(Stream.tapError(from(1), () => over), over)
      }))

    const send = (given: UncheckedInput): Effect.Effect<Turn<Values, Values, unknown>> =>
      Effect.gen(function*() {
        const log = EventLog.make({ replay: true })
        const callId = yield* generateId
        let response: TurnResponse | undefined
        let isAborted = false
        const note = (event: TurnEvent) => {
          log.sink.emit(event)
          if (event._tag === "TurnCompleted") {
            response = event.response
          }
          return log.sink.ready
        }
        const fiber = yield* Stream.runForEach(events(given, callId, false, () => isAborted), note).pipe(
          Effect.flatMap(() =>
            response === undefined ? Effect.fail(ownerLost(given.sessionId)) : Effect.succeed(response)
          ),
          Effect.interruptible,
          Effect.onExit((exit) => log.end(exit)),
          Effect.forkDaemon
        )
        const stop = Effect.suspend(() => {
          isAborted = true
          return abort(given.sessionId, callId)
        })
        return {
          events: PullStream.make(log.subscribe),
          response: Effect.flatten(Fiber.await(fiber)),
          abort: log.release.pipe(Effect.zipRight(stop), Effect.zipRight(Fiber.await(fiber)), Effect.asVoid)
        }
      })

    const clear = (sessionId: string) => ask(sessionId, of(sessionId).Clear({ sessionId }))
    const runtime: Runtime = {
      ...local,
      store: {
        ...local.store,
        remove: (id) =>
          Effect.mapError(clear(id), (cause) =>
            cause instanceof InvalidRequest || cause instanceof SessionStoreError
              ? cause
              : new SessionStoreError({ operation: "remove", why: ErrorMessage.reasonOf(cause), cause }))
      },
      lock: yield* SessionLock.make,
      feed: ClusterFeed.make((sessionId) =>
        Stream.unwrap(
          Effect.map(hello(sessionId), (incarnation) => read(sessionId, of(sessionId).Feed({ sessionId, incarnation })))
        )
      ),
      runningTurns: new Map()
    }
    Handle.runElsewhere(runtime, {
      answer,
      send,
      stream: (given) => Stream.unwrap(Effect.map(generateId, (id) => events(given, id, true)))
    })
    Keeping.register(runtime)

    const validChange = Schema.validateEither(change)
    const changes = (sessionId: string, wanted: object): Effect.Effect<Session, unknown> =>
      Effect.flatMap(
        Effect.zipRight(checkId(sessionId), Either.mapLeft(validChange(defined(wanted)), invalid("request"))),
        (change) => askOnce(sessionId, (here) => of(sessionId).Change({ ...here, change }))
      )
    const targeted = (target: string | Directive, emitter: string): Effect.Effect<string | Directive, unknown> =>
      typeof target === "string"
        ? Effect.succeed(target)
        : readDirective(runtime, target, emitter)
    const rewind = (id: string, to: number | object) =>
      restoring(changes(id, { _tag: "Rewind", ...(typeof to === "number" ? { toTurn: to } : defined(to)) }))
    const fork = (id: string, options: object = {}) => restoring(changes(id, { _tag: "Fork", ...defined(options) }))
    const handle = Handle.makeHandle(runtime)
    const agent: AnyAgent = {
      ...handle,
      schemas,
      rewind,
      fork,
      wake: (id) => Effect.map(askOnce(id, (here) => of(id).Wake(here)), Option.fromNullable),
      dispatch: (id, target) =>
        Effect.flatMap(targeted(target, "dispatch"), (target) => changes(id, { _tag: "Dispatch", target })),
      takeOver: (id, how) => changes(id, { _tag: "TakeOver", how }),
      say: (id, text, saying) => changes(id, { _tag: "Say", text, saying }),
      release: (id, target) =>
        target === undefined
          ? changes(id, { _tag: "Release" })
          : Effect.flatMap(targeted(target, "release"), (target) => changes(id, { _tag: "Release", target })),
      suggest: (id) => read(id, of(id).Suggest({ sessionId: id })),
      session: (id) => ({
        ...handle.session(id),
        rewind: (to) => rewind(id, to),
        fork: (options) => fork(id, options),
        snapshot: ask(id, of(id).Snapshot({ sessionId: id })),
        calls: Effect.map(ask(id, of(id).Snapshot({ sessionId: id })), ({ callLog }) => callLog?.calls ?? []),
        history: Effect.flatMap(
          ask(id, of(id).History({ sessionId: id })),
          (all) =>
            Either.all(all.map((message) =>
              Either.mapLeft(Transcript.decode(message), (why) => new SessionCorrupt({ sessionId: id, why }))
            ))
        ),
        clear: clear(id)
      })
    }
    return registerAgent(agent, runtime, written)
  })
