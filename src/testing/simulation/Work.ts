/** Reports of jobs that never ran: results, failures and progress generated from their Schemas. */
import { isJson } from "../../domain/base/Json.js"
import type { Definition } from "../../domain/definition/Definition.js"
import * as Handlers from "../../domain/definition/Handlers.js"
import type * as Job from "../../domain/job/Job.js"
import type { Telling } from "./Act.js"
import * as SeededRandom from "./SeededRandom.js"
import { extracted } from "./Values.js"

const schemaOf = ({ failed, progress, schemas }: Job.Any, event: string) =>
  event === failed ? schemas.failure : event === progress ? schemas.progress : schemas.success

/**
 * Returns a job's report; if `ends` is true, the report of its success. Undefined if the agent no longer has the job.
 */
export const tell = (
  definition: Definition,
  name: string,
  ends: boolean,
  seed: number
): Pick<Telling, "event" | "payload"> | undefined => {
  const job = definition.jobs.get(name)
  if (job === undefined) return undefined
  // Progress is reported only if the agent has a handler for it.
  const events = [job.completed, job.failed, ...(Handlers.isHeard(definition, job.progress) ? [job.progress] : [])]
  const event = ends ? job.completed : SeededRandom.pick(events, seed, "told") ?? job.completed
  const payload = extracted(schemaOf(job, event), seed)
  return { event, ...(isJson(payload) && { payload }) }
}
