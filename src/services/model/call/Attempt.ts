/**
 * One attempt at a model call: calls a `LanguageModel`, reduces the parts of its answer, keeps the time limits, and
 * converts any error into a `ResponseGenerationError`.
 */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { maskFast, type Restore, runMasked } from "../../../domain/base/Deadline.js"
import { ResponseGenerationError } from "../../../domain/base/error/Errors.js"
import type * as Excerpt from "../../../domain/base/error/Excerpt.js"
import * as Telemetry from "../Telemetry.js"
import type { AnyPart } from "./Answer.js"
import { Reducer } from "./Answer.js"
import { classified, make as failure } from "./CallFailure.js"
import { CallTimeouts } from "./CallTimeouts.js"
import { ModelExcerpts, redactedFor, withoutExcerpts } from "./ErrorRedaction.js"
import type { ModelAnswer, ModelCall, ModelCallRecord } from "./ModelCall.js"
import { execute, isStreamed, type ProviderCall } from "./ProviderCall.js"

/** Returns the properties of an answer that its call record includes. */
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

/** Calls `service` once. A failure's `retryable` is true if the call may be repeated. */
export const attempt = (
  service: LanguageModel.Service,
  model: string,
  call: ModelCall,
  report: (record: ModelCallRecord) => Effect.Effect<void>
): Effect.Effect<ModelAnswer, ResponseGenerationError> =>
  Telemetry.attempt(model, call, report, (report) => once(service, model, call, report))

/**
 * One attempt in progress. It is an object with methods, because closures would stay in memory for the whole attempt.
 */
class Once implements ProviderCall {
  readonly reducer = new Reducer()
  private readonly patience: CallTimeouts

  constructor(
    readonly service: LanguageModel.Service,
    private readonly model: string,
    readonly call: ModelCall,
    private readonly excerpts: Excerpt.Options,
    clock: Clock.Clock
  ) {
    this.patience = new CallTimeouts(clock, call.limits)
  }

  hand(parts: Iterable<AnyPart>): Effect.Effect<void> {
    const { onPart } = this.call
    let handed: Effect.Effect<void> | undefined
    for (const part of parts) {
      const shown = this.reducer.add(part)
      if (shown !== undefined && onPart !== undefined) {
        handed = handed === undefined ? onPart(shown) : Effect.zipRight(handed, onPart(shown))
      }
    }
    return handed === undefined ? Effect.void : this.patience.hold(handed)
  }

  /**
   * Runs the call within its limits. Failures are returned as values, because Effect logs a failing fiber as unhandled,
   * even if another fiber waits for it.
   */
  ended(restore: Restore): Effect.Effect<Either.Either<void, unknown>> {
    const streams = isStreamed(this.call)
    const asked = Effect.either(withoutExcerpts(execute(this), this.excerpts))
    const late = Effect.suspend(() =>
      Effect.map(
        this.patience.ended(streams, () => this.reducer.started),
        (limit) => Either.left(this.expired(limit))
      )
    )
    return runMasked(restore, asked, this.patience.first(streams), late)
  }

  answer(): Either.Either<ModelAnswer, ResponseGenerationError> {
    const { json, purpose } = this.call
    return Either.mapLeft(this.reducer.answer(json?.schema), (no) => {
      const error = failure({ purpose, model: this.model, ...no })
      return no.reason === "malformed_output" ? redactedFor(error, this.excerpts) : error
    })
  }

  /**
   * Converts an error to a `ResponseGenerationError`. An error that already has this type comes from the library and
   * does not change.
   */
  typed(error: unknown): ResponseGenerationError {
    return error instanceof ResponseGenerationError
      ? error
      : redactedFor(classified(error, this.call.purpose, this.model, this.patience.now()), this.excerpts)
  }

  private expired(limit: keyof ModelCall["limits"]): ResponseGenerationError {
    const { limits, purpose } = this.call
    return failure({
      purpose,
      model: this.model,
      reason: "timeout",
      why: `${limited[limit]} within timeouts.${limit} (${Duration.format(limits[limit])})`
    })
  }
}

const once = (
  service: LanguageModel.Service,
  model: string,
  call: ModelCall,
  report: (record: ModelCallRecord) => Effect.Effect<void>
): Effect.Effect<ModelAnswer, ResponseGenerationError> =>
  Effect.withFiberRuntime(({ currentContext, currentDefaultServices }) => {
    const excerpts = Context.get(currentContext, ModelExcerpts)
    const attempt = new Once(service, model, call, excerpts, Context.get(currentDefaultServices, Clock.Clock))
    const { purpose } = call
    return maskFast((restore) =>
      Effect.matchCauseEffect(attempt.ended(restore), {
        onFailure: (cause) =>
          Cause.isInterruptedOnly(cause)
            ? Effect.zipRight(
              report({ purpose, model, finishReason: "interrupted", usage: attempt.reducer.usage }),
              Effect.failCause(cause)
            )
            : Effect.failCause(cause),
        onSuccess: (end) => {
          const came = Either.isLeft(end) ? Either.left(attempt.typed(end.left)) : attempt.answer()
          if (Either.isRight(came)) return Effect.as(report({ purpose, model, ...told(came.right) }), came.right)
          const { reason, why } = came.left
          const failed = { reason, message: why }
          return Effect.zipRight(
            report({ purpose, model, finishReason: "error", failure: failed, usage: attempt.reducer.usage }),
            Effect.fail(came.left)
          )
        }
      })
    )
  })
