/**
 * Runs the jobs that conversations start, outside their turns, in any number of processes.
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
import * as Decode from "../../../domain/fields/schema/Decode.js"
import type * as Job from "../../../domain/job/Job.js"
import * as StoredJob from "../../../domain/job/StoredJob.js"
import type { Service } from "../../../services/session/SessionStore.js"
import { SessionStore } from "../../../services/session/SessionStore.js"
import * as StoreNotifications from "../../../services/session/StoreNotifications.js"
import { runtimeOf } from "../../state/agentInternals.js"
import type { Runtime } from "../../state/TurnState.js"
import * as Due from "../due.js"
import type { Leased } from "./lease.js"
import { take } from "./lease.js"
import { runJob } from "./runJob.js"

/** An agent whose jobs are run. */
export interface Asking<J> {
  readonly name: string
  readonly jobs: ReadonlyArray<J>
}

/** Options of the job runner. */
export interface Options extends Due.Options {
  /** Maximum number of jobs that run concurrently. Default 16. */
  readonly concurrency?: number
  /**
   * The time for which a runner may hold a job without renewing its lease; it renews the lease three times in that
   * time. After a process has died, its jobs wait for this time before another runner takes them. Default 1 minute, at
   * least 1 second.
   */
  readonly lease?: Duration.DurationInput
}

/** The jobs that run in this process, by id, and their cancellation. */
interface Running {
  readonly has: (id: string) => boolean
  readonly room: () => number
  /**
   * Returns the jobs that may start now. A job whose process has died twice may crash this process too, so such jobs
   * run one at a time.
   */
  readonly may: (jobs: ReadonlyArray<StoredJob.StoredJob>) => ReadonlyArray<StoredJob.StoredJob>
  /** Reserves a slot for each of these jobs. */
  readonly begin: (jobs: ReadonlyArray<StoredJob.StoredJob>) => void
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
    if (news._tag !== "Replaced") return
    for (const id of StoredJob.goneFrom(news.before, news.after)) {
      const cancelled = running.get(id)
      if (cancelled !== undefined) Deferred.unsafeDone(cancelled, Effect.void)
    }
  }
  const made: Running = {
    has: (id) => running.has(id),
    room: () => concurrency - running.size,
    may: (jobs) => {
      const first = suspect === undefined ? jobs.find(StoredJob.isSuspect) : undefined
      return jobs.filter((job) => job === first || !StoredJob.isSuspect(job))
    },
    begin: (jobs) =>
      jobs.forEach((job) => {
        running.set(job.id, Deferred.unsafeMake(FiberId.none))
        if (StoredJob.isSuspect(job)) suspect = job.id
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
 * Runs the jobs of these agents until the scope closes. Jobs that are then still running are given back for another
 * runner.
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
    /** Leases and starts as many of these jobs as may run; returns their number. */
    const takeSome = (runtime: Runtime, sessionId: string, jobs: ReadonlyArray<StoredJob.StoredJob>) =>
      Effect.suspend(() => {
        const begun = running.may(jobs).slice(0, Math.max(0, running.room()))
        const ids = begun.map(({ id }) => id)
        if (ids.length === 0) return Effect.succeed(0)
        running.begin(begun)
        // Uninterruptible, because a job that is leased and not started would wait until the lease expires.
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
          const due = StoredJob.due({ jobs }, name, now).filter(({ id }) => !running.has(id))
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

/** The jobs of a session, of all agents. */
const jobsOf = (store: Service, sessionId: string): Effect.Effect<ReadonlyArray<StoredJob.StoredJob>, unknown> =>
  Effect.flatMap(store.load(sessionId), (loaded) =>
    Option.match(loaded, {
      onNone: () => Effect.succeed([]),
      onSome: ({ session }) => decodeJobs(session.jobs ?? [])
    }))

const decodeJobs = Decode.effect(Schema.Array(StoredJob.StoredJob))

/** The earliest time at which a waiting job of these agents may be taken. */
const nextOf = (
  jobs: ReadonlyArray<StoredJob.StoredJob>,
  agents: ReadonlyMap<string, unknown>,
  now: DateTime.Utc
): number | undefined => {
  const waiting = jobs.filter(({ agent, at }) => agents.has(agent) && DateTime.greaterThan(at, now))
  return StoredJob.wakeAt({ jobs: waiting })?.epochMillis
}

/** An agent, or its service. */
type AgentOrEffect<J, E, R> = Asking<J> | Effect.Effect<Asking<J>, E, R>

/**
 * Runs the jobs of these agents for as long as the Layer lives. Each agent is given directly or as a service. The
 * Layers of the jobs' handlers, made by `toLayer`, are provided to it.
 *
 * It may run in one process or in several: a runner first stores a lease on a job, and only the holder of the lease
 * stores its result.
 */
export const layer = <J = never, E = never, R = never>(
  agents: ReadonlyArray<AgentOrEffect<J, E, R>>,
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
