/**
 * What happened, again: the turns of a log on the definition of today, with all that came from outside taken from the
 * record. Where nothing has changed, every session comes out as it was stored, to the byte. Where something has, each
 * session tells the first turn in which it matters.
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
 *
 * @since 0.1.0
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
import type { Runtime } from "../state/TurnState.js"
import { differenceOf, type Found } from "./Difference.js"
import { generateTest } from "./generateTest.js"
import { play, type Played } from "./Player.js"
import * as Shelf from "./ReplaySessionStore.js"

export type { Found, Kind } from "./Difference.js"

/**
 * What is replayed: a log, or turns that were read from one.
 *
 * @since 0.1.0
 * @category models
 */
export type Recorded<E = never> = TurnLog.Service | Stream.Stream<TurnEntry, E> | Iterable<TurnEntry>

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Only this session. */
  readonly sessionId?: string
  /**
   * Whether the agent's own understanding and model are asked what the record cannot answer; default false. Tools are
   * never run.
   */
  readonly ask?: boolean
}

/**
 * The first turn of a session that is not what it was.
 *
 * @since 0.1.0
 * @category models
 */
export interface Difference extends Found {
  /** From 1, among the recorded turns of the session. */
  readonly turn: number
  /** What the turn answered. */
  readonly input: TurnEntry["input"]
}

/**
 * A turn that asks what the record cannot answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Need {
  readonly turn: number
  readonly what: ReadonlyArray<string>
}

/**
 * One session of the log.
 *
 * @since 0.1.0
 * @category models
 */
export interface Replayed {
  readonly sessionId: string
  readonly turns: number
  /** How many of them came out as they were, to the byte. */
  readonly reproduced: number
  /** Absent when all did. The turns after it go on from what is different, and are not compared. */
  readonly differs?: Difference
  /**
   * The turns that ask something else than then. They went on with the answer of then, as far as there was one; nobody
   * knows what a model would say today.
   */
  readonly needs: ReadonlyArray<Need>
  /** Why the turns from this one on could not be run. */
  readonly stopped?: { readonly turn: number; readonly why: string }
  /** The session as the replay leaves it, encoded; absent when it stores none. */
  readonly session?: JsonObject
  readonly messages: ReadonlyArray<StoredMessage>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly agent: string
  readonly turns: number
  readonly reproduced: number
  /** In the order in which they appear in the log. */
  readonly sessions: ReadonlyArray<Replayed>
}

/** A session while it is replayed. */
interface Running {
  turns: number
  reproduced: number
  differs: Difference | undefined
  stopped: Replayed["stopped"]
  readonly needs: Array<Need>
}

const fresh = (): Running => ({ turns: 0, reproduced: 0, differs: undefined, stopped: undefined, needs: [] })

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

/** Whether the log says what the turn began with; else it, and those after it, cannot be run. */
const isReady = (shelf: Shelf.ReplaySessions, running: Running, entry: TurnEntry): boolean => {
  if (entry.before !== undefined) running.stopped = undefined
  if (running.stopped !== undefined) return false
  Shelf.put(shelf, entry)
  const version = shelf.get(entry.sessionId)?.version ?? 0
  if (running.differs !== undefined || version === entry.from) return true
  const why = `the log has no turn that leads from version ${version} of the session to version ${entry.from}`
  running.stopped = { turn: running.turns, why }
  return false
}

const judge = (running: Running, entry: TurnEntry, played: Played): void => {
  const { turns: turn } = running
  if (played.missing.length > 0) running.needs.push({ turn, what: [...new Set(played.missing)] })
  if (running.differs === undefined) {
    const found = differenceOf(entry, played) ?? (played.halted ? halted(entry) : undefined)
    if (found === undefined) running.reproduced++
    else running.differs = { ...found, turn, input: entry.input }
  }
  if (played.halted) running.stopped = { turn, why: "the model is asked at a point for which the record has no answer" }
}

const next = (
  runtime: Runtime,
  shelf: Shelf.ReplaySessions,
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

const halted = ({ reply }: TurnEntry): Found => ({
  kind: "reply",
  was: reply,
  is: "the model is asked at a point for which the record has no answer"
})

/**
 * Runs the turns of a log again. Hooks, predicates, gates and texts of the agent run as they are today, on the services
 * that the agent was made with; understanding, models, tools, `contextProvider`, the clock, random numbers and ids are
 * those of the record. The agent's store is not touched. Turns of agents with another name are left out.
 *
 * @since 0.1.0
 * @category running
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
    const shelf: Shelf.ReplaySessions = new Map()
    const sessions = new Map<string, Running>()
    const entries = Sealed.entries(runtime.store.cipher)(entriesOf(log, options.sessionId))
    yield* Stream.runForEach(entries, (entry) => {
      if (entry.agent !== agent.name) return Effect.void
      const running = sessions.get(entry.sessionId) ?? fresh()
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
 * A session of the log as the text of a test: a `Conversation` that plays what was said, understood and answered, on tools
 * that give what they gave, and expects what came of it. `agent` in it is the Effect that makes the agent. With the agent
 * itself, values that are not JSON are written as what they are. Turns that the session was taken back from are left out;
 * that it was after its last recorded turn is known by the agent's store.
 *
 * @since 0.1.0
 * @category rendering
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

/** The session as it is now; nothing where the store of the agent has none, or cannot tell. */
const storedOf = (runtime: Runtime | undefined, sessionId: string): Effect.Effect<JsonObject | undefined> =>
  runtime === undefined ? Effect.succeed(undefined) : runtime.store.load(sessionId).pipe(
    Effect.map(Option.match({ onNone: () => undefined, onSome: ({ session }) => session })),
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning(`Whether "${sessionId}" was taken back last is not known`, error), undefined)
    )
  )

const saidBy = (input: TurnEntry["input"]): string => {
  switch (input._tag) {
    case "Message":
      return `"${input.message}"`
    case "Begin":
      return "the conversation begins"
    case "Approval":
      return input.decision.approved ? "a person approves" : "a person declines"
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

/**
 * The report as text.
 *
 * @since 0.1.0
 * @category rendering
 */
export const render = ({ agent, reproduced, sessions, turns }: Report): string =>
  [
    `${agent}: ${reproduced} of ${many(turns, "turn")} as they were, in ${many(sessions.length, "session")}.`,
    ...sessions.flatMap(linesOf)
  ].join("\n")
