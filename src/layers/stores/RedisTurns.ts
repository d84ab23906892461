/**
 * The turn feed in Redis, shared by all processes: one stream per turn.
 *
 * Keys, after the prefix: `turns:<id>` the turns of a session that have begun and not ended, `turn:<id>:<turn>` the
 * stream of a turn (the turn itself, the `epoch` of its session, its events), which expires when its process no longer
 * renews it, `stop:<id>:<turn>` the request to stop the turn.
 *
 * An existing stream is complete: it does not start again after it expired, and is removed if an event cannot be
 * written.
 */
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import {
  type LayerConfigurationError,
  SessionFeedError,
  type SessionStoreError
} from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"
import { optional } from "../../domain/fields/Fields.js"
import * as TurnFeed from "../../services/turn/TurnFeed.js"
import { connect } from "./RedisConnection.js"
import type { FeedOptions } from "./RedisFeed.js"
import { script } from "./RedisScripts.js"
import * as Stored from "./Stored.js"

/**
 * Time after which a turn counts as ended unless its process renews it. The process renews it three times in this time.
 */
const lease = Duration.seconds(15)

/**
 * KEYS turns stream; ARGV turn text alone? lease prefix-of-streams. Removes turns whose stream is gone, because they
 * are not running. Returns 0 if the turn must be alone and another turn runs. The server sets the start time, because
 * its clock is the same for all.
 */
const begin = script(`
for _, id in ipairs(redis.call('HKEYS', KEYS[1])) do
  if redis.call('EXISTS', ARGV[5] .. id) == 0 then redis.call('HDEL', KEYS[1], id) end
end
if ARGV[3] == '1' and redis.call('HLEN', KEYS[1]) > 0 then return 0 end
local time = redis.call('TIME')
local begunAt = string.format('%.0f', time[1] * 1000000 + time[2])
redis.call('HSET', KEYS[1], ARGV[1], '{"begunAt":' .. begunAt .. ',' .. string.sub(ARGV[2], 2))
redis.call('PERSIST', KEYS[1])
redis.call('XADD', KEYS[2], '0-1', 'begun', ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return 1`)

/**
 * KEYS turns; ARGV prefix-of-streams. Returns each turn, with the `epoch` of its session if its stream contains one. A
 * hash has no order, so each turn has its start time.
 */
const running = script(`
local found = {}
for _, id in ipairs(redis.call('HKEYS', KEYS[1])) do
  if redis.call('EXISTS', ARGV[1] .. id) == 1 then
    local started = redis.call('XRANGE', ARGV[1] .. id, '0-2', '0-2')[1]
    found[#found + 1] = {redis.call('HGET', KEYS[1], id), started and started[2][2] or false}
  end
end
return found`)

/** KEYS stream; ARGV epoch */
const started = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('XADD', KEYS[1], '0-2', 'started', ARGV[1]) end
return 1`)

/**
 * The end of the scripts that write to a stream: returns whether the stream still exists, and whether a client has
 * asked to stop the turn.
 */
const told = `return {redis.call('EXISTS', KEYS[1]), redis.call('EXISTS', KEYS[2])}`

/** KEYS stream stop; ARGV lease next events… */
const append = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then
  local next = tonumber(ARGV[2])
  for i = 3, #ARGV do redis.call('XADD', KEYS[1], (next + i - 3) .. '-1', 'event', ARGV[i]) end
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
${told}`)

/** KEYS stream stop; ARGV lease */
const stay = script(`
redis.call('PEXPIRE', KEYS[1], ARGV[1])
${told}`)

/** KEYS turns stream stop; ARGV turn kept seq. Without a seq the stream is incomplete, and is removed. */
const end = script(`
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[3])
if ARGV[3] == '' then return redis.call('DEL', KEYS[2]) end
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
redis.call('XADD', KEYS[2], ARGV[3] .. '-2', 'ended', '1')
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1`)

