/** Reports of jobs that did not run. Tests and simulations send them to a conversation. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Json } from "../../../domain/base/Json.js"
import * as Job from "../../../domain/job/Job.js"
import type { StoredJob, Told } from "../../../domain/job/StoredJob.js"
import type { Internal } from "../../state/Input.js"
import type { Failure, Runtime } from "../../state/TurnState.js"
import { report } from "./jobs.js"
import * as Lease from "./lease.js"

/** The job that declares an event. */
export const jobOf = ({ definition }: Runtime, event: string): Job.Any | undefined =>
  Array.from(definition.jobs.values()).find((job) => Job.eventNames(job).includes(event))

/** Returns the session's first job that may cause the event. */
export const waiting = (
  runtime: Runtime,
  jobs: ReadonlyArray<StoredJob>,
  event: string
): StoredJob | undefined => {
  const name = jobOf(runtime, event)?.jobName
  return jobs.find((job) => job.name === name && job.agent === runtime.definition.name)
}

const toldAs = (job: Job.Any | undefined, event: string, stored: StoredJob, payload: Json | undefined): Told => {
  const value = payload === undefined ? {} : { value: payload }
  return event === job?.completed
    ? { _tag: "Completed", ...value }
    : event === job?.failed
    ? { _tag: "Failed", ...value }
    : { _tag: "Progress", run: stored.runs, seq: 1, ...value }
}

/** Leases the job for zero duration and returns its report as an input; undefined if a runner holds the job. */
export const tellingOf = (
  runtime: Runtime,
  sessionId: string,
  stored: StoredJob,
  event: string,
  payload: Json | undefined
): Effect.Effect<Internal | undefined, Failure> =>
  Effect.map(Lease.take(runtime, sessionId, [stored.id], Duration.zero), ([taken]) =>
    taken && report(sessionId, {
      _tag: "Job",
      jobId: stored.id,
      lease: taken.lease,
      told: toldAs(jobOf(runtime, event), event, taken.job, payload)
    }))
