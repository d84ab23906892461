/**
 * Replays recorded turns on the current definition, with all external results taken from the record. Without changes,
 * every session is reproduced exactly, to the byte. With changes, the report names the first differing turn of each
 * session.
 *
 * @example
 * ```ts
 * import { Agent, Replay, SessionStore, TurnLog } from "coxswain"
 * import { ScriptedModel } from "coxswain/testing"
 * import { Effect, Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 *
 * const program = Effect.gen(function*() {
 *   const agent = yield* kit.make({
 *     name: "Trips",
 *     flows: [{ title: "Trip", steps: [{ id: "city", collect: ["city"] }, { id: "wish", prompt: "Wish a good trip" }] }]
 *   })
 *   yield* agent.respond({ sessionId: "u1", message: "To Lisbon" })
 *   const report = yield* Replay.run(yield* TurnLog.TurnLog, agent)
 *   return Replay.render(report) // Trips: 1 of 1 turns as they were, in 1 session.
 * })
 *
 * Effect.runPromise(program.pipe(Effect.provide([
 *   ScriptedModel.layer([], { strict: false }),
 *   SessionStore.layerMemory,
 *   TurnLog.layerMemory
 * ])))
 * ```
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { InvalidRequest } from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"
import type { TurnEntry } from "../../domain/turn/TurnEntry.js"
import type { StoredMessage } from "../../services/session/SessionStore.js"
import * as Sealed from "../../services/storage/Sealed.js"
import type * as TurnLog from "../../services/turn/TurnLog.js"
import type { Agent } from "../agent/Contract.js"
import { runtimeOf } from "../state/agentInternals.js"
import { isDecision } from "../state/Input.js"
import type { Runtime } from "../state/TurnState.js"
import { differenceOf, type Found } from "./Difference.js"
import { generateTest } from "./generateTest.js"
import { play, type Played } from "./Player.js"
import * as ReplaySessionStore from "./ReplaySessionStore.js"

export type { Found, Kind } from "./Difference.js"

/** The recorded turns to replay: a log, or entries read from one. */
export type Recorded<E = never> = TurnLog.Service | Stream.Stream<TurnEntry, E> | Iterable<TurnEntry>

/** Options of a replay. */
export interface Options {
  /** Replays only this session. */
  readonly sessionId?: string
  /**
   * True if the agent's own understanding and model answer requests that the record does not contain; default false.
   * Tools are never run.
   */
  readonly ask?: boolean
}

/** The first turn of a session that differs from the record. */
export interface Difference extends Found {
  /** Number of the turn, from 1, among the recorded turns of the session. */
  readonly turn: number
  /** The input of the turn. */
  readonly input: TurnEntry["input"]
}

/** A turn whose requests to models differ from the record, with these requests in words. */
export interface Need {
  readonly turn: number
  readonly what: ReadonlyArray<string>
}

/** The replay of one session of the log. */
export interface Replayed {
  readonly sessionId: string
  readonly turns: number
  /** Number of turns that were reproduced exactly, to the byte. */
  readonly reproduced: number
  /**
   * The first turn that differs; absent if all were reproduced. Later turns start from the differing state and are not
   * compared.
   */
  readonly differs?: Difference
  /**
   * The turns whose requests to models differ from the record. They used the recorded answer, if there was one; a real
   * model could answer differently.
   */
  readonly needs: ReadonlyArray<Need>
  /** The turn from which on the session could not be replayed, and the reason. */
  readonly stopped?: { readonly turn: number; readonly why: string }
  /** The session at the end of the replay, encoded; absent if it was not stored. */
  readonly session?: JsonObject
  readonly messages: ReadonlyArray<StoredMessage>
}

/** The result of a replay. */
export interface Report {
  readonly agent: string
  /** Number of recorded turns. */
  readonly turns: number
  /** Number of turns that were reproduced exactly. */
  readonly reproduced: number
  /** The sessions, in the order in which they appear in the log. */
  readonly sessions: ReadonlyArray<Replayed>
}

