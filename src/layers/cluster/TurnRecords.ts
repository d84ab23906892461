/**
 * The records of turns on the nodes of a cluster: the record of a turn is in the memory of the node that owns its
 * session. It is lost with that node, and the process that reads the turn writes it again on the next one.
 */
import * as Entity from "@effect/cluster/Entity"
import { Sharding } from "@effect/cluster/Sharding"
import * as Rpc from "@effect/rpc/Rpc"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { JsonObject } from "../../domain/base/Json.js"
import { optional } from "../../domain/fields/Fields.js"
import * as TurnFeed from "../../services/turn/TurnFeed.js"

/** If its writer sends nothing for this time (milliseconds), a record counts as lost. */
const lease = 5000

/** The same time if a reader of the record can run the turn itself. A writer reports every second. */
const leaseBesideHeir = 2000

const of = { sessionId: Schema.String }
const ofTurn = { ...of, turnId: Schema.String }

const Running = Schema.Struct({
  ...ofTurn,
  userId: optional(Schema.String),
  message: optional(Schema.String),
  messageId: optional(Schema.String),
  epoch: optional(Schema.String),
  startedIn: optional(Schema.String)
})

const WriteBody = Schema.Struct({
  ...ofTurn,
  /** Set to open the record, if there is none yet. */
  turn: optional(Running),
  alone: optional(Schema.Boolean),
  startedIn: optional(Schema.String),
  /** Number of earlier events. It shows whether a write arrives twice; the second has no effect. */
  from: Schema.Number,
  events: Schema.Array(JsonObject),
  /** True if the turn has ended. */
  over: Schema.Boolean
})

/**
 * The answer to the process that writes a record. `missing`: this node does not have the record, or not all of it.
 * `removed`: the record was removed on purpose, and must not be written again.
 */
const Written = Schema.Literal("kept", "refused", "missing", "removed")

/**
 * An element of a followed record. One without an event shows that the node is alive. A stream that ends without `over`
 * is incomplete; with `lost`, because the writer sends nothing any more.
 */
const Followed = Schema.Struct({
  event: optional(Schema.Struct({ seq: Schema.Number, event: JsonObject })),
  over: optional(Schema.Literal(true)),
  lost: optional(Schema.Literal(true))
})

/** The messages to the node that keeps the records of a session. */
export const entity = Entity.make("coxswain/turns", [
  Rpc.make("Write", { payload: WriteBody, success: Written }),
  /**
   * Reports that the writer is alive, and waits up to a second for a stop request. `stopping`: the writer already knows
   * of one.
   */
  Rpc.make("Wait", {
    payload: { ...ofTurn, stopping: Schema.Boolean },
    success: Schema.Literal("kept", "stop", "missing", "removed")
  }),
  Rpc.make("Running", { payload: of, success: Schema.Array(Running) }),
  Rpc.make("Has", { payload: ofTurn, success: Schema.Boolean }),
  /** `takesOver`: the reader can run the turn itself. */
  Rpc.make("Follow", {
    payload: { ...ofTurn, after: Schema.Number, takesOver: optional(Schema.Boolean) },
    success: Followed,
    stream: true
  }),
  Rpc.make("Stop", { payload: ofTurn }),
  Rpc.make("Remove", { payload: { ...of, epoch: optional(Schema.String) }, success: Schema.Number })
])

/** A record on this node. */
interface Record {
  turn: TurnFeed.RunningTurn
  readonly recording: TurnFeed.Recording
  readonly close: Effect.Effect<void>
  /** Number of events. */
  written: number
  /** Time of the last message from its writer, in milliseconds since 1970. */
  heardAt: number
  state: "runs" | "ended" | "lost" | "removed"
}

const keyOf = ({ sessionId, turnId }: Pick<TurnFeed.RunningTurn, "sessionId" | "turnId">) =>
  JSON.stringify([sessionId, turnId])

