/** The jobs that a conversation waits for, and the calls that start them. */
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import * as Memo from "../../base/Memo.js"
import * as Decode from "../../fields/schema/Decode.js"
import type * as Job from "../../job/Job.js"
import { type Call, callsOf } from "../../job/JobCall.js"
import * as Samples from "../knowledge/Samples.js"
import type { BranchShape, Shape } from "../shape/Shape.js"
import { branchesIn } from "../shape/Shape.js"
import type { Turn } from "../walk/WalkedTurn.js"

const branchesOf = Memo.weak((shape: Shape): ReadonlyMap<string, BranchShape> =>
  new Map(branchesIn(shape).map((branch) => [branch.id, branch]))
)

/** The jobs that a turn starts by literal directives; those started by code are unknown. */
const askedIn = (shape: Shape, { cause, way }: Turn): ReadonlyArray<string> => {
  const handler = cause._tag === "Happened" ? cause.heard.then : undefined
  const taken = way.sights.flatMap((sight) =>
    sight._tag === "Took" ? branchesOf(shape).get(sight.branch)?.then ?? [] : []
  )
  return [...(handler === undefined ? [] : [handler]), ...taken].flatMap(callsOf).map(({ job }) => job)
}

const endedIn = ({ cause }: Turn, { completed, failed }: Job.Any): boolean =>
  cause._tag === "Happened" && (cause.heard.event === completed || cause.heard.event === failed)

/** True if the earlier turns have started the job and have not ended it. */
export const isWaitedFor = (shape: Shape, before: ReadonlyArray<Turn>, job: Job.Any): boolean =>
  before.reduce(
    (running, turn) =>
      Math.max(0, running - Number(endedIn(turn, job))) +
      askedIn(shape, turn).filter((name) => name === job.jobName).length,
    0
  ) > 0

/** A call that starts the job, with a sample payload; undefined if there is no sample. */
export const callOf = ({ jobName, schemas }: Job.Any): Call | undefined => {
  // The compiler cannot see that the Schemas of a job need no services.
  const payload = schemas.payload as Schema.Schema<unknown, unknown>
  const decode = Decode.either(payload)
  if (Either.isRight(decode(undefined))) return { job: jobName }
  const [sample] = Samples.ofPayload(payload, decode, [])
  return sample && { job: jobName, payload: sample.encoded }
}
