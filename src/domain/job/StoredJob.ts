/**
 * The jobs of a session, as they are stored: those that wait, those that a runner has taken for a while, and those that are
 * over but whose result has had no turn yet.
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { Json } from "../base/Json.js"
import { optional } from "../fields/Fields.js"
import type { Call } from "./JobCall.js"

/**
 * How a job ended, with its encoded result or error; no `value` means `undefined`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Outcome = Schema.Union(
  Schema.TaggedStruct("Completed", { value: optional(Json) }),
  Schema.TaggedStruct("Failed", { value: optional(Json) })
)

/**
 * @since 0.1.0
 * @category models
 */
export type Outcome = typeof Outcome.Type

/**
 * What a job reports: how it ended, or how far it is. Reports of progress are numbered, from 1 in each run.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Told = Schema.Union(
  ...Outcome.members,
  Schema.TaggedStruct("Progress", { run: Schema.Int, seq: Schema.Int, value: optional(Json) })
).annotations({ identifier: "JobTold" })

/**
 * @since 0.1.0
 * @category models
 */
export type Told = typeof Told.Type

/**
 * A job that was asked for and whose result is not part of the conversation yet.
 *
 * @since 0.1.0
 * @category schemas
 */
export const StoredJob = Schema.Struct({
  /** Unique in all sessions. `cancel` takes it, and the handler sees it as `jobId`. */
  id: Schema.String,
  /** The name of the job. */
  name: Schema.String,
  /** The name of the agent that asked for it. Only a runner of this agent runs it. */
  agent: Schema.String,
  payload: optional(Json),
  askedAt: Schema.DateTimeUtc,
  /** When a runner may take it; while one has it, when its lease ends. */
  at: Schema.DateTimeUtc,
  /** The lease of the runner that has it now. Absent: no runner has it. */
  lease: optional(Schema.String),
  /** How often its handler was started. */
  runs: Schema.NonNegativeInt,
  /** How many of these ended in a failure. */
  failures: Schema.NonNegativeInt,
  /** How many runs were lost: the runner neither gave the job back nor reported its end in time. Absent: none. */
  losses: optional(Schema.NonNegativeInt),
  /** How it ended, when it is over but the turn about its result has failed so far. */
  outcome: optional(Outcome),
  /** How often that turn failed. */
  refusals: optional(Schema.NonNegativeInt)
}).annotations({ identifier: "StoredJob" })

/**
 * @since 0.1.0
 * @category models
 */
export type StoredJob = typeof StoredJob.Type

/**
 * The most jobs that a session may have at once.
 *
 * @since 0.1.0
 * @category models
 */
export const maxJobs = 100

/** The part of a session that is about jobs. */
interface Session {
  readonly jobs?: ReadonlyArray<StoredJob>
}

/**
 * A job as it is asked for: to be run at once.
 *
 * @since 0.1.0
 * @category constructors
 */
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

/** The session with these jobs; without any, it has no list of jobs. */
const withJobs = <S extends Session>(session: S, jobs: ReadonlyArray<StoredJob>): S => {
  const { jobs: _, ...rest } = session
  // The list is an optional part of a session, so what is left without it is a session too.
  return (jobs.length === 0 ? rest : { ...rest, jobs }) as S
}

/**
 * The session with another job in the place of the one with its id.
 *
 * @since 0.1.0
 * @category transitions
 */
export const replace = <S extends Session>(session: S, job: StoredJob): S =>
  withJobs(session, (session.jobs ?? []).map((one) => one.id === job.id ? job : one))

/**
 * The session without the jobs of these ids.
 *
 * @since 0.1.0
 * @category transitions
 */
export const remove = <S extends Session>(session: S, ids: ReadonlyArray<string>): S =>
  session.jobs === undefined ? session : withJobs(session, session.jobs.filter(({ id }) => !ids.includes(id)))

/**
 * The ids of the jobs that a session had before and does not have any more.
 *
 * @since 0.1.0
 * @category getters
 */
export const goneFrom = (before: Session, { jobs = [] }: Session): ReadonlyArray<string> =>
  (before.jobs ?? []).map(({ id }) => id).filter((id) => !jobs.some((job) => job.id === id))

/**
 * The job that a runner holds under this lease; `undefined` when it is over, cancelled, or taken by another runner.
 *
 * @since 0.1.0
 * @category getters
 */
export const held = (session: Session, id: string, lease: string): StoredJob | undefined =>
  session.jobs?.find((job) => job.id === id && job.lease === lease)

/**
 * The job, held under this lease until then. When another runner still held it, that run counts as lost.
 *
 * @since 0.1.0
 * @category transitions
 */
export const take = (job: StoredJob, lease: string, now: DateTime.Utc, span: Duration.Duration): StoredJob => ({
  ...job,
  lease,
  at: DateTime.addDuration(now, span),
  // A job that is over only waits for the turn about its result; its handler does not run again.
  ...(job.outcome === undefined && {
    runs: job.runs + 1,
    ...(job.lease !== undefined && { losses: (job.losses ?? 0) + 1 })
  })
})

/**
 * The job, held by no runner; one may take it from then on.
 *
 * @since 0.1.0
 * @category transitions
 */
export const release = ({ lease: _, ...job }: StoredJob, at: DateTime.Utc): StoredJob => ({ ...job, at })

/**
 * The jobs of an agent that a runner may take, in the order in which they were asked for.
 *
 * @since 0.1.0
 * @category getters
 */
export const due = (session: Session, agent: string, now: DateTime.Utc): ReadonlyArray<StoredJob> =>
  (session.jobs ?? []).filter((job) => job.agent === agent && DateTime.lessThanOrEqualTo(job.at, now))

/**
 * Whether the job itself may be what kills the processes that run it: it was lost twice, counting the run that holds it now.
 * Losing it once may be chance.
 *
 * @since 0.1.0
 * @category guards
 */
export const isSuspect = ({ lease, losses = 0, outcome }: StoredJob): boolean =>
  outcome === undefined && losses + (lease === undefined ? 0 : 1) >= 2

/**
 * When a runner may take the next job, of any agent or of this one.
 *
 * @since 0.1.0
 * @category getters
 */
export const wakeAt = ({ jobs = [] }: Session, agent?: string): DateTime.Utc | undefined =>
  jobs.filter((job) => agent === undefined || job.agent === agent).map(({ at }) => at)
    .reduce<DateTime.Utc | undefined>((a, b) => a === undefined || DateTime.lessThan(b, a) ? b : a, undefined)
