/**
 * Runs the jobs that conversations ask for, outside of their turns, in any number of processes.
 *
 * ```ts
 * import { Agent, Job, JobRunner } from "coxswain"
 * import { Effect, Layer, Schema } from "effect"
 *
 * class Report extends Job.make("report", { payload: { city: Schema.String }, success: Schema.String }) {}
 * const ReportLive = Report.toLayer(({ city }) => Effect.succeed(`All about ${city}`))
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }), jobs: [Report] })
 * class Trips extends kit.Service<Trips>()("Trips", {
 *   name: "Trips",
 *   on: { [Report.completed]: ({ event }) => ({ reply: event }) },
 *   flows: [{
 *     title: "Report",
 *     steps: [{ id: "city", prompt: "Ask for the city", collect: ["city"] }, {
 *       id: "ask",
 *       reply: "You will have it soon.",
 *       onEnter: ({ data }) => ({ run: Report.of({ city: data.city ?? "" }) })
 *     }]
 *   }]
 * }) {}
 *
 * export const AppLive = JobRunner.layer([Trips]).pipe(Layer.provide(ReportLive), Layer.provideMerge(Trips.layer))
 * ```
 *
 * @since 0.1.0
 */
import type * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Decode from "../../domain/fields/schema/Decode.js"
import type * as Job from "../../domain/job/Job.js"
import * as Stored from "../../domain/job/StoredJob.js"
import type { Service } from "../../services/session/SessionStore.js"
import { SessionStore } from "../../services/session/SessionStore.js"
import * as StoreNotifications from "../../services/session/StoreNotifications.js"
import { runtimeOf } from "../state/agentInternals.js"
import type { Runtime } from "../state/TurnState.js"
import * as Due from "./due.js"
import type { Leased } from "./lease.js"
import { take } from "./lease.js"
import { runJob } from "./runJob.js"

/**
 * An agent whose jobs are run.
 *
 * @since 0.1.0
 * @category models
 */
export interface Asking<J> {
  readonly name: string
  readonly jobs: ReadonlyArray<J>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options extends Due.Options {
  /** How many jobs are run at once. Default 16. */
  readonly concurrency?: number
  /**
   * How long a runner may hold a job without renewing its lease; it renews it three times in that time. When a process
   * dies, its jobs wait this long for another. Default 1 minute, at least 1 second.
   */
  readonly lease?: Duration.DurationInput
}

/** The jobs that run here, by id, each with what completes when it is cancelled. */
interface Running {
  readonly has: (id: string) => boolean
  readonly room: () => number
  /** The jobs of these that may be started. Jobs that may kill their process run one at a time, so that none takes another along. */
  readonly may: (jobs: ReadonlyArray<Stored.StoredJob>) => ReadonlyArray<Stored.StoredJob>
  /** Keeps a place for each of these jobs. */
  readonly begin: (jobs: ReadonlyArray<Stored.StoredJob>) => void
  readonly end: (ids: ReadonlyArray<string>) => Effect.Effect<void>
  readonly cancelled: (id: string) => Effect.Effect<void>
}

const makeRunning = (
  store: Service,
  concurrency: number,
  nudge: Effect.Latch
): Effect.Effect<Running, never, Scope.Scope> => {
  const running = new Map<string, Deferred.Deferred<void>>()
  let suspect: string | undefined
  const hear = (news: StoreNotifications.StoreNotification): void => {
    if (news._tag !== "Gone") return
    for (const id of news.jobs) {
      const cancelled = running.get(id)
      if (cancelled !== undefined) Deferred.unsafeDone(cancelled, Effect.void)
    }
  }
  const made: Running = {
    has: (id) => running.has(id),
    room: () => concurrency - running.size,
    may: (jobs) => {
      const first = suspect === undefined ? jobs.find(Stored.isSuspect) : undefined
      return jobs.filter((job) => job === first || !Stored.isSuspect(job))
    },
    begin: (jobs) =>
      jobs.forEach((job) => {
        running.set(job.id, Deferred.unsafeMake(FiberId.none))
        if (Stored.isSuspect(job)) suspect = job.id
      }),
    end: (ids) =>
      Effect.sync(() => {
        for (const id of ids) {
          running.delete(id)
          if (suspect === id) suspect = undefined
        }
        nudge.unsafeOpen()
      }),
    cancelled: (id) => {
      const cancelled = running.get(id)
      return cancelled === undefined ? Effect.never : Deferred.await(cancelled)
    }
  }
  return Effect.acquireRelease(
    Effect.sync(() => StoreNotifications.subscribe(store, hear)),
    (stop) => Effect.sync(stop)
  ).pipe(
    Effect.as(made)
  )
}

/**
 * Runs the jobs of these agents until the scope closes. Jobs that run then are given back, for another runner.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = (
  agents: ReadonlyArray<Asking<unknown>>,
  handlers: Context.Context<never>,
  store: Service,
  options: Options = {}
): Effect.Effect<never, never, Scope.Scope> =>
  Effect.gen(function*() {
    const span = Duration.max(Duration.decode(options.lease ?? "1 minute"), Duration.seconds(1))
    const runtimes = yield* runtimesOf(agents)
    const nudge = Effect.unsafeMakeLatch(false)
    const running = yield* makeRunning(store, options.concurrency ?? 16, nudge)
    const fibers = yield* FiberSet.make<void>()
    const start = (runtime: Runtime) => (leased: Leased) => {
      const { job: { id } } = leased
      const ran = runJob(runtime, { handlers, span }, leased, running.cancelled(id))
      return FiberSet.run(fibers, Effect.ensuring(ran, running.end([id])))
    }
    /** Takes as many of these jobs as there is room for, starts them, and says how many these are. */
    const takeSome = (runtime: Runtime, sessionId: string, jobs: ReadonlyArray<Stored.StoredJob>) =>
      Effect.suspend(() => {
        const begun = running.may(jobs).slice(0, Math.max(0, running.room()))
        const ids = begun.map(({ id }) => id)
        if (ids.length === 0) return Effect.succeed(0)
        running.begin(begun)
        // What was taken is started whatever comes between: else nobody would run it, and nobody give it back.
        return Effect.uninterruptibleMask((restore) =>
          restore(take(runtime, sessionId, ids, span)).pipe(
            Effect.onError(() => running.end(ids)),
            Effect.tap((taken) => running.end(ids.filter((id) => !taken.some(({ job }) => job.id === id)))),
            Effect.tap(Effect.forEach(start(runtime))),
            Effect.map((taken) => taken.length)
          )
        )
      })
    const visit = (sessionId: string): Effect.Effect<Due.Visit, unknown> =>
      Effect.gen(function*() {
        const jobs = yield* jobsOf(store, sessionId)
        const now = yield* DateTime.now
        let taken = 0
        for (const [name, runtime] of runtimes) {
          const due = Stored.due({ jobs }, name, now).filter(({ id }) => !running.has(id))
          if (due.length > 0) taken += yield* takeSome(runtime, sessionId, due)
        }
        return taken > 0 ? "done" : { until: nextOf(jobs, runtimes, now) }
      })
    return yield* Due.watch(store, options, {
      room: (visiting) => running.room() - visiting,
      visit: ({ sessionId }) => visit(sessionId)
    }, nudge)
  })

