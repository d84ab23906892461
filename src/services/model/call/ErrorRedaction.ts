/** Removes a provider's messages from failures of model calls, because they may quote the user's text. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { ResponseGenerationError } from "../../../domain/base/error/Errors.js"
import type * as Excerpt from "../../../domain/base/error/Excerpt.js"
import * as Telemetry from "../Telemetry.js"

/** The `excerpts` option of the running turn's agent, set by the turn. */
export class ModelExcerpts extends Context.Reference<ModelExcerpts>()("coxswain/ModelExcerpts", {
  defaultValue: (): Excerpt.Options => ({})
}) {}

/** Removes the provider's message from a failure; the status of a response is kept. */
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

/** Removes the provider's message from a failure if `show` is false. */
export const redactedFor = (error: ResponseGenerationError, { show }: Excerpt.Options): ResponseGenerationError =>
  show === false ? quiet(error) : error

/**
 * Runs a call of a provider's client. Removes the provider's message from the failures of the client's spans; if `show`
 * is false, the call makes no spans at all.
 */
export const withoutExcerpts = <A, E, R>(
  asked: Effect.Effect<A, E, R>,
  { show }: Excerpt.Options
): Effect.Effect<A, E, R> => show === false ? Effect.withTracerEnabled(asked, false) : Telemetry.asked(asked)
