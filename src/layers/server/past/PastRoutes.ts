/** The routes for past turns: list, replay, generated tests, the clock of a demonstration, and the data of a user. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { isJsonObject, type JsonObject } from "../../../domain/base/Json.js"
import type { PastTurn } from "../../../domain/session/rewind/PastTurn.js"
import type { Session } from "../../../domain/session/Session.js"
import type { TurnEntry } from "../../../domain/turn/TurnEntry.js"
import { askedAt } from "../../../pipeline/recording/Player.js"
import * as Replay from "../../../pipeline/recording/Replay.js"
import { answers } from "../../../pipeline/stored/answers.js"
import * as Sealed from "../../../services/storage/Sealed.js"
import { encodeEntry } from "../api/PastApi.js"
import { CurrentPrincipal, type RequestedSession } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import type { AnyApi, Serving } from "../Serving.js"
import { told } from "../sessions/SessionIds.js"
import { recordedCall } from "./recordedCalls.js"

const pageSize = 50

const noLog = Problem.missing("The turns of this agent are not recorded: provide a TurnLog where the agent is made.")

const noDemo = Problem.missing("The clock of this server cannot be moved: serve it with the option `demo`.")

/** The recorded turns of a session, in order; fails without a log. */
const entriesOf = ({ agent, runtime: { log, store } }: Serving, sessionId: string) =>
  log === undefined ? Stream.fail(noLog) : Sealed.entries(store.cipher)(log.read({ sessionId })).pipe(
    Stream.filter((entry) => entry.agent === agent.name && entry.sessionId === sessionId),
    Stream.mapError(Problem.ofError)
  )

interface KnownTurn {
  readonly n: number
  readonly at: string
  readonly turn?: PastTurn
  readonly entry?: TurnEntry | undefined
}

type Entries = ReturnType<typeof entriesOf>

/** A page of turns, oldest first, and the number of turns before the page. */
interface KnownPage {
  readonly page: ReadonlyArray<KnownTurn>
  readonly earlier: number
}

const inPage = (all: ReadonlyArray<KnownTurn>, before: number, limit: number): KnownPage => {
  const known = all.filter(({ n }) => n < before)
  return { page: known.slice(-limit), earlier: Math.max(0, known.length - limit) }
}

const versionOf = ({ written }: TurnEntry): number => Number(written.at(-1)?.session.version)

/** Adds the entries of the log to turns to which the session can be rewound; keeps no other entries in memory. */
const withEntries = (known: KnownPage, entries: Entries): Effect.Effect<KnownPage, Problem.Problem> => {
  const versions = new Set(known.page.map(({ turn }) => turn?.version))
  return Stream.filter(entries, (entry) => versions.has(versionOf(entry))).pipe(
    Stream.runFold(new Map<number | undefined, TurnEntry>(), (found, entry) => found.set(versionOf(entry), entry)),
    Effect.map((found) => ({
      ...known,
      page: known.page.map((one) => ({ ...one, entry: found.get(one.turn?.version) }))
    }))
  )
}

/** Returns the last turns of the log before `before`; keeps at most a page in memory. */
const logged = (entries: Entries, before: number, limit: number): Effect.Effect<KnownPage, Problem.Problem> =>
  Stream.zipWithIndex(entries).pipe(
    Stream.takeWhile(([, index]) => index + 1 < before),
    Stream.runFold({ page: [] as ReadonlyArray<KnownTurn>, earlier: 0 }, ({ earlier, page }, [entry, index]) => {
      const one = { n: index + 1, at: new Date(entry.clock[0] ?? 0).toISOString(), entry }
      return page.length < limit
        ? { page: [...page, one], earlier }
        : { page: [...page.slice(1), one], earlier: earlier + 1 }
    })
  )

/**
 * Returns a page of the turns of a session: the turns to which it can be rewound or, without such turns, those in the
 * turn log.
 */
const knownOf = (
  { turns }: Session,
  entries: Entries,
  { before, limit }: { readonly before: number; readonly limit: number }
): Effect.Effect<KnownPage, Problem.Problem> =>
  turns === undefined ? logged(entries, before, limit) : withEntries(
    inPage(turns.map((turn) => ({ n: turn.turn, at: DateTime.formatIso(turn.at), turn })), before, limit),
    entries
  )

/** Reads the stored response of a turn, and gives its session the name that the client uses. */
const responseOf = ({ store }: Serving, id: string, name: string, key: string) =>
  Effect.mapBoth(store.response(id, key), {
    onFailure: Problem.ofError,
    onSuccess: Option.match({
      onNone: () => undefined,
      onSome: (stored) => {
        if (!isJsonObject(stored)) return undefined
        const { [answers]: _, ...response } = stored
        const renamed = told({ _tag: "TurnCompleted", response }, name).response
        return isJsonObject(renamed) ? renamed : undefined
      }
    })
  })

const shown = (serving: Serving, id: string, name: string) => ({ at, entry, n, turn }: KnownTurn) =>
  Effect.gen(function*() {
    const response = turn === undefined ? undefined : yield* responseOf(serving, id, name, turn.key)
    const recorded: JsonObject | undefined = entry === undefined ? undefined : { ...encodeEntry(entry) } as JsonObject
    return {
      n,
      at,
      ...(turn?.said !== undefined && { said: turn.said }),
      ...(turn?.event !== undefined && { event: turn.event }),
      ...(response !== undefined && { response }),
      ...(recorded !== undefined && { entry: recorded, input: recorded.input as JsonObject })
    }
  })

