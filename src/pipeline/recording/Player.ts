/** Replays a recorded turn on the current definition. All external results come from the record. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type { Json } from "../../domain/base/Json.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import { Summary } from "../../domain/session/Session.js"
import type { ToolCallRecord } from "../../domain/session/ToolCall.js"
import type { TurnEntry, Used, Written } from "../../domain/turn/TurnEntry.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import * as Model from "../../services/model/Model.js"
import { check } from "../phases/check.js"
import type { Runtime, Sink } from "../state/TurnState.js"
import { attempt } from "../turn.js"
import { endingOf } from "./exitCodec.js"
import { decode as decodeInput, decodeValues, withProvider } from "./inputs.js"
import { seeing } from "./Recorder.js"
import * as ReplayServices from "./replayServices.js"
import type { ReplaySessions } from "./ReplaySessionStore.js"
import { putAll, storeOf } from "./ReplaySessionStore.js"
import { sessionOf } from "./rewinds.js"

/** The result of a replayed turn. */
export interface Played {
  readonly written: ReadonlyArray<Written>
  /** The entered steps, as `flow/step`. */
  readonly steps: ReadonlyArray<string>
  /** The tool calls that reached the executor, as readable text. */
  readonly called: ReadonlyArray<string>
  /** The name of the way in which the turn ended, as in the log entry. */
  readonly end: string
  readonly reply: string
  /** The requests for which the record has no answer. */
  readonly missing: ReadonlyArray<string>
  /** True if a model call differed from the recorded one. */
  readonly askedAnew: boolean
  /** True if the turn stopped, because the record has no answer for a request. */
  readonly halted: boolean
}

/** Returns a clock that repeats the recorded times, and after them always the last one. */
const clockOf = ({ clock: readings }: TurnEntry, live: Clock.Clock): Clock.Clock => {
  const [begin = 0] = readings
  const times = readings.map((one, i) => i === 0 ? one : begin + one)
  let next = 0
  const current = () => times[Math.min(Math.max(next - 1, 0), times.length - 1)] ?? 0
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: current,
    unsafeCurrentTimeNanos: () => BigInt(current()) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => {
      next++
      return current()
    }),
    currentTimeNanos: Effect.sync(() => BigInt(current()) * 1_000_000n),
    sleep: (duration) => live.sleep(duration)
  }
}

/** Returns the epoch that the record has for the session; undefined in an older record without epochs. */
const epochOf = (entry: TurnEntry): string | undefined => {
  const epoch = sessionOf(entry)?.epoch
  return typeof epoch === "string" ? epoch : undefined
}

const idsOf = ({ ids }: TurnEntry): Effect.Effect<string> => {
  let next = 0
  return Effect.sync(() => ids[next++] ?? `replayed_${next}`)
}

const decodeSummary = Decode.either(Summary)

/** The state of the session's summaries when the turn ran. */
const summariesOf = ({ sessionId, summary, unsummarized }: TurnEntry): Runtime["summaries"] => {
  return {
    running: new Map(),
    catchingUp: new Set(),
    failed: new Set(unsummarized === true ? [sessionId] : []),
    recorded: { summary: summary === undefined ? undefined : Either.getOrUndefined(decodeSummary(summary)) }
  }
}

const isNotRecorded = (defect: unknown) => defect instanceof ReplayServices.NotRecorded

const silentFeed: Runtime["feed"] = { publish: () => {}, subscribe: () => Effect.dieMessage("nobody follows a replay") }

const report = (used: ReadonlyArray<Used>): Effect.Effect<void> =>
  Effect.flatMap(
    Model.ModelObserver,
    (observe) => Effect.forEach(used, (record) => observe(record), { discard: true })
  )

/**
 * Replays one turn, with its session loaded from and written to `shelf`. With `ask`, the agent's own understanding and
 * model answer requests that the record does not contain; tools are never run.
 */
