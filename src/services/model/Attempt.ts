/**
 * One attempt at a model call: asks a `LanguageModel`, reduces what comes, keeps the limits, and turns whatever goes
 * wrong into the one typed failure.
 *
 * @since 0.1.0
 */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { ResponseGenerationError } from "../../domain/Errors.js"
import * as Telemetry from "../Telemetry.js"
import { within } from "../Within.js"
import type { AnyPart } from "./Answer.js"
import { Reducer } from "./Answer.js"
import { asking, isStreamed } from "./Asking.js"
import type { ModelAnswer, ModelCall, ModelCallRecord } from "./Call.js"
import { classify, make as failure } from "./Failure.js"
import { shown, unseen } from "./Quoting.js"

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

/**
 * Asks `service` once. Fails with what the call must not be repeated for, or may: see `retryable`.
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
  Effect.flatMap(Clock.currentTimeMillis, (begin) => {
    const reducer = new Reducer()
    const { json, limits, onPart, purpose } = call
    const streams = isStreamed(call)
    /** Time the consumer took: the model is not to blame for it. */
    let held = 0
    let holding: number | undefined

    // What is typed already is in words of our own.
    const fail = (error: unknown) =>
      error instanceof ResponseGenerationError
        ? Effect.fail(error)
        : Effect.flip(Effect.flatMap(classify(error, purpose, model), shown))
    const hand = (parts: Iterable<AnyPart>): Effect.Effect<void> => {
      let handed = nothing
      for (const part of parts) {
        const shown = reducer.add(part)
        if (shown !== undefined && onPart !== undefined) {
          handed = handed === nothing ? onPart(shown) : Effect.zipRight(handed, onPart(shown))
        }
      }
      if (handed === nothing) return nothing
      return Effect.flatMap(Clock.currentTimeMillis, (from) => {
        holding = from
        return Effect.zipRight(
          handed,
          Effect.map(Clock.currentTimeMillis, (to) => {
            holding = undefined
            held += to - from
          })
        )
      })
    }
    const expire = (limit: keyof ModelCall["limits"], what: string) =>
      Effect.fail(failure({
        purpose,
        model,
        reason: "timeout",
        why: `${what} within timeouts.${limit} (${Duration.format(limits[limit])})`
      }))
    const limit = Duration.toMillis(limits.model)
    const whileUnfinished: Effect.Effect<never, ResponseGenerationError> = Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => {
        const left = limit - (now - begin - held - (holding === undefined ? 0 : now - holding))
        // A clock that is adjusted may leave a rest too small for it to count: sleeping that long would never end.
        return left >= 1
          ? Effect.zipRight(Effect.sleep(Duration.millis(left)), whileUnfinished)
          : expire("model", "no complete answer came")
      }
    )
    const deadline = streams && Duration.lessThan(limits.firstToken, limits.model)
      ? Effect.zipRight(
        Effect.sleep(limits.firstToken),
        Effect.suspend(() => reducer.started ? whileUnfinished : expire("firstToken", "no first token came"))
      )
      : whileUnfinished

    // As values: a fiber that fails is logged as unhandled, whoever waits for it.
    const answered = Effect.either(unseen(asking({ service, call, reducer, hand, fail })))
    return within(answered, Effect.either(deadline)).pipe(
      Effect.flatten,
      Effect.catchAll(fail),
      Effect.flatMap(() =>
        Either.match(reducer.answer(json !== undefined), {
          onLeft: (no) => {
            const error = failure({ purpose, model, ...no })
            return Effect.flip(no.reason === "malformed_output" ? shown(error) : Effect.succeed(error))
          },
          onRight: (answer) => Effect.succeed(answer)
        })
      ),
      Effect.tapBoth({
        onSuccess: (answer) => report({ purpose, model, ...told(answer) }),
        onFailure: ({ reason, why }) =>
          report({ purpose, model, finishReason: "error", failure: { reason, message: why }, usage: reducer.usage })
      }),
      Effect.onInterrupt(() => report({ purpose, model, finishReason: "interrupted", usage: reducer.usage }))
    )
  })