/** The time of a session on a demonstration server. */
const timeOf = (demo: NonNullable<Serving["demo"]>, { id }: RequestedSession) =>
  Effect.map(demo.at(id)(Clock.currentTimeMillis), (now) => ({
    now: new Date(now).toISOString(),
    ahead: demo.ahead(id)
  }))

/** Maximum number of timers that run each time the clock is moved, because a timer may set itself again. */
const mostTimers = 100

/** Runs the timers that are due, one after another; returns their number. */
const fire = ({ agent }: Serving, id: string): Effect.Effect<number, unknown> =>
  Effect.gen(function*() {
    let fired = 0
    while (fired < mostTimers && Option.isSome(yield* agent.wake(id))) fired++
    return fired
  })

export const layer = (api: AnyApi, serving: Serving) => {
  const { access, agent, demo, runtime, turns } = serving
  /** Loads a session with its recorded turns. Fails unless the user is an operator. */
  const recorded = (name: string) =>
    Effect.zipRight(
      access.operator,
      Effect.flatMap(access.readable(name), ({ id }) =>
        Effect.map(Stream.runCollect(entriesOf(serving, id)), (entries) => ({ id, entries: Array.from(entries) })))
    )
  const timed = (name: string) =>
    demo === undefined ? Effect.fail(noDemo) : Effect.map(access.readable(name), (found) => ({ demo, found }))
  return HttpApiBuilder.group(api, "past", (handlers) =>
    handlers
      .handle("turns", ({ path: { id: name }, urlParams: { before = Infinity, limit = pageSize } }) =>
        Effect.gen(function*() {
          const { id, session } = yield* access.readable(name)
          const isOperator = access.isOperator(yield* CurrentPrincipal)
          const entries = isOperator && runtime.log !== undefined ? entriesOf(serving, id) : Stream.empty
          const { earlier, page } = yield* knownOf(session, entries, { before, limit })
          const [first] = page
          return {
            items: yield* Effect.forEach(page, shown(serving, id, name), { concurrency: 8 }),
            ...(first !== undefined && earlier > 0 && { next: first.n })
          }
        }))
      .handle("calls", ({ path: { id: name }, urlParams: { version } }) =>
        Effect.flatMap(recorded(name), ({ entries }) =>
          Effect.map(turns.aside(askedAt(runtime, entries, version)), (asked) => ({ items: asked.map(recordedCall) }))))
      .handle("replay", ({ path: { id: name } }) =>
        Effect.flatMap(recorded(name), ({ entries }) =>
          Effect.mapBoth(turns.aside(Replay.run(entries, agent)), {
            onFailure: Problem.ofError,
            onSuccess: ({ reproduced, sessions, turns }) => ({
              turns,
              reproduced,
              sessions: sessions.map(({ differs, needs, reproduced, stopped, turns }) => ({
                turns,
                reproduced,
                needs,
                ...(differs !== undefined && {
                  differs: { turn: differs.turn, kind: differs.kind, was: differs.was, is: differs.is }
                }),
                ...(stopped !== undefined && { stopped })
              }))
            })
          })))
      .handle("asTest", ({ path: { id: name }, urlParams: { upTo } }) =>
        Effect.flatMap(recorded(name), ({ entries, id }) =>
          Effect.mapBoth(Replay.toTest(entries.slice(0, upTo), id, agent), {
            onFailure: Problem.ofError,
            onSuccess: (source) => ({ source })
          })))
      .handle("clock", ({ path: { id: name } }) =>
        Effect.flatMap(timed(name), ({ demo, found }) =>
          timeOf(demo, found)))
      .handle("advance", ({ path: { id: name }, payload: { advance } }) =>
        Effect.flatMap(timed(name), ({ demo, found }) =>
          Effect.gen(function*() {
            demo.advance(found.id, advance)
            const fired = yield* Effect.mapError(turns.aside(fire(serving, found.id)), Problem.ofError)
            return { ...yield* timeOf(demo, found), fired }
          })))
      .handle("export", ({ path: { userId } }) =>
        Effect.zipRight(
          access.operator,
          Effect.mapBoth(agent.export(userId), {
            onFailure: Problem.ofError,
            onSuccess: ({ files, sessions, userId }) => ({
              userId,
              sessions: sessions.map(({ messages, session }) => ({
                session,
                messages: messages.map((message) => ({ ...message }))
              })),
              files: files.map((file) => ({ ...file }))
            })
          })
        ))
      .handle("erase", ({ path: { userId } }) =>
        Effect.zipRight(
          access.operator,
          Effect.mapBoth(agent.erase(userId), {
            onFailure: Problem.ofError,
            onSuccess: ({ erasedAt, removed, sessions, userId }): JsonObject => ({
              userId,
              erasedAt,
              sessions: sessions.map((one) => ({ ...one })),
              removed: removed.map((one) => ({ ...one }))
            })
          })
        )))
}