export const play = (
  runtime: Runtime,
  shelf: ReplaySessions,
  entry: TurnEntry,
  { ask, heard, told }: {
    readonly ask: boolean
    readonly told?: (asked: ReplayServices.ReplayedRequest) => void
    readonly heard?: (event: TurnEvent) => void
  }
): Effect.Effect<Played> =>
  Effect.gen(function*() {
    const live = yield* Effect.clock
    const stop = yield* Effect.makeLatch()
    const written: Array<Written> = []
    const notes = { steps: Array<string>(), interrupted: false }
    const stopped = entry.end === "interrupted"
      ? Effect.zipRight(stop.open, Effect.never)
      : entry.end === "gone"
      ? Effect.interrupt
      : Effect.never
    const outside = ReplayServices.make(runtime, entry, { ask, report, stopped, told })
    const wasStopped = entry.end === "interrupted" || entry.end === "gone"
    const sink: Sink = {
      emit: (event) => heard?.(event),
      ready: wasStopped ? outside.between : Effect.void,
      backpressureMillis: () => 0,
      streaming: wasStopped,
      ...(entry.end === "interrupted" && { abort: { requested: () => false, signal: stop.await } })
    }
    const replaying: Runtime = {
      ...withProvider(runtime, ({ contextFields }, provider) =>
        entry.context === undefined ? provider : ReplayServices.providedContext(
          entry.context,
          (values, withheld) =>
            decodeValues(contextFields, values, withheld)
        )),
      ...outside.services,
      store: storeOf(shelf, entry, written),
      feed: silentFeed,
      generateId: idsOf(entry),
      newEpoch: () =>
        Effect.succeed(epochOf(entry)),
      summaries: summariesOf(entry),
      log: undefined
    }
    const exit = yield* check(runtime, decodeInput(runtime, entry)).pipe(
      Effect.flatMap((input) => attempt(replaying, input)(seeing(sink, notes))),
      Effect.withClock(clockOf(entry, live)),
      Effect.withRandom(Random.make(entry.seed)),
      // Forked, because a turn interrupts its own fiber when its reader disconnects.
      Effect.fork,
      Effect.flatMap((fiber) => fiber.await)
    )
    return {
      written,
      steps: notes.steps,
      called: outside.called,
      end: endingOf(exit, notes.interrupted),
      reply: Exit.isSuccess(exit) ? exit.value.message : "",
      missing: outside.missing,
      askedAnew: outside.askedAnew(),
      halted: Exit.isFailure(exit) && Option.exists(Cause.dieOption(exit.cause), isNotRecorded)
    }
  })

/**
 * Returns the requests of one recorded turn to understanding and models, in order. Without `version`, the turn is the
 * last one; else the turn that led to this version of its session. It is replayed from the recorded state, because a record has the
 * answers but not the prompts. Returns an empty list if the entries, which belong to one session, have no such turn.
 */
export const askedAt = (
  runtime: Runtime,
  entries: ReadonlyArray<TurnEntry>,
  version?: number
): Effect.Effect<ReadonlyArray<ReplayServices.ReplayedRequest>> =>
  Effect.suspend(() => {
    const at = entries.findLastIndex((entry) => version === undefined || sessionOf(entry)?.version === version)
    const entry = entries[at]
    if (entry === undefined) return Effect.succeed([])
    const asked: Array<ReplayServices.ReplayedRequest> = []
    const told = (one: ReplayServices.ReplayedRequest) => void asked.push(one)
    return Effect.as(play(runtime, putAll(entries.slice(0, at), entry), entry, { ask: false, told }), asked)
  })

/** A tool call of a replayed turn, as its record has it. */
export interface CompletedCall
  extends Pick<ToolCallRecord, "callId" | "toolId" | "params" | "outcome" | "policies" | "origins">
{
  /** The result of a call that is not `ok`: why it was refused, or failed. */
  readonly output?: Json
}

/**
 * Returns the tool calls of one recorded turn, which is replayed from the recorded state. For each call, returns the
 * last result.
 */
export const callsAt = (
  runtime: Runtime,
  entries: ReadonlyArray<TurnEntry>,
  at: number
): Effect.Effect<ReadonlyArray<CompletedCall>> =>
  Effect.suspend(() => {
    const entry = entries[at]
    if (entry === undefined) return Effect.succeed([])
    const params = new Map<string, Json>()
    const calls = new Map<string, CompletedCall>()
    const heard = (event: TurnEvent): void => {
      if (event._tag === "ToolCallStarted") params.set(event.id, event.params)
      if (event._tag !== "ToolCallCompleted") return
      const { id, name: toolId, origins, outcome, output, policies } = event
      calls.set(id, {
        callId: id,
        toolId,
        params: params.get(id) ?? null,
        outcome,
        ...(outcome !== "ok" && output !== undefined && { output }),
        ...(policies !== undefined && { policies }),
        ...(origins !== undefined && { origins })
      })
    }
    return Effect.map(
      play(runtime, putAll(entries.slice(0, at), entry), entry, { ask: false, heard }),
      () => Array.from(calls.values())
    )
  })
