/**
 * The stored jobs of a session: waiting jobs, jobs leased by a runner, and finished jobs whose result has not had a
 * turn yet.
 */
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { Json } from "../base/Json.js"
import { optional } from "../fields/Fields.js"
import { Parts } from "../origin/Origin.js"
import type { Call } from "./JobCall.js"

/** The end of a job, with its encoded result or error; an absent `value` means `undefined`. */
export const Outcome = Schema.Union(
  Schema.TaggedStruct("Completed", { value: optional(Json) }),
  Schema.TaggedStruct("Failed", { value: optional(Json) })
)

export type Outcome = typeof Outcome.Type

/** A report of a job: its end, or its progress. Progress reports are numbered from 1 in each run. */
export const Told = Schema.Union(
  ...Outcome.members,
  Schema.TaggedStruct("Progress", { run: Schema.Int, seq: Schema.Int, value: optional(Json) })
).annotations({ identifier: "JobTold" })

export type Told = typeof Told.Type

/** A job whose result is not part of the conversation yet. */
export const StoredJob = Schema.Struct({
  /** Unique across sessions. `cancel` takes it, and the handler gets it as `jobId`. */
  id: Schema.String,
  /** The name of the job, as in `Job.make`. */
  name: Schema.String,
  /** The name of the agent that started the job; only runners of this agent run it. */
  agent: Schema.String,
  payload: optional(Json),
  askedAt: Schema.DateTimeUtc,
  /** Time from which a runner may take the job; for a leased job, the time when its lease expires. */
  at: Schema.DateTimeUtc,
  /** The lease of the runner that has taken the job; absent if no runner has it. */
  lease: optional(Schema.String),
  /** Number of times its handler was started. */
  runs: Schema.NonNegativeInt,
  /** Number of runs that failed. */
  failures: Schema.NonNegativeInt,
  /** Number of lost runs: the lease expired before the runner gave the job back or reported its end. Absent if 0. */
  losses: optional(Schema.NonNegativeInt),
  /** The outcome of a finished job, stored because the turn that reports it has failed and is tried again. */
  outcome: optional(Outcome),
  /** The origins of the arguments of the tool call that the job makes; only for agents that keep origins. */
  origins: optional(Parts),
  /** Number of failed turns that tried to report the outcome. */
  refusals: optional(Schema.NonNegativeInt)
}).annotations({ identifier: "StoredJob" })

export type StoredJob = typeof StoredJob.Type

/** Largest number of jobs of a session at one time. */
export const maxJobs = 100

/** The session fields about jobs. */
interface Session {
  readonly jobs?: ReadonlyArray<StoredJob>
}

/** Makes a stored job from a call; it is due immediately. */
export const ask = ({ job, payload }: Call, id: string, agent: string, now: DateTime.Utc): StoredJob => ({
  id,
  name: job,
  agent,
  ...(payload !== undefined && { payload }),
  askedAt: now,
  at: now,
  runs: 0,
  failures: 0
})

/** Sets the jobs of a session; omits the field if the list is empty. */
const withJobs = <S extends Session>(session: S, jobs: ReadonlyArray<StoredJob>): S => {
  const { jobs: _, ...rest } = session
  // Safe: the list is optional, so a session without it is a session too.
  return (jobs.length === 0 ? rest : { ...rest, jobs }) as S
}

/** Replaces the job with the same id in a session. */
export const replace = <S extends Session>(session: S, job: StoredJob): S =>
  withJobs(session, (session.jobs ?? []).map((one) => one.id === job.id ? job : one))

/** Removes the jobs with these ids from a session. */
export const remove = <S extends Session>(session: S, ids: ReadonlyArray<string>): S =>
  session.jobs === undefined ? session : withJobs(session, session.jobs.filter(({ id }) => !ids.includes(id)))

/** Returns the ids of the jobs that are no longer in the session. */
export const goneFrom = (before: Session, { jobs = [] }: Session): ReadonlyArray<string> =>
  (before.jobs ?? []).map(({ id }) => id).filter((id) => !jobs.some((job) => job.id === id))

/**
 * Returns the job with this lease; `undefined` if the job has finished, was cancelled, or was taken by another runner.
 */
export const held = (session: Session, id: string, lease: string): StoredJob | undefined =>
  session.jobs?.find((job) => job.id === id && job.lease === lease)

/** Leases a job for a time span. If the job still has another runner's lease, that run counts as lost. */
export const take = (job: StoredJob, lease: string, now: DateTime.Utc, span: Duration.Duration): StoredJob => ({
  ...job,
  lease,
  at: DateTime.addDuration(now, span),
  // A finished job only waits for the turn about its result; its handler does not run again.
  ...(job.outcome === undefined && {
    runs: job.runs + 1,
    ...(job.lease !== undefined && { losses: (job.losses ?? 0) + 1 })
  })
})

/** Releases the lease; a runner may take the job from `at` on. */
export const release = ({ lease: _, ...job }: StoredJob, at: DateTime.Utc): StoredJob => ({ ...job, at })

/** Returns the jobs of an agent that a runner may take, oldest first. */
export const due = (session: Session, agent: string, now: DateTime.Utc): ReadonlyArray<StoredJob> =>
  (session.jobs ?? []).filter((job) => job.agent === agent && DateTime.lessThanOrEqualTo(job.at, now))

/**
 * True if the job itself may crash its processes: it was lost twice, or once if it has a lease now, because the present
 * run may be lost too. A single loss may be chance.
 */
export const isSuspect = ({ lease, losses = 0, outcome }: StoredJob): boolean =>
  outcome === undefined && losses + (lease === undefined ? 0 : 1) >= 2

/** Returns when a runner may take the next job, of any agent or of this one. */
export const wakeAt = ({ jobs = [] }: Session, agent?: string): DateTime.Utc | undefined =>
  jobs.filter((job) => agent === undefined || job.agent === agent).map(({ at }) => at)
    .reduce<DateTime.Utc | undefined>((a, b) => a === undefined || DateTime.lessThan(b, a) ? b : a, undefined)
