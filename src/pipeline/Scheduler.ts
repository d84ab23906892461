/**
 * Runs what is due: timers of sessions, in time, in any number of processes.
 *
 * ```ts
 * import { Agent, Scheduler } from "coxswain"
 * import { Effect, Layer, Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 * class Trips extends kit.Service<Trips>()("Trips", {
 *   name: "Trips",
 *   flows: [{
 *     title: "Plan a trip",
 *     steps: [{ id: "city", prompt: "Ask where to", collect: ["city"], after: { "1 hour": { reply: "Still there?" } } }]
 *   }]
 * }) {}
 *
 * export const AppLive = Scheduler.layer([Trips]).pipe(Layer.provideMerge(Trips.layer))
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Wakes from "../services/session/Wakes.js"
import type { DueSession, Service } from "../services/SessionStore.js"
import { SessionStore } from "../services/SessionStore.js"

/**
 * What the scheduler asks of an agent: to run the earliest thing that is due in a session.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wakeable {
  readonly wake: (sessionId: string) => Effect.Effect<Option.Option<unknown>, unknown>
  /** Removes what is older than the agent's `retention`. */
  readonly purge?: Effect.Effect<number, unknown>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * How often the store is asked for what other processes have set, when nothing is due: the first time after this span,
   * then after twice as long, up to `maxInterval`. Default 1 second, which is also the least.
   */
  readonly interval?: Duration.DurationInput
  /** Default 10 seconds. It is also how late a timer may be that another process has set. */
  readonly maxInterval?: Duration.DurationInput
  /** How many sessions are run at once. Default 16. */
  readonly concurrency?: number
}

/** Until when a session is left alone because its turn failed or there was nothing to do, and how often that was. */
interface Rest {
  /** What was due then: something else that comes due in the session is not held up by it. */
  readonly wakeAt: string
  readonly until: number
  readonly failures: number
}

const longestRest = 300_000

/**
 * Runs what is due in the store's sessions until the scope closes, those of other agents excepted. A turn that fails is tried again after a second, then
 * after twice as long each time, up to five minutes; its timer stays until a turn of it is stored.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = (
  agents: ReadonlyArray<Wakeable>,
  store: Service,
  options: Options = {}
): Effect.Effect<never, never, Scope.Scope> =>
  Effect.gen(function*() {
    const least = Math.max(1000, Duration.toMillis(options.interval ?? "1 second"))
    const most = Math.max(least, Duration.toMillis(options.maxInterval ?? "10 seconds"))
    const concurrency = options.concurrency ?? 16
    const fibers = yield* FiberSet.make<void>()
    const running = new Set<string>()
    const resting = new Map<string, Rest>()
    const nudge = Effect.unsafeMakeLatch(false)
    let planned = Infinity
    yield* Effect.acquireRelease(
      Effect.sync(() => Wakes.listen(store, (at) => at < planned && nudge.unsafeOpen())),
      (stop) => Effect.sync(stop)
    )

    const rest = ({ sessionId, wakeAt }: DueSession) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const before = resting.get(sessionId)
        const failures = (before?.wakeAt === wakeAt ? before.failures : 0) + 1
        resting.set(sessionId, { wakeAt, failures, until: now + Math.min(longestRest, 1000 * 2 ** (failures - 1)) })
      })
    const once = (due: DueSession) =>
      Effect.reduce(
        agents,
        Option.none<unknown>(),
        (done, agent) => Option.isSome(done) ? Effect.succeed(done) : agent.wake(due.sessionId)
      ).pipe(
        Effect.matchCauseEffect({
          // None: another process was faster, or the session is of an agent that runs elsewhere.
          onSuccess: Option.match({
            onNone: () => rest(due),
            onSome: () => Effect.sync(() => void resting.delete(due.sessionId))
          }),
          onFailure: (cause) =>
            Effect.zipRight(
              rest(due),
              Effect.logWarning(`What is due in session "${due.sessionId}" failed; it is tried again later`, cause)
            )
        }),
        Effect.ensuring(Effect.sync(() => {
          running.delete(due.sessionId)
          nudge.unsafeOpen()
        }))
      )

    /** Starts what is due; when the next thing is, as far as the store says. */
    const look = (now: number): Effect.Effect<number, unknown> =>
      Effect.gen(function*() {
        const before = DateTime.formatIso(DateTime.unsafeMake(now + most))
        const limit = concurrency + running.size + resting.size
        const found = yield* store.due({ before, limit })
        const dueNow = new Map(found.map(({ sessionId, wakeAt }) => [sessionId, wakeAt]))
        for (const [sessionId, { until, wakeAt }] of resting) {
          const other = dueNow.get(sessionId)
          if (other === undefined ? until <= now : other !== wakeAt) resting.delete(sessionId)
        }
        const isFree = ({ sessionId }: DueSession) =>
          !running.has(sessionId) && (resting.get(sessionId)?.until ?? 0) <= now
        const times = found.filter(isFree).map((due) => ({ due, at: DateTime.unsafeMake(due.wakeAt).epochMillis }))
        for (const { at, due } of times) {
          if (at > now || running.size >= concurrency) continue
          running.add(due.sessionId)
          yield* FiberSet.run(fibers, once(due))
        }
        const rests = Array.from(resting.values(), ({ until }) => until)
        return Math.min(Infinity, ...[...times.map(({ at }) => at), ...rests].filter((at) => at > now))
      })

    let idle = least
    while (true) {
      nudge.unsafeClose()
      const now = yield* Clock.currentTimeMillis
      // What is set while the store is asked is not in its answer.
      planned = Infinity
      const next = yield* Effect.catchAllCause(look(now), (cause) =>
        Effect.as(Effect.logWarning("The store could not be asked for what is due", cause), Infinity))
      idle = running.size > 0 ? least : Math.min(most, idle * 2)
      planned = Math.min(next, now + idle)
      const wait = planned - (yield* Clock.currentTimeMillis)
      if (wait > 0) {
        yield* Effect.raceFirst(Effect.sleep(wait), nudge.await)
      }
    }
  })

/** Every hour, and at once, what is older than the agents keep it is removed. */
const retain = (agents: ReadonlyArray<Wakeable>): Effect.Effect<never> =>
  Effect.forEach(
    agents,
    ({ purge = Effect.succeed(0) }) =>
      Effect.catchAllCause(purge, (cause) =>
        Effect.logWarning("Old sessions were not removed; it is tried again in an hour", cause)),
    { discard: true }
  ).pipe(
    Effect.zipRight(Effect.sleep("1 hour")),
    Effect.forever
  )

/** An agent as it is, or as a service. */
type Given<E, R> = Wakeable | Effect.Effect<Wakeable, E, R>

/**
 * Runs what is due in the sessions of these agents, each given as it is or as a service, for as long as the Layer lives.
 *
 * One process may run it, or several: of those who take the same timer one commits, and the others drop what they did.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <E = never, R = never>(
  agents: ReadonlyArray<Given<E, R>>,
  options: Options = {}
): Layer.Layer<never, E, R | SessionStore> =>
  Layer.scopedDiscard(
    Effect.gen(function*() {
      const store = yield* SessionStore
      const made = yield* Effect.forEach(agents, (agent) => Effect.isEffect(agent) ? agent : Effect.succeed(agent))
      yield* Effect.forkScoped(run(made, store, options))
      yield* Effect.forkScoped(retain(made))
    })
  )