/** The progress of one session's replay. */
class Running {
  turns = 0
  reproduced = 0
  differs: Difference | undefined = undefined
  stopped: Replayed["stopped"] = undefined
  readonly needs: Array<Need> = []
}

const isLog = (log: Recorded<unknown>): log is TurnLog.Service => "append" in log && "read" in log

const isStream = <E>(log: Recorded<E>): log is Stream.Stream<TurnEntry, E> => Stream.StreamTypeId in log

const entriesOf = <E>(
  log: Recorded<E>,
  sessionId: string | undefined
): Stream.Stream<TurnEntry, E | TurnLog.TurnLogError> =>
  isLog(log)
    ? log.read(sessionId === undefined ? {} : { sessionId })
    : Stream.filter(
      isStream(log) ? log : Stream.fromIterable(log),
      (entry) => sessionId === undefined || entry.sessionId === sessionId
    )

/**
 * True if the log contains the state that the turn began with; otherwise this turn and the later ones cannot be run.
 */
const isReady = (shelf: ReplaySessionStore.ReplaySessions, running: Running, entry: TurnEntry): boolean => {
  if (entry.before !== undefined) running.stopped = undefined
  if (running.stopped !== undefined) return false
  ReplaySessionStore.put(shelf, entry)
  const version = shelf.get(entry.sessionId)?.version ?? 0
  if (running.differs !== undefined || version === entry.from) return true
  const why = `the log has no turn that leads from version ${version} of the session to version ${entry.from}`
  running.stopped = { turn: running.turns, why }
  return false
}

const noAnswer = "the model is asked at a point for which the record has no answer"

const judge = (running: Running, entry: TurnEntry, played: Played): void => {
  const { turns: turn } = running
  if (played.missing.length > 0) running.needs.push({ turn, what: [...new Set(played.missing)] })
  if (running.differs === undefined) {
    const found = differenceOf(entry, played) ??
      (played.halted ? { kind: "reply" as const, was: entry.reply, is: noAnswer } : undefined)
    if (found === undefined) running.reproduced++
    else running.differs = { ...found, turn, input: entry.input }
  }
  if (played.halted) running.stopped = { turn, why: noAnswer }
}

const next = (
  runtime: Runtime,
  shelf: ReplaySessionStore.ReplaySessions,
  running: Running,
  entry: TurnEntry,
  options: Options
): Effect.Effect<void> =>
  Effect.suspend(() => {
    running.turns++
    return isReady(shelf, running, entry)
      ? Effect.map(
        play(runtime, shelf, entry, { ask: options.ask === true }),
        (played) => judge(running, entry, played)
      )
      : Effect.void
  })

/**
 * Runs the turns of a log again. Hooks, predicates, tool checks and texts of the agent run in their current version,
 * with the services that the agent was made with. Understanding, models, tools, `contextProvider`, the clock, random
 * numbers and ids come from the record. The agent's store is not changed. Turns of agents with another name are left
 * out.
 */
