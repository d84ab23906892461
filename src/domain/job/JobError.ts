/**
 * Why a job has no result of its own.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { said, say } from "../base/error/ErrorMessage.js"

/**
 * What can go wrong with a job besides what its `error` describes:
 *
 * - `unknown`: the agent does not declare the job any more, or no handler is provided for it
 * - `payload`: its Schema refuses the payload that was stored
 * - `result`: its Schema cannot encode the handler's result, or what it encodes to is not JSON
 * - `too_large`: the result has more than 64 kB
 * - `timeout`: an attempt took longer than the job's `timeout`
 * - `defect`: the handler died
 * - `lost`: too many runs ended without a result, because their process died or could not renew its lease; how many are too
 *   many is the job's `losses`
 *
 * @since 0.1.0
 * @category schemas
 */
export const Reason = Schema.Literal("unknown", "payload", "result", "too_large", "timeout", "defect", "lost")

/**
 * @since 0.1.0
 * @category models
 */
export type Reason = typeof Reason.Type

/**
 * A job failed, and not with an error of its own: `reason` says why.
 *
 * @since 0.1.0
 * @category errors
 */
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
