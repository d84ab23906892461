/** The turn feed of all processes of a cluster: a client can join or stop a turn through any of them. */
import type { Sharding } from "@effect/cluster/Sharding"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { SessionFeedError } from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"
import * as TurnFeed from "../../services/turn/TurnFeed.js"
import * as Protocol from "./Protocol.js"
import * as TurnRecords from "./TurnRecords.js"

/**
 * Maximum number of attempts to read a record without a new event, half a second apart; then the reader gets an error.
 * With `takesOver` it need not wait for a stalled process, only for the record of a living one on a new node.
 */
const most = { patient: 20, takesOver: 6 }

/**
 * Longest time during which a session may have no owner: a node that leaves the cluster first waits for its turns, by
 * default for up to 15 seconds.
 */
const patience = "20 seconds"

const lost = (sessionId: string, why: string) =>
  new SessionFeedError({
    sessionId,
    what: `the turns of session "${sessionId}"`,
    why,
    fix: "Read the session for what came of its turns, and give Cluster.layerTurns to all processes of the cluster"
  })

/** Sends a request to the node that owns the session, and again until a node answers. A node may receive it twice. */
const asking = (sessionId: string) => <A, E>(asked: Effect.Effect<A, E>): Effect.Effect<A, SessionFeedError> =>
  asked.pipe(
    Effect.timeout("3 seconds"),
    Effect.catchAllCause(() => Effect.fail("unanswered")),
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.timeoutFail({ duration: patience, onTimeout: () => "unanswered" }),
    Effect.mapError(() => lost(sessionId, "no node of the cluster answers for them")),
    Effect.interruptible
  )

const make = Effect.map(TurnRecords.entity.client, (client) => {
  const of = (sessionId: string) => client(Protocol.entityIdOf(sessionId))

  /** Writes a record. Keeps its events in this process until the turn ends, for a node that takes the session over. */
  const writer = (turn: TurnFeed.RunningTurn) => {
    const { sessionId, turnId } = turn
    const ask = asking(sessionId)
    const inTurn = Effect.unsafeMakeSemaphore(1).withPermits(1)
    const events: Array<JsonObject> = []
    const stop = Effect.unsafeMakeLatch(false)
    const state: { startedIn?: string; isRemoved: boolean; stopping: boolean } = { isRemoved: false, stopping: false }
    const send = (from: number, { alone = false, over = false }) => {
      const { isRemoved: _, stopping: __, ...started } = state
      const begun = from === 0 && { turn: { ...turn, ...started }, alone }
      return ask(
        of(sessionId).Write({ sessionId, turnId, ...begun, ...started, from, events: events.slice(from), over })
      )
    }
    const write = (from: number, how: { readonly alone?: boolean; readonly over?: boolean } = {}) =>
      Effect.suspend(() => state.isRemoved ? Effect.succeed("removed" as const) : send(from, how)).pipe(
        Effect.flatMap((answer) => answer === "missing" ? send(0, how) : Effect.succeed(answer)),
        Effect.tap((answer) => Effect.sync(() => state.isRemoved ||= answer === "removed")),
        inTurn
      )
    const wait = Effect.suspend(() => ask(of(sessionId).Wait({ sessionId, turnId, stopping: state.stopping }))).pipe(
      Effect.flatMap((answer) => {
        if (answer === "removed") return Effect.never
        if (answer === "missing") return write(events.length)
        if (answer === "stop") {
          state.stopping = true
          stop.unsafeOpen()
        }
        return Effect.void
      }),
      Effect.ignore
    )
    const recording: TurnFeed.Recording = {
      started: (epoch) =>
        Effect.suspend(() => {
          state.startedIn = epoch
          return Effect.asVoid(write(events.length))
        }),
      append: (more) =>
        Effect.suspend(() => {
          const from = events.length
          for (const event of more) events.push(event)
          return Effect.asVoid(write(from))
        }),
      stopRequested: stop.await
    }
    const end = Effect.catchAll(
      Effect.suspend(() => write(events.length, { over: true })),
      (error) => Effect.logWarning("The end of a turn was not written down", error)
    )
    return { recording, end, open: (alone: boolean) => write(0, { alone }), alive: Effect.forever(wait) }
  }

  const followed = (sessionId: string, turnId: string, after: number, takesOver: boolean) => {
    const attempts = takesOver ? most.takesOver : most.patient
    let read = after
    const from = (left: number): Stream.Stream<TurnFeed.NumberedEvent, SessionFeedError> =>
      Stream.suspend(() => {
        const [before, seen] = [read, { over: false, lost: false }]
        const told = of(sessionId).Follow({ sessionId, turnId, after: read, takesOver }).pipe(
          // Detects a suspended node, because it sends nothing.
          Stream.timeout("5 seconds"),
          Stream.catchAllCause(() => Stream.empty),
          Stream.filterMap(({ event, lost, over }) => {
            seen.over ||= over === true
            seen.lost ||= lost === true
            read = event?.seq ?? read
            return Option.fromNullable(event)
          })
        )
        const rest = () => {
          if (seen.over) return Stream.empty
          if ((takesOver && seen.lost) || (read === before && left === 0)) {
            return Stream.fail(lost(sessionId, "the process that ran the turn is gone, and the record with it"))
          }
          return Stream.concat(
            Stream.drain(Stream.fromEffect(Effect.sleep("500 millis"))),
            from(read === before ? left - 1 : attempts)
          )
        }
        return Stream.concat(told, Stream.suspend(rest))
      })
    return Stream.suspend(() => {
      read = after
      return from(attempts)
    })
  }

  return TurnFeed.TurnFeed.of({
    place: "memory of the cluster",
    remove: (sessionId, epoch) =>
      asking(sessionId)(of(sessionId).Remove({ sessionId, ...(epoch !== undefined && { epoch }) })),
    begin: (turn, { alone = false } = {}): Effect.Effect<
      Option.Option<TurnFeed.Recording>,
      SessionFeedError,
      Scope.Scope
    > =>
      Effect.gen(function*() {
        const { alive, end, open, recording } = writer(turn)
        if ((yield* open(alone)) === "refused") return Option.none()
        yield* Effect.addFinalizer(() => end)
        yield* Effect.forkScoped(Effect.interruptible(alive))
        return Option.some(recording)
      }),
    running: (sessionId) => asking(sessionId)(of(sessionId).Running({ sessionId })),
    follow: (sessionId, turnId, after, { takesOver = false } = {}) =>
      Effect.map(
        asking(sessionId)(of(sessionId).Has({ sessionId, turnId })),
        (has) => has ? Option.some(followed(sessionId, turnId, after, takesOver)) : Option.none()
      ),
    stop: (sessionId, turnId) => asking(sessionId)(of(sessionId).Stop({ sessionId, turnId }))
  })
})

/**
 * The turn feed of all processes of a cluster, in place of Redis: a client can join or stop a turn through any of them.
 * The record of a turn is in the memory of the node that owns its session; when that node dies, the process that reads
 * the turn writes the record again. Provide it to `Server.layer`, in nodes and in fronts.
 */
export const layerTurns: Layer.Layer<TurnFeed.TurnFeed, never, Sharding> = Layer.merge(
  TurnRecords.layer,
  Layer.effect(TurnFeed.TurnFeed, make)
)