export const run: <D, C, E, Ev, E2 = never>(
  log: Recorded<E2>,
  agent: Agent<D, C, E, Ev>,
  options?: Options
) => Effect.Effect<Report, InvalidRequest | TurnLog.TurnLogError | E2> = Effect.fn("Replay.run")(
  function*<D, C, E, Ev, E2 = never>(log: Recorded<E2>, agent: Agent<D, C, E, Ev>, options: Options = {}) {
    const runtime = runtimeOf(agent)
    if (runtime === undefined) {
      return yield* new InvalidRequest({
        what: "agent",
        why: "no kit has made it",
        fix: "Pass the agent that kit.make gave, and not a copy of it"
      })
    }
    const shelf: ReplaySessionStore.ReplaySessions = new Map()
    const sessions = new Map<string, Running>()
    const entries = Sealed.entries(runtime.store.cipher)(entriesOf(log, options.sessionId))
    yield* Stream.runForEach(entries, (entry) => {
      if (entry.agent !== agent.name) return Effect.void
      const running = sessions.get(entry.sessionId) ?? new Running()
      sessions.set(entry.sessionId, running)
      return next(runtime, shelf, running, entry, options)
    })
    const replayed = Array.from(sessions, ([sessionId, { differs, needs, reproduced, stopped, turns }]): Replayed => {
      const kept = shelf.get(sessionId)
      return {
        sessionId,
        turns,
        reproduced,
        ...(differs !== undefined && { differs }),
        needs,
        ...(stopped !== undefined && { stopped }),
        ...(kept !== undefined && { session: kept.session }),
        messages: kept?.messages ?? []
      }
    })
    return {
      agent: agent.name,
      turns: replayed.reduce((sum, { turns }) => sum + turns, 0),
      reproduced: replayed.reduce((sum, { reproduced }) => sum + reproduced, 0),
      sessions: replayed
    }
  }
)

/**
 * Renders a session of the log as the source of a test: a `Conversation` that plays the recorded messages,
 * understanding and answers, with tools that return the recorded results, and expects the recorded outcome. The source
 * uses `agent` for the Effect that makes the agent. If the `agent` parameter is given, values that are not JSON are
 * written in their decoded form. Rewound turns are left out; a rewind after the last recorded turn is read from the
 * agent's store.
 */
export const toTest = <D, C, E, Ev, E2 = never>(
  log: Recorded<E2>,
  sessionId: string,
  agent?: Agent<D, C, E, Ev>
): Effect.Effect<string, TurnLog.TurnLogError | E2> =>
  Effect.suspend(() => {
    const runtime = agent && runtimeOf(agent)
    return Effect.zipWith(
      Stream.runCollect(Sealed.entries(runtime?.store.cipher)(entriesOf(log, sessionId))),
      storedOf(runtime, sessionId),
      (entries, stored) => generateTest(Array.from(entries), sessionId, runtime, stored)
    )
  })

/** The session as it is now; undefined if the agent's store does not have it or fails. */
const storedOf = (runtime: Runtime | undefined, sessionId: string): Effect.Effect<JsonObject | undefined> =>
  runtime === undefined ? Effect.succeed(undefined) : runtime.store.load(sessionId).pipe(
    Effect.map(Option.match({ onNone: () => undefined, onSome: ({ session }) => session })),
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning(`Whether "${sessionId}" was taken back last is not known`, error), undefined)
    )
  )

const saidBy = (input: TurnEntry["input"]): string => {
  if (isDecision(input)) return input.decision.approved ? "a person approves" : "a person declines"
  switch (input._tag) {
    case "Message":
      return `"${input.message}"`
    case "Begin":
      return "the conversation begins"
    case "Event":
      return `event ${input.event}`
    case "Timer":
      return "a timer"
    case "Job":
      return `a job: ${input.told._tag.toLowerCase()}`
  }
}

const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

const linesOf = ({ differs, needs, sessionId, stopped }: Replayed): ReadonlyArray<string> => [
  ...(differs === undefined ? [] : [
    `${sessionId}, turn ${differs.turn} (${saidBy(differs.input)}): another ${differs.kind}`,
    `  was ${differs.was}`,
    `  is  ${differs.is}`
  ]),
  ...needs.map(({ turn, what }) => `${sessionId}, turn ${turn} needs ${what.join(", ")}`),
  ...(stopped === undefined ? [] : [`${sessionId} stops at turn ${stopped.turn}: ${stopped.why}`])
]

/** Renders the report as text. */
export const render = ({ agent, reproduced, sessions, turns }: Report): string =>
  [
    `${agent}: ${reproduced} of ${many(turns, "turn")} as they were, in ${many(sessions.length, "session")}.`,
    ...sessions.flatMap(linesOf)
  ].join("\n")