/** KEYS stream stop; ARGV kept. The key is kept, because the process that runs the turn may be unreachable now. */
const stop = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('SET', KEYS[2], '1', 'PX', ARGV[1]) end
return 1`)

/**
 * KEYS stream; ARGV after. Returns the next entries; if there are none, the last entry. One script reads both, so that
 * no event is missed that arrives just before the end of the turn.
 */
const next = script(`
local entries = redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+', 'COUNT', 500)
if #entries > 0 then return {entries} end
return {entries, redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1] or false}`)

/**
 * KEYS stream turns; ARGV session epoch. Removes the stream if its first entries have this session and, unless the
 * argument is empty, this `epoch`.
 */
const removeOf = script(`
local first = redis.call('XRANGE', KEYS[1], '0-1', '0-1')[1]
if not first then return 0 end
local turn = cjson.decode(first[2][2])
if turn.sessionId ~= ARGV[1] then return 0 end
local started = redis.call('XRANGE', KEYS[1], '0-2', '0-2')[1]
if ARGV[2] ~= '' and (started and started[2][2] or turn.epoch) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[2], turn.turnId)
return redis.call('DEL', KEYS[1])`)

/** Escapes a text for a glob pattern. */
const literal = (text: string): string => text.replace(/[\\[\]*?^]/g, "\\$&")

type Entry = readonly [id: string, fields: ReadonlyArray<string>]

const unreachable = (sessionId: string, cause: unknown, why = "Redis could not be asked for it") =>
  new SessionFeedError({
    sessionId,
    cause,
    what: `the turns of session "${sessionId}"`,
    why,
    fix: "Read the session for what came of its turns"
  })

/** Opens two connections while the scope is open: one for commands and one to listen. */
export const makeTurns = Effect.fnUntraced(function*(
  options: FeedOptions
): Effect.fn.Return<TurnFeed.Service, LayerConfigurationError | SessionStoreError, Scope.Scope> {
  const prefix = `${yield* Stored.checkPrefix("keyPrefix", options.keyPrefix ?? "coxswain")}:`
  const client = yield* connect({ url: options.url })
  const listener = yield* connect({ url: options.url })
  const news = `${prefix}turn-news`
  /** The callbacks for messages about a turn: `more …` for more events, `stop …` for a request to stop the turn. */
  const waiting = new Map<string, Set<() => void>>()
  listener.on("message", (_channel: string, text: string) => {
    for (const wake of waiting.get(text) ?? []) wake()
  })
  yield* Effect.tryPromise({ try: () => listener.subscribe(news), catch: Stored.failure("connect", [options.url]) })
  listener.on("ready", () => void listener.subscribe(news).catch(() => {}))

  const turnsKey = (sessionId: string) => `${prefix}turns:${Stored.toText(sessionId)}`
  const streams = (sessionId: string) => `${prefix}turn:${Stored.toText(sessionId)}:`
  const streamAndStop = (sessionId: string, turnId: string) => [
    `${streams(sessionId)}${turnId}`,
    `${prefix}stop:${Stored.toText(sessionId)}:${turnId}`
  ]
  const ask = <A>(sessionId: string, command: () => Promise<unknown>): Effect.Effect<A, SessionFeedError> =>
    Effect.tryPromise({ try: command as () => Promise<A>, catch: (cause) => unreachable(sessionId, cause) })
  const run = <A>(
    sessionId: string,
    { lua }: { readonly lua: string },
    keys: ReadonlyArray<string>,
    args: ReadonlyArray<string | number>
  ) => ask<A>(sessionId, () => client.eval(lua, keys.length, ...keys, ...args))
  const tell = (what: "more" | "stop", turnId: string) =>
    Effect.ignore(Effect.tryPromise(() => client.publish(news, `${what} ${turnId}`)))

  const listen = (text: string, wake: () => void) =>
    Effect.acquireRelease(
      Effect.sync(() => waiting.set(text, (waiting.get(text) ?? new Set()).add(wake))),
      () =>
        Effect.sync(() => {
          waiting.get(text)?.delete(wake)
          if (waiting.get(text)?.size === 0) waiting.delete(text)
        })
    )

  /**
   * Makes the record of a turn. The record is complete as long as every write, including the first, has certainly
   * succeeded.
   */
  const record = (turn: TurnFeed.RunningTurn, stop: Effect.Latch) => {
    const { sessionId, turnId } = turn
    const keys = streamAndStop(sessionId, turnId)
    const state = { isRefused: false, isWhole: false, written: 0 }
    const write = (script: { readonly lua: string }, args: ReadonlyArray<string | number>) =>
      Effect.map(
        run<readonly [isThere: number, isToStop: number]>(sessionId, script, keys, [Duration.toMillis(lease), ...args]),
        ([isThere, isToStop]) => {
          if (isToStop === 1) stop.unsafeOpen()
          return isThere === 1
        }
      )
    return {
      state,
      stopRequested: stop.await,
      started: (epoch: string) => Effect.asVoid(run(sessionId, started, keys.slice(0, 1), [epoch])),
      append: (events: ReadonlyArray<JsonObject>) =>
        write(append, [state.written + 1, ...events.map((event) => JSON.stringify(event))]).pipe(
          Effect.filterOrFail(
            (isThere) => isThere,
            () => unreachable(sessionId, undefined, "the process was not heard of for too long, and the record is gone")
          ),
          Effect.onError(() => Effect.sync(() => state.isWhole = false)),
          Effect.zipRight(Effect.suspend(() => {
            state.written += events.length
            return tell("more", turnId)
          }))
        ),
      alive: Effect.forever(
        Effect.zipRight(Effect.sleep(Duration.times(lease, 1 / 3)), Effect.ignore(write(stay, [])))
      )
    }
  }

  const read = (sessionId: string, turnId: string, after: string) =>
    run<readonly [ReadonlyArray<Entry>, (Entry | null)?]>(
      sessionId,
      next,
      [`${streams(sessionId)}${turnId}`],
      [after]
    )

  const exists = (sessionId: string, turnId: string) =>
    Effect.map(ask<number>(sessionId, () => client.exists(`${streams(sessionId)}${turnId}`)), (n) => n === 1)

  const toEvent = ([id, [, text]]: Entry): TurnFeed.NumberedEvent => ({
    seq: Number(id.slice(0, id.indexOf("-"))),
    event: Stored.parseObject(text)
  })

  /** Follows a stream. Reads again after at most one second, because a message about new events may be lost. */
  const followed = (sessionId: string, turnId: string, after: number) =>
    Stream.unwrapScoped(Effect.gen(function*() {
      const more = Effect.unsafeMakeLatch(false)
      yield* listen(`more ${turnId}`, () => more.unsafeOpen())
      const readOn = (from: string): Effect.Effect<
        Option.Option<readonly [Chunk.Chunk<TurnFeed.NumberedEvent>, string]>,
        SessionFeedError
      > =>
        Effect.gen(function*() {
          if (from === "") return Option.none()
          more.unsafeClose()
          const [entries, last] = yield* read(sessionId, turnId, from)
          if (entries.length === 0) {
            if (!last) {
              return yield* unreachable(
                sessionId,
                undefined,
                "the process that ran the turn is gone, or could not write all of its record"
              )
            }
            if (last[1][0] === "ended") return Option.none()
            yield* Effect.timeoutOption(more.await, "1 second")
            return yield* readOn(from)
          }
          const over = entries.at(-1)![1][0] === "ended"
          const events = entries.filter(([, [field]]) => field === "event")
          return Option.some([
            yield* Effect.try({
              try: () => Chunk.fromIterable(events.map(toEvent)),
              catch: (cause) => unreachable(sessionId, cause, "an event does not decode")
            }),
            over ? "" : entries.at(-1)![0]
          ])
        })
      return Stream.unfoldChunkEffect(`${after}-1`, readOn)
    }))

  /** Finds the keys that begin with this prefix. A scan may return a key twice. */
  const keysFrom = (sessionId: string, begins: string) =>
    Effect.gen(function*() {
      const keys = new Set<string>()
      let cursor = "0"
      do {
        const [next, found] = yield* ask<readonly [string, ReadonlyArray<string>]>(
          sessionId,
          () => client.scan(cursor, "MATCH", `${literal(begins)}*`, "COUNT", 1000)
        )
        for (const key of found) keys.add(key)
        cursor = next
      } while (cursor !== "0")
      return Array.from(keys)
    })

  return TurnFeed.TurnFeed.of({
    place: "Redis",
    remove: (sessionId, epoch = "") =>
      Effect.gen(function*() {
        const counts = yield* Effect.forEach(
          yield* keysFrom(sessionId, streams(sessionId)),
          (key) => run<number>(sessionId, removeOf, [key, turnsKey(sessionId)], [sessionId, epoch])
        )
        return counts.reduce((sum, count) => sum + count, 0)
      }),
    begin: Effect.fnUntraced(function*(turn, { alone = false } = {}) {
      const { sessionId, turnId } = turn
      const [stream = "", ...stops] = streamAndStop(sessionId, turnId)
      const keys = [turnsKey(sessionId), stream]
      const stop = Effect.unsafeMakeLatch(false)
      yield* listen(`stop ${turnId}`, () => stop.unsafeOpen())
      const { alive, append, started, state, stopRequested } = record(turn, stop)
      // Runs even if `begin` succeeded in Redis but its reply was lost.
      yield* Effect.addFinalizer(() =>
        state.isRefused ? Effect.void : run(sessionId, end, [...keys, ...stops], [
          turnId,
          Duration.toMillis(TurnFeed.keptFor),
          state.isWhole ? state.written + 1 : ""
        ]).pipe(
          Effect.catchAll((error) => Effect.logWarning("The end of a turn was not written down", error)),
          Effect.zipRight(tell("more", turnId))
        )
      )
      const begun = yield* run<number>(sessionId, begin, keys, [
        turnId,
        JSON.stringify(turn),
        alone ? 1 : 0,
        Duration.toMillis(lease),
        streams(sessionId)
      ])
      state.isRefused = begun === 0
      state.isWhole = begun === 1
      if (state.isRefused) return Option.none()
      // The fiber must be interruptible even if `begin` is called in an uninterruptible region.
      yield* Effect.forkScoped(Effect.interruptible(alive))
      return Option.some({ append, started, stopRequested })
    }),
    running: (sessionId) =>
      Effect.flatMap(
        run<ReadonlyArray<readonly [turn: string, startedIn: string | null]>>(
          sessionId,
          running,
          [turnsKey(sessionId)],
          [streams(sessionId)]
        ),
        (found) =>
          Effect.try({
            try: () =>
              Arr.sortWith(
                found.map(([turn, startedIn]) => [Stored.parseObject(turn), startedIn] as const),
                ([{ begunAt }]) => Number(begunAt),
                Order.number
              ).map(([turn, startedIn]) => toTurn({ ...turn, ...(startedIn !== null && { startedIn }) })),
            catch: (cause) => unreachable(sessionId, cause, "a turn does not decode")
          })
      ),
    follow: (sessionId, turnId, after) =>
      Effect.map(
        exists(sessionId, turnId),
        (is) => is ? Option.some(followed(sessionId, turnId, after)) : Option.none()
      ),
    stop: (sessionId, turnId) =>
      Effect.zipRight(
        run(sessionId, stop, streamAndStop(sessionId, turnId), [Duration.toMillis(TurnFeed.keptFor)]),
        tell("stop", turnId)
      )
  })
})

/** Decodes a turn as `begin` stored it. */
const toTurn: (u: unknown) => TurnFeed.RunningTurn = Schema.decodeUnknownSync(Schema.Struct({
  sessionId: Schema.String,
  turnId: Schema.String,
  userId: optional(Schema.String),
  message: optional(Schema.String),
  messageId: optional(Schema.String),
  epoch: optional(Schema.String),
  startedIn: optional(Schema.String)
}))

/** The turn feed of all processes that use this server and prefix. */
export const layerTurns = (
  options: FeedOptions
): Layer.Layer<TurnFeed.TurnFeed, LayerConfigurationError | SessionStoreError> =>
  Layer.scoped(TurnFeed.TurnFeed, makeTurns(options))
