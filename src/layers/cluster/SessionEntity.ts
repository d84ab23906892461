/**
 * A session on the node that owns it. The entity keeps the session in memory until it has been idle for some time. Its
 * turns run one after another, in the order of arrival.
 */
import * as Entity from "@effect/cluster/Entity"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as Sharding from "@effect/cluster/Sharding"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { SessionFeedError, type SessionUnavailable } from "../../domain/base/error/Errors.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { ErasedEvents } from "../../domain/definition/Erase.js"
import * as Timer from "../../domain/directive/Timer.js"
import * as StoredJob from "../../domain/job/StoredJob.js"
import type { Session } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type { Agent } from "../../pipeline/agent/Contract.js"
import * as Handle from "../../pipeline/agent/handle.js"
import type { UncheckedInput } from "../../pipeline/state/Input.js"
import type { Runtime } from "../../pipeline/state/TurnState.js"
import { load } from "../../pipeline/stored/loading.js"
import * as CalledTurns from "./CalledTurns.js"
import type { LiveSessions } from "./LiveSessions.js"
import * as Protocol from "./Protocol.js"
import { ownerLost, refusal, resending, told, toldStream } from "./refusal.js"

/** An agent without the types of its data, context and errors. */
export type AnyAgent = Agent<Values, Values, unknown, ErasedEvents>

/** The parts of a node that its sessions share. */
interface Node {
  readonly agent: AnyAgent
  /** The runtime of the agent; it uses the store of the node. */
  readonly runtime: Runtime
  readonly live: LiveSessions
  /** Time without a message after which a session leaves the memory. */
  readonly maxIdleTime?: Duration.DurationInput | undefined
}

/** Milliseconds without a `Reading` message after which a reader counts as gone. */
const readerGoneAfter = 15_000

/** The same time if the message has been sent again: a turn waits for its slowest reader. */
const readerGoneBesideAnother = 2000

/** Number of calls that an incarnation remembers, so that it can refuse a call that arrives twice. */
const remembered = 1000

/** Delay after a failed wake-up: a second, doubled each time, up to five minutes. */
const backoff = Schedule.union(Schedule.exponential("1 second"), Schedule.spaced("5 minutes"))

const remember = (calls: Set<string>, callId: string): void => {
  for (const oldest of calls) if (calls.size >= remembered) calls.delete(oldest)
  calls.add(callId)
}

/** A message to run a turn with its events. */
interface Streamed {
  readonly sessionId: string
  readonly callId: string
  readonly input: Protocol.Input
  readonly key?: string
  readonly stops: boolean
}

const feedLost = (sessionId: string) =>
  new SessionFeedError({
    sessionId,
    what: `the feed of session "${sessionId}"`,
    why: "the session goes on at another node of the cluster",
    fix: "Follow the session again, and read its snapshot or history for what was missed"
  })

/** True if a timer or a job of this agent is due in the session. */
const isDue = ({ definition: { name } }: Runtime, session: Session, now: DateTime.Utc): boolean =>
  Timer.due(session, name, now) !== undefined || StoredJob.due(session, name, now).length > 0

