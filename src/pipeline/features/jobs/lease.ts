/**
 * Leases on jobs: stored in a commit of their own, renewed while the job runs, and given back when the job has to wait.
 * The lease of a process that died expires.
 */
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { finalizeBestEffort } from "../../../domain/base/finalizeBestEffort.js"
import * as StoredJob from "../../../domain/job/StoredJob.js"
import { epochOf, type Session } from "../../../domain/session/Session.js"
import type { Failure, Runtime } from "../../state/TurnState.js"
import { load } from "../../stored/loading.js"
import { inTime, put } from "../../stored/store.js"

/** A job with a runner's lease. */
export interface Leased {
  readonly sessionId: string
  readonly lease: string
  /** The epoch of the job's session. */
  readonly epoch: string
  readonly job: StoredJob.StoredJob
}

/**
 * Changes jobs of a session under the session's lock, so that no turn gets a conflict. `to` returns the changed jobs,
 * or `undefined` if there is no change. Returns the changed jobs.
 */
const change = (
  runtime: Runtime,
  sessionId: string,
  to: (session: Session, now: DateTime.Utc) => ReadonlyArray<StoredJob.StoredJob> | undefined
): Effect.Effect<ReadonlyArray<StoredJob.StoredJob>, Failure> =>
  Effect.gen(function*() {
    const loaded = yield* load(runtime, sessionId, 0)
    if (Option.isNone(loaded)) return []
    const { session } = loaded.value
    const changed = to(session, yield* DateTime.now) ?? []
    if (changed.length > 0) {
      yield* put(runtime, session, { jobs: changed.reduce(StoredJob.replace, session).jobs ?? [] })
    }
    return changed
  }).pipe(
    Effect.retry({ times: 5, while: ({ _tag }) => _tag === "SessionConflict" }),
    inTime(runtime, sessionId),
    runtime.lock.withLock(sessionId, { wait: runtime.definition.timeouts.lock })
  )

/**
 * Leases those of the given jobs that are free. If it is interrupted, gives the leased jobs back, because they would
 * otherwise wait until the lease expires.
 */
export const take = (
  runtime: Runtime,
  sessionId: string,
  ids: ReadonlyArray<string>,
  span: Duration.Duration
): Effect.Effect<ReadonlyArray<Leased>, Failure> =>
  Effect.flatMap(
    runtime.generateId,
    (lease) => {
      let epoch = ""
      return change(runtime, sessionId, (session, now) => {
        epoch = epochOf(session)
        return StoredJob.due(session, runtime.definition.name, now)
          .filter(({ id }) => ids.includes(id))
          .map((job) => StoredJob.take(job, lease, now, span))
      }).pipe(
        Effect.map((taken) => taken.map((job) => ({ sessionId, lease, epoch, job }))),
        Effect.onInterrupt(() => untake(runtime, sessionId, ids, lease))
      )
    }
  )

const untake = (
  runtime: Runtime,
  sessionId: string,
  ids: ReadonlyArray<string>,
  lease: string
): Effect.Effect<void> =>
  finalizeBestEffort(
    change(
      runtime,
      sessionId,
      (session, now) =>
        ids.flatMap((id) => StoredJob.held(session, id, lease) ?? []).map((job) => StoredJob.release(job, now))
    ),
    "Jobs that were taken and not begun wait until their lease has run out"
  )

/** Changes the job if the lease is still valid; returns whether it is. */
const changeHeld = (
  runtime: Runtime,
  { job: { id }, lease, sessionId }: Leased,
  to: (job: StoredJob.StoredJob, now: DateTime.Utc) => StoredJob.StoredJob
): Effect.Effect<boolean, Failure> =>
  Effect.map(
    change(runtime, sessionId, (session, now) => {
      const job = StoredJob.held(session, id, lease)
      return job && [to(job, now)]
    }),
    (changed) => changed.length > 0
  )

/** Extends the lease if it is still valid; returns whether it is. */
export const renew = (runtime: Runtime, leased: Leased, span: Duration.Duration): Effect.Effect<boolean, Failure> =>
  changeHeld(runtime, leased, (job, now) => ({ ...job, at: DateTime.addDuration(now, span) }))

/** Gives the job back with its state so far; another runner may take it after a delay. */
export const giveBack = (
  runtime: Runtime,
  leased: Leased,
  after: Duration.Duration,
  known: Partial<StoredJob.StoredJob> = {}
): Effect.Effect<boolean, Failure> =>
  changeHeld(runtime, leased, (job, now) => StoredJob.release({ ...job, ...known }, DateTime.addDuration(now, after)))

/** True if the predicate holds for the session as it is stored now. */
const isStored = (
  runtime: Runtime,
  sessionId: string,
  holds: (session: Session) => boolean
): Effect.Effect<boolean, Failure> =>
  Effect.map(inTime(runtime, sessionId)(load(runtime, sessionId, 0)), Option.exists(({ session }) => holds(session)))

/** True if the lease is still valid. */
export const isHeld = (runtime: Runtime, { job: { id }, lease, sessionId }: Leased): Effect.Effect<boolean, Failure> =>
  isStored(runtime, sessionId, (session) => StoredJob.held(session, id, lease) !== undefined)

/** True if the session still has the job, with any lease. */
export const exists = (runtime: Runtime, { job: { id }, sessionId }: Leased): Effect.Effect<boolean, Failure> =>
  isStored(runtime, sessionId, ({ jobs = [] }) => jobs.some((job) => job.id === id))
