/** The library's own error of a job. */
import * as Schema from "effect/Schema"
import { said, say } from "../base/error/ErrorMessage.js"

/**
 * Errors of a job besides those of its `error` Schema:
 *
 * - `unknown`: the agent no longer declares the job, or no handler is provided for it
 * - `payload`: its Schema refuses the stored payload
 * - `result`: its Schema cannot encode the handler's result, or the encoded result is not JSON
 * - `too_large`: the result has more than 64 kB
 * - `timeout`: an attempt took longer than the job's `timeout`
 * - `defect`: the handler died
 * - `lost`: too many runs (see `losses` of the job) ended without a result, because their process died or could not
 *   renew its lease
 */
export const Reason = Schema.Literal("unknown", "payload", "result", "too_large", "timeout", "defect", "lost")

export type Reason = typeof Reason.Type

/** A job failed with an error other than its own; `reason` says why. */
export class JobError extends Schema.TaggedError<JobError>()("JobError", {
  /** The name of the job. */
  job: Schema.String,
  jobId: Schema.String,
  reason: Reason,
  ...said
}) {
  override get message(): string {
    return say(this._tag, this)
  }
}
