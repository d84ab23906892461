/**
 * One attempt at a model call: asks a `LanguageModel`, reduces what comes, keeps the limits, and turns whatever goes
 * wrong into the one typed failure.
 *
 * @since 0.1.0
 */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { ResponseGenerationError } from "../../domain/Errors.js"
import * as Telemetry from "../Telemetry.js"
import { masked } from "../Within.js"
import type { AnyPart } from "./Answer.js"
import { Reducer } from "./Answer.js"
import { asking, isStreamed } from "./Asking.js"
import type { ModelAnswer, ModelCall, ModelCallRecord } from "./Call.js"
import { classified, make as failure } from "./Failure.js"
import { Patience } from "./Patience.js"
import { ModelExcerpts, shown, unseen } from "./Quoting.js"

const nothing = Effect.void

/** What of an answer is worth knowing of the call. */
const told = (answer: ModelAnswer) => {
  const { cacheWriteTokens, finishReason, reasoning, reasoningTokens, responseId, sources, usage } = answer
  return {
    finishReason,
    usage,
    ...(responseId !== undefined && { responseId }),
    ...(reasoning !== undefined && { reasoning }),
    ...(sources !== undefined && { sources }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens })
  }
}

const limited = { firstToken: "no first token came", model: "no complete answer came" }

/**
 * Asks `service` once. Whether a failed call may be repeated is in the `retryable` of its failure.
 *
 * @since 0.1.0
 * @category combinators
 */
export const attempt = (
  service: LanguageModel.Service,
  model: string,
  call: ModelCall,
  report: (record: ModelCallRecord) => Effect.Effect<void>
): Effect.Effect<ModelAnswer, ResponseGenerationError> =>
  Telemetry.attempt(model, call, report, (report) => once(service, model, call, report))

const once = (
  service: LanguageModel.Service,
  model: string,
  call: ModelCall,
  report: (record: ModelCallRecord) => Effect.Effect<void>
): Effect.Effect<ModelAnswer, ResponseGenerationError> =>
  Effect.withFiberRuntime(({ currentContext, currentDefaultServices }) => {
    const { limits, onPart, purpose } = call
    const excerpts = Context.get(currentContext, ModelExcerpts)
    const patience = new Patience(Context.get(currentDefaultServices, Clock.Clock), limits)
    const reducer = new Reducer()

    const hand = (parts: Iterable<AnyPart>): Effect.Effect<void> => {
      let handed = nothing
      for (const part of parts) {
        const shown = reducer.add(part)
        if (shown !== undefined && onPart !== undefined) {
          handed = handed === nothing ? onPart(shown) : Effect.zipRight(handed, onPart(shown))
        }
      }
      return handed === nothing ? nothing : patience.hold(handed)
    }
    // A failure that is typed already was worded by the library.
    const typed = (error: unknown): ResponseGenerationError =>
      error instanceof ResponseGenerationError
        ? error
        : shown(classified(error, purpose, model, patience.now()), excerpts)
    const answer = (): Either.Either<ModelAnswer, ResponseGenerationError> =>
      Either.mapLeft(reducer.answer(call.json !== undefined), (no) => {
        const error = failure({ purpose, model, ...no })
        return no.reason === "malformed_output" ? shown(error, excerpts) : error
      })
    const expired = (limit: keyof ModelCall["limits"]) =>
      failure({
        purpose,
        model,
        reason: "timeout",
        why: `${limited[limit]} within timeouts.${limit} (${Duration.format(limits[limit])})`
      })

    // Failures are passed as values: Effect logs a fiber that fails as unhandled, even when another one waits for it.
    const asked = Effect.either(unseen(asking({ service, call, reducer, hand }), excerpts))
    const streams = isStreamed(call)
    const deadline = Effect.map(
      patience.ended(streams, () => reducer.started),
      (limit) => Either.left(expired(limit))
    )
    return Effect.uninterruptibleMask((restore) =>
      Effect.matchCauseEffect(masked(restore, asked, patience.first(streams), deadline), {
        onFailure: (cause) =>
          Cause.isInterruptedOnly(cause)
            ? Effect.zipRight(
              report({ purpose, model, finishReason: "interrupted", usage: reducer.usage }),
              Effect.failCause(cause)
            )
            : Effect.failCause(cause),
        onSuccess: (end) => {
          const came = Either.isLeft(end) ? Either.left(typed(end.left)) : answer()
          if (Either.isRight(came)) return Effect.as(report({ purpose, model, ...told(came.right) }), came.right)
          const { reason, why } = came.left
          const failed = { reason, message: why }
          return Effect.zipRight(
            report({ purpose, model, finishReason: "error", failure: failed, usage: reducer.usage }),
            Effect.fail(came.left)
          )
        }
      })
    )
  })
