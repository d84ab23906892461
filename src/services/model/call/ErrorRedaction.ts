/**
 * Whether failures of model calls may quote what a provider said, which may repeat what a user did.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { ResponseGenerationError } from "../../../domain/base/error/Errors.js"
import type * as Excerpt from "../../../domain/base/error/Excerpt.js"
import * as Telemetry from "../Telemetry.js"

/**
 * A turn sets it to the `excerpts` of its agent.
 *
 * @since 0.1.0
 * @category references
 */
export class ModelExcerpts extends Context.Reference<ModelExcerpts>()("coxswain/ModelExcerpts", {
  defaultValue: (): Excerpt.Options => ({})
}) {}

/** The failure without the provider's words; the status of a response is kept. */
const quiet = ({ cause, what, why, ...error }: ResponseGenerationError): ResponseGenerationError => {
  const status = /^\d{3}(?= )/.exec(why)?.[0]
  const said = status === undefined ? `it failed: ${error.reason}` : `it answered ${status}`
  return new ResponseGenerationError({
    phase: error.phase,
    reason: error.reason,
    retryable: error.retryable,
    ...(error.retryAfter && { retryAfter: error.retryAfter }),
    ...(cause instanceof Error && { cause: Object.assign(new Error(said), { name: cause.name, stack: "" }) }),
    what,
    why: `${said}; its words are not shown (excerpts: false)`,
    fix: error.fix
  })
}

/**
 * A failure in its own words, or without the provider's.
 *
 * @since 0.1.0
 * @category combinators
 */
export const redactedFor = (error: ResponseGenerationError, { show }: Excerpt.Options): ResponseGenerationError =>
  show === false ? quiet(error) : error

/**
 * Asks a provider's client. Its spans fail with the provider's words, which are left out; where no words are shown at all,
 * there are no such spans.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withoutExcerpts = <A, E, R>(
  asked: Effect.Effect<A, E, R>,
  { show }: Excerpt.Options
): Effect.Effect<A, E, R> => show === false ? Effect.withTracerEnabled(asked, false) : Telemetry.asked(asked)
