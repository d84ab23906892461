/** Checks the jobs that an agent declares. */
import * as Duration from "effect/Duration"
import * as Job from "../../job/Job.js"
import type { World } from "./CheckParts.js"
import { duplicates, noOption } from "./CheckParts.js"

/**
 * The form of a job's name, which is used unchanged in prompts, traces, stored sessions and the names of the job's
 * events.
 */
const jobName = /^[A-Za-z0-9._:/-]{1,80}$/

/** Checks the jobs that an agent declares; `events` are the other events that the agent declares. */
export const checkJobs = (
  { report }: Pick<World, "report">,
  jobs: ReadonlyArray<unknown>,
  events: Readonly<Record<string, unknown>>
): void => {
  jobs.forEach((job, i) => {
    if (Job.isJob(job)) checkJob(report, job, `jobs[${i}]`, events)
    else report(`jobs[${i}]`, "not a job", "a job is what Job.make makes", "Pass a class that extends Job.make(…)")
  })
  const names = jobs.filter(Job.isJob).map((job) => job.jobName)
  for (const i of duplicates(names)) {
    report(
      "jobs",
      `duplicate job "${names[i]}"`,
      "what is stored names a job by its name",
      "Give one of them another name"
    )
  }
}

const checkJob = (
  report: World["report"],
  job: Job.Any,
  path: string,
  events: Readonly<Record<string, unknown>>
): void => {
  const { jobName: name, settings: { attempts, losses, timeout, unknown } } = job
  if (!jobName.test(name)) {
    report(
      path,
      `job "${name}"`,
      "a name has 1 to 80 letters, digits, dots, colons, slashes, hyphens and underscores",
      "Give the job another name"
    )
  }
  for (const option of unknown) {
    const { fix, why } = noOption(option, Job.optionNames)
    report(`${path}.${option}`, `${option} of job "${name}"`, why, fix)
  }
  for (const event of Job.eventNames(job).filter((event) => Object.hasOwn(events, event))) {
    report(
      path,
      `job "${name}"`,
      `the event "${event}" is declared beside it`,
      "Give the event or the job another name"
    )
  }
  if (!Number.isInteger(attempts) || attempts < 1) {
    report(path, `${attempts} attempts of job "${name}"`, "it would never run", "Give a whole number from 1 on")
  }
  if (!Number.isInteger(losses) || losses < 1) {
    report(path, `${losses} losses of job "${name}"`, "it would fail before it ran", "Give a whole number from 1 on")
  }
  if (Duration.lessThanOrEqualTo(timeout, Duration.zero)) {
    report(path, `timeout of job "${name}"`, "it would end before it began", "Give a duration such as \"10 minutes\"")
  }
}