/** Keeps the records of the sessions that this process owns. A process that owns none keeps none. */
export const layer: Layer.Layer<never, never, Sharding> = Layer.unwrapScoped(Effect.gen(function*() {
  const feed = yield* TurnFeed.make
  const records = new Map<string, Record>()
  const inTurn = Effect.unsafeMakeSemaphore(1).withPermits(1)

  const end = (record: Record, state: "ended" | "lost" | "removed") =>
    Effect.suspend(() => {
      const wasRunning = record.state === "runs"
      record.state = state
      return wasRunning ? record.close : Effect.void
    })

  const open = (turn: TurnFeed.RunningTurn, alone: boolean) =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const recording = yield* Scope.extend(feed.begin(turn, { alone }), scope)
      if (Option.isNone(recording)) return undefined
      const heardAt = yield* Clock.currentTimeMillis
      const close = Scope.close(scope, Exit.void)
      const record: Record = { turn, recording: recording.value, close, written: 0, heardAt, state: "runs" }
      records.set(keyOf(turn), record)
      return record
    })

  const append = (record: Record, { events, from, over, startedIn }: typeof WriteBody.Type) =>
    Effect.gen(function*() {
      if (record.state !== "runs") return
      if (startedIn !== undefined) {
        record.turn = { ...record.turn, startedIn }
        yield* record.recording.started(startedIn)
      }
      const fresh = events.slice(record.written - from)
      record.written += fresh.length
      record.heardAt = yield* Clock.currentTimeMillis
      yield* record.recording.append(fresh)
      if (over) yield* end(record, "ended")
    })

  const write = (given: typeof WriteBody.Type) =>
    Effect.gen(function*() {
      const found = records.get(keyOf(given))
      if (found?.state === "removed") return "removed"
      const isThere = found !== undefined && found.state !== "lost"
      if (!isThere && given.turn === undefined) return "missing"
      const record = isThere || given.turn === undefined ? found : yield* open(given.turn, given.alone === true)
      if (record === undefined) return "refused"
      if (given.from > record.written) return "missing"
      yield* append(record, given)
      return "kept"
    }).pipe(inTurn, Effect.uninterruptible, Effect.orDie)

  const expire = (record: Record, after: number) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => record.state === "runs" && now - record.heardAt > after ? end(record, "lost") : Effect.void
    )
  const sweep = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.forEach(records, ([key, record]) => {
      if (record.state === "runs") return expire(record, lease)
      if (now - record.heardAt > Duration.toMillis(TurnFeed.keptFor)) records.delete(key)
      return Effect.void
    }, { discard: true }))
  yield* Effect.forkScoped(Effect.forever(Effect.delay(inTurn(sweep), "1 second")))

  return entity.toLayer(
    Effect.map(Effect.zip(Entity.CurrentAddress, Sharding), ([{ shardId }, sharding]) => ({
      Write: ({ payload }) => write(payload),
      Wait: ({ payload: { stopping, ...turn } }) =>
        Effect.gen(function*() {
          const record = records.get(keyOf(turn))
          if (record === undefined || record.state === "lost") return "missing"
          record.heardAt = yield* Clock.currentTimeMillis
          if (record.state === "removed") return "removed"
          const stop = stopping ? Effect.never : record.recording.stopRequested
          return Option.isSome(yield* Effect.timeoutOption(stop, "1 second")) ? "stop" : "kept"
        }),
      Running: ({ payload: { sessionId } }) => Effect.orDie(feed.running(sessionId)),
      Has: ({ payload: turn }) =>
        records.get(keyOf(turn))?.state === "lost"
          ? Effect.succeed(false)
          : Effect.orDie(Effect.map(feed.follow(turn.sessionId, turn.turnId, 0), Option.isSome)),
      Follow: ({ payload: { after, takesOver = false, ...turn } }) => {
        const record = records.get(keyOf(turn))
        const last = (): typeof Followed.Type => record?.state === "lost" ? { lost: true } : { over: true }
        const [every, check] = takesOver && record !== undefined
          ? ["200 millis", inTurn(expire(record, leaseBesideHeir))] as const
          : ["1 second", Effect.void] as const
        return Stream.unwrap(Effect.map(
          Effect.orDie(feed.follow(turn.sessionId, turn.turnId, after)),
          Option.match({
            onNone: () => Stream.empty,
            onSome: (events) =>
              Stream.merge(
                Stream.concat(
                  Stream.map(Stream.orDie(events), (event) => ({ event })),
                  Stream.sync(last)
                ),
                // When the session moves to another node, this stream ends, so that the move does not wait for its
                // readers.
                Stream.repeatEffectOption(
                  Effect.filterOrFail(
                    Effect.delay(Effect.as(check, {}), every),
                    () => sharding.hasShardId(shardId),
                    Option.none
                  )
                ),
                { haltStrategy: "either" }
              )
          })
        ))
      },
      Stop: ({ payload: { sessionId, turnId } }) => Effect.orDie(feed.stop(sessionId, turnId)),
      Remove: ({ payload: { epoch, sessionId } }) =>
        inTurn(Effect.gen(function*() {
          const count = yield* Effect.orDie(feed.remove(sessionId, epoch))
          for (const record of records.values()) {
            const { turn } = record
            if (turn.sessionId === sessionId && (epoch === undefined || TurnFeed.lifeOf(turn) === epoch)) {
              yield* end(record, "removed")
            }
          }
          return count
        }))
    })),
    { concurrency: "unbounded", disableFatalDefects: true }
  )
}))
