/**
 * The jobs that a conversation waits for: what begins them, and whether it is seen to.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import * as Memo from "../../base/Memo.js"
import * as Decode from "../../fields/schema/Decode.js"
import type * as Job from "../../job/Job.js"
import { type Call, callsOf } from "../../job/JobCall.js"
import * as Samples from "../knowledge/Samples.js"
import type { BranchShape, Shape } from "../shape/Shape.js"
import type { Turn } from "../walk/WalkedTurn.js"

const branchesOf = Memo.weak((shape: Shape): ReadonlyMap<string, BranchShape> =>
  new Map(
    [shape, ...shape.flows, ...shape.flows.flatMap(({ steps }) => steps)]
      .flatMap(({ branches }) => branches)
      .map((branch) => [branch.id, branch])
  )
)

/** The jobs that a turn asks for by directives that are written out. What code asks for is not known before it runs. */
const askedIn = (shape: Shape, { cause, way }: Turn): ReadonlyArray<string> => {
  const handler = cause._tag === "Happened" ? cause.heard.then : undefined
  const taken = way.sights.flatMap((sight) =>
    sight._tag === "Took" ? branchesOf(shape).get(sight.branch)?.then ?? [] : []
  )
  return [...(handler === undefined ? [] : [handler]), ...taken].flatMap(callsOf).map(({ job }) => job)
}

const endedIn = ({ cause }: Turn, { completed, failed }: Job.Any): boolean =>
  cause._tag === "Happened" && (cause.heard.event === completed || cause.heard.event === failed)

/** Whether the turns before have asked for the job, and it has not ended in them. */
export const isWaitedFor = (shape: Shape, before: ReadonlyArray<Turn>, job: Job.Any): boolean =>
  before.reduce(
    (running, turn) =>
      Math.max(0, running - Number(endedIn(turn, job))) +
      askedIn(shape, turn).filter((name) => name === job.jobName).length,
    0
  ) > 0

/** What a directive runs to begin the job, with a payload that is made up; nothing where none can be. */
export const callOf = ({ jobName, schemas }: Job.Any): Call | undefined => {
  // The Schemas of a job need nothing.
  const payload = schemas.payload as Schema.Schema<unknown, unknown>
  const decode = Decode.either(payload)
  if (Either.isRight(decode(undefined))) return { job: jobName }
  const [sample] = Samples.ofPayload(payload, decode, [])
  return sample && { job: jobName, payload: sample.encoded }
}