/** Serves the sessions that this node owns. */
export const layer = ({ entity }: Protocol.Protocol, { agent, live, maxIdleTime, runtime }: Node) =>
  entity.toLayer(
    Effect.gen(function*() {
      const address = yield* Entity.CurrentAddress
      const { entityId, shardId } = address
      const forget = Option.match(yield* Effect.serviceOption(MessageStorage.MessageStorage), {
        onNone: () => Effect.void,
        onSome: (storage) => storage.clearAddress(address)
      })
      const sharding = yield* Sharding.Sharding
      const itself = (yield* entity.client)(entityId)
      const incarnation = yield* runtime.generateId
      const opened = new Set<string>()
      yield* Effect.addFinalizer(() => Effect.sync(() => opened.forEach(live.close)))
      const calls = new Set<string>()
      const turns = CalledTurns.make()
      const aborted = new Set<string>()
      /** Lets the turn of a call run to its end without its readers, by the id of the call. */
      const unattended = new Map<string, Effect.Effect<void>>()
      /** Stops the reader of a call, by the id of the call. */
      const readers = new Map<string, Effect.Effect<void>>()
      /** The results of the running turns whose messages are stored. */
      const ends = new Map<string, Deferred.Deferred<TurnResponse, unknown>>()
      /**
       * The turns of stored messages that run without a reader. When a reader comes, a turn with this reader replaces
       * such a turn, and the `Deferred` gets the effect that waits for the end of the new turn.
       */
      const unread = new Map<string, Deferred.Deferred<Effect.Effect<TurnResponse, unknown>>>()
      const readAt = new Map<string, number>()

      const enter = (sessionId: string) => {
        opened.add(sessionId)
        live.open(sessionId)
      }
      const here = <A, E, R>(
        { incarnation: wanted, sessionId }: { readonly incarnation: string; readonly sessionId: string },
        run: Effect.Effect<A, E, R>
      ): Effect.Effect<A, E | SessionUnavailable, R> =>
        Effect.suspend((): Effect.Effect<A, E | SessionUnavailable, R> => {
          enter(sessionId)
          return wanted === incarnation ? run : Effect.fail(ownerLost(sessionId))
        })
      /** Runs a call once, although the cluster delivers it again when a connection breaks. */
      const once = <A, E, R>(callId: string, sessionId: string, run: Effect.Effect<A, E, R>) =>
        Effect.suspend((): Effect.Effect<A, E | SessionUnavailable, R> => {
          if (calls.has(callId)) return Effect.fail(ownerLost(sessionId))
          remember(calls, callId)
          return run
        })
      const isOwner = Effect.sync(() => sharding.hasShardId(shardId))
      /** Completes when the session leaves this node. */
      const left = (every: Duration.DurationInput) =>
        Effect.repeat(isOwner, { while: (is) => is, schedule: Schedule.spaced(every) })
      /**
       * Completes when the session leaves this node and the turn of the call has ended. From then on the cluster's
       * engine delivers no acknowledgement to this entity, so the reader of the call would wait for one until the
       * entity is ended by force.
       */
      const moved = (callId: string) =>
        left("200 millis").pipe(
          Effect.zipRight(Effect.suspend(() => unattended.get(callId) ?? Effect.void)),
          Effect.zipRight(Effect.sleep("100 millis"))
        )
      const attend = (callId: string): Handle.OnStart => ({ release, response }) =>
        Effect.suspend(() => {
          const end = Effect.exit(response)
          unattended.set(callId, Effect.zipRight(release, Effect.asVoid(end)))
          return Effect.forkDaemon(Effect.zipRight(end, Effect.sync(() => unattended.delete(callId))))
        })
      const isGone = (callId: string) =>
        Clock.currentTimeMillis.pipe(
          Effect.map((now) =>
            now - (readAt.get(callId) ?? now) > (turns.isResent(callId) ? readerGoneBesideAnother : readerGoneAfter)
          ),
          Effect.repeat({ until: (gone) => gone, schedule: Schedule.spaced("500 millis") })
        )
      /** Registers the turn of a call as running on this node until the scope closes. */
      const running = (callId: string) =>
        Effect.acquireRelease(
          Effect.map(Clock.currentTimeMillis, (now) => readAt.set(callId, now)),
          () => Effect.sync(() => readAt.delete(callId))
        )
      const known = <A, E>(callId: string, turn: Effect.Effect<A, E>) =>
        Effect.scoped(Effect.zipRight(running(callId), turn))
      /**
       * Interrupts the fiber of this call when the effect completes, because the fiber may wait for an acknowledgement
       * that never comes.
       */
      const stoppedAfter = (reason: Effect.Effect<unknown>) =>
        Effect.withFiberRuntime<Effect.Effect<void>, never, Scope.Scope>((fiber) => {
          const stop = Effect.sync(() => fiber.unsafeInterruptAsFork(fiber.id()))
          return Effect.as(Effect.forkScoped(Effect.zipRight(reason, stop)), stop)
        })
      /**
       * Returns the events of a turn for a reader. The stream ends when the reader stops reporting that it waits, when
       * it reads the same call again over another connection, or when the session moves to another node.
       */
      const read = (callId: string, events: Stream.Stream<TurnEvent, unknown>) =>
        Stream.unwrapScoped(Effect.gen(function*() {
          yield* running(callId)
          const stop = yield* stoppedAfter(Effect.raceFirst(isGone(callId), moved(callId)))
          yield* readers.get(callId) ?? Effect.void
          yield* Effect.acquireRelease(
            Effect.sync(() => readers.set(callId, stop)),
            () => Effect.sync(() => readers.get(callId) === stop && readers.delete(callId))
          )
          return events
        }))
      /** Returns the turn of a call. After a fail-over, its stored message may have started the turn already. */
      const sent = (callId: string, key: string | undefined, given: UncheckedInput) =>
        Effect.gen(function*() {
          const running = turns.get(callId)
          if (running !== undefined) return running
          const turn = yield* Handle.send(runtime, given, attend(callId))
          yield* turns.add(callId, key, turn)
          if (aborted.has(callId)) yield* Effect.forkDaemon(turn.abort)
          return turn
        })
      /**
       * Waits for the end of a turn that runs on this node. If the turn stopped because the session leaves this node,
       * the caller gets no answer.
       */
      const endOf = (end: Deferred.Deferred<TurnResponse, unknown>) =>
        Effect.catchAllCause(Deferred.await(end), (cause) =>
          Effect.zipRight(
            Cause.isInterruptedOnly(cause) ? Effect.whenEffect(Effect.never, Effect.negate(isOwner)) : Effect.void,
            Effect.failCause(cause)
          ))
      /**
       * Begins a turn with a reader. A message with a key is stored first, so that the next owner runs it if this node
       * dies; on this node, the handler of the stored message only waits for the end of the turn.
       */
      const begun = ({ callId, input, key, sessionId, stops }: Streamed) =>
        Effect.gen(function*() {
          const resumed = stops || key === undefined ? undefined : yield* turns.resume(callId, key)
          if (resumed !== undefined) return resumed.events
          const end = yield* Deferred.make<TurnResponse, unknown>()
          const alone = unread.get(callId)
          if (alone !== undefined) yield* Deferred.succeed(alone, endOf(end))
          else if (key !== undefined) {
            ends.set(callId, end)
            yield* Effect.mapError(
              resending(itself.Keyed({ sessionId, callId, input, key }, { discard: true })),
              refusal(sessionId)
            )
          }
          const given = Protocol.givenOf(input)
          const ended = ({ response }: Pick<Handle.Started, "response">) =>
            Effect.forkDaemon(Effect.flatMap(Effect.exit(response), (exit) => Deferred.done(end, exit)))
          if (stops) {
            const onStart: Handle.OnStart = (turn) => Effect.zipRight(attend(callId)(turn), ended(turn))
            return Stream.ensuring(Handle.stream(runtime, given, onStart), Deferred.interrupt(end))
          }
          const turn = yield* sent(callId, key, given)
          yield* ended(turn)
          return turn.events
        })
      /**
       * Runs the turn of a stored message. After a fail-over the turn has no reader at first. When the reader of its
       * call connects again, a turn with this reader replaces it, and the reader may stop the new turn.
       */
      const runKeyed = ({ callId, input }: Pick<Streamed, "callId" | "input">) =>
        Effect.gen(function*() {
          const end = ends.get(callId)
          ends.delete(callId)
          if (end !== undefined) return yield* endOf(end)
          if (aborted.has(callId)) return yield* Effect.interrupt
          const taken = yield* Deferred.make<Effect.Effect<TurnResponse, unknown>>()
          unread.set(callId, taken)
          return yield* Effect.raceFirst(
            Effect.exit(Handle.answer(runtime, Protocol.givenOf(input))),
            Deferred.await(taken)
          ).pipe(Effect.ensuring(Effect.sync(() => unread.delete(callId))), Effect.flatten)
        })

      return entity.of({
        Hello: ({ payload: { sessionId } }) =>
          Effect.sync(() => {
            enter(sessionId)
            return incarnation
          }),
        Turn: ({ payload, requestId }) =>
          told(
            here(
              payload,
              once(
                String(requestId),
                payload.sessionId,
                known(payload.callId, Handle.answer(runtime, Protocol.givenOf(payload.input)))
              )
            )
          ),
        Keyed: ({ payload: { callId, input, sessionId } }) =>
          Effect.suspend(() => {
            enter(sessionId)
            return Effect.mapBoth(told(known(`stored/${callId}`, runKeyed({ callId, input }))), {
              onSuccess: (response) => ({ callId, response }),
              onFailure: (failure) => ({ callId, failure })
            })
          }),
        Stream: ({ payload, requestId }) =>
          toldStream(Stream.unwrap(here(
            payload,
            once(
              String(requestId),
              payload.sessionId,
              Effect.map(begun(payload), (events) => read(payload.callId, events))
            )
          ))),
        Reading: ({ payload: { callId } }) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const isKnown = readAt.has(callId)
            if (isKnown) readAt.set(callId, now)
            return isKnown || readAt.has(`stored/${callId}`)
          }),
        Abort: ({ payload: { callId } }) =>
          Effect.suspend(() => {
            remember(aborted, callId)
            const alone = unread.get(callId)
            if (alone !== undefined) return Deferred.succeed(alone, Effect.interrupt)
            return turns.get(callId)?.abort ?? Effect.void
          }),
        Change: ({ payload, requestId }) =>
          told(
            here(payload, once(String(requestId), payload.sessionId, changed(agent, payload.sessionId, payload.change)))
          ),
        Clear: ({ payload: { sessionId } }) =>
          told(Effect.suspend(() => {
            enter(sessionId)
            // The cluster's stored messages of the session also contain user text, so they are deleted too.
            return Effect.zipRight(agent.session(sessionId).clear, Effect.mapError(forget, refusal(sessionId)))
          })),
        Snapshot: ({ payload: { sessionId } }) =>
          told(Effect.suspend(() => {
            enter(sessionId)
            return agent.session(sessionId).snapshot
          })),
        History: ({ payload: { sessionId } }) =>
          told(Effect.map(agent.session(sessionId).history, (all) => all.map(Transcript.encode))),
        Wake: ({ payload }) => told(Effect.map(here(payload, agent.wake(payload.sessionId)), Option.getOrNull)),
        Suggest: ({ payload: { sessionId } }) => toldStream(agent.suggest(sessionId)),
        Feed: ({ payload }) =>
          toldStream(Stream.unwrapScoped(here(
            payload,
            Effect.map(
              Effect.zipLeft(
                runtime.feed.subscribe(payload.sessionId),
                stoppedAfter(Effect.zipRight(left("1 second"), Effect.sleep("1 second")))
              ),
              (published) =>
                Stream.merge(
                  Stream.concat(Stream.make({}), published),
                  Stream.fromEffect(Effect.zipRight(left("1 second"), Effect.fail(feedLost(payload.sessionId)))),
                  { haltStrategy: "either" }
                )
            )
          ))),
        Due: ({ payload: { at, sessionId } }) => {
          const due = Effect.gen(function*() {
            enter(sessionId)
            const written = live.nextWrite(sessionId)
            // Waits for the end of the running turn. A wake-up is stored before its timer or job, so the turn that
            // stores the timer or job may still be running.
            const loaded = yield* runtime.lock.withLock(sessionId)(load(runtime, sessionId, 0))
            const now = yield* DateTime.now
            if (!Option.exists(loaded, ({ session }) => isDue(runtime, session, now))) return true
            live.due(sessionId, at)
            yield* written
            return false
          })
          return Effect.repeat(due, { until: (settled) => settled }).pipe(
            Effect.tapError((error) =>
              Effect.logWarning(`Session "${sessionId}" could not be woken; it is tried again`, error)
            ),
            Effect.retry(backoff),
            Effect.orDie,
            Effect.asVoid
          )
        }
      })
    }),
    {
      concurrency: "unbounded",
      disableFatalDefects: true,
      ...(maxIdleTime !== undefined && { maxIdleTime })
    }
  )

const changed = (agent: AnyAgent, id: string, change: Protocol.Change): Effect.Effect<Session, unknown> => {
  switch (change._tag) {
    case "Dispatch":
      return agent.dispatch(id, change.target)
    case "Rewind": {
      const { _tag, ...to } = change
      return agent.rewind(id, to)
    }
    case "Fork": {
      const { _tag, ...options } = change
      return agent.fork(id, options)
    }
    case "TakeOver":
      return agent.takeOver(id, change.how)
    case "Say":
      return agent.say(id, change.text, change.saying)
    case "Release":
      return agent.release(id, change.target)
  }
}