const runtimesOf = (agents: ReadonlyArray<Asking<unknown>>): Effect.Effect<ReadonlyMap<string, Runtime>> =>
  Effect.map(
    Effect.forEach(agents, (agent) => {
      const runtime = runtimeOf(agent)
      return runtime === undefined
        ? Effect.dieMessage(`Agent "${agent.name}" was made by no kit: JobRunner takes what Agent.define(…).make gives`)
        : Effect.succeed([agent.name, runtime] as const)
    }),
    (pairs) => new Map(pairs)
  )

/** The jobs of a session, of whichever agent. */
const jobsOf = (store: Service, sessionId: string): Effect.Effect<ReadonlyArray<Stored.StoredJob>, unknown> =>
  Effect.flatMap(store.load(sessionId), (loaded) =>
    Option.match(loaded, {
      onNone: () => Effect.succeed([]),
      onSome: ({ session }) => decodeJobs(session.jobs ?? [])
    }))

const decodeJobs = Decode.effect(Schema.Array(Stored.StoredJob))

/** When the next job of these agents may be taken, of those that have to wait. */
const nextOf = (
  jobs: ReadonlyArray<Stored.StoredJob>,
  agents: ReadonlyMap<string, unknown>,
  now: DateTime.Utc
): number | undefined => {
  const waiting = jobs.filter(({ agent, at }) => agents.has(agent) && DateTime.greaterThan(at, now))
  return Stored.wakeAt({ jobs: waiting })?.epochMillis
}

/** An agent as it is, or as a service. */
type Given<J, E, R> = Asking<J> | Effect.Effect<Asking<J>, E, R>

/**
 * Runs the jobs of these agents, each given as it is or as a service, for as long as the Layer lives. The Layers of their
 * jobs, which `toLayer` makes, are provided to it.
 *
 * One process may run it, or several: who takes a job stores that first, and only who has it stores its result.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <J = never, E = never, R = never>(
  agents: ReadonlyArray<Given<J, E, R>>,
  options: Options = {}
): Layer.Layer<never, E, R | SessionStore | Job.HandlersOf<J>> =>
  Layer.scopedDiscard(
    Effect.gen(function*() {
      const store = yield* SessionStore
      const handlers = yield* Effect.context<Job.HandlersOf<J>>()
      const made = yield* Effect.forEach(agents, (agent) => Effect.isEffect(agent) ? agent : Effect.succeed(agent))
      yield* Effect.forkScoped(run(made, handlers, store, options))
    })
  )
