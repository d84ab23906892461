/**
 * Asks models one after the other until one answers: attempts with growing delays at each, then the next one.
 *
 * @since 0.1.0
 */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { BudgetExceeded, ResponseGenerationError } from "../../domain/Errors.js"
import * as ModelOptions from "../../domain/ModelOptions.js"
import * as Budget from "../Budget.js"
import { attempt } from "./Attempt.js"
import type * as Breaker from "./Breaker.js"
import type { ModelAnswer, ModelCall, ModelCallRecord, ModelPart, ModelUsage } from "./Call.js"
import { make as failure } from "./Failure.js"
import { fileRefused, fitted } from "./Files.js"
import * as Meters from "./Meters.js"
import { type ModelNotice, ModelNotices } from "./Notice.js"
import { ModelSettings } from "./Settings.js"
import * as Wire from "./Wire.js"

/**
 * One model that can be asked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Candidate {
  /** What records and metrics call it. */
  readonly name: string
  readonly service: LanguageModel.Service
  /** How often it is asked before the next one is. */
  readonly attempts: number
  readonly schedule: Schedule.Schedule<unknown, ResponseGenerationError>
  readonly price?: Budget.Price | undefined
  /** The media types of files it takes; undefined for all. */
  readonly accepts?: ReadonlyArray<string> | undefined
  readonly breaker?: Breaker.Breaker | undefined
}

const longestWait = Duration.seconds(30)

/** With another model to ask, the longest wait for one that asked for time. */
const patience = Duration.seconds(2)

/**
 * The delays between attempts after transient failures: 500 ms, doubling, with jitter, or as long as the provider
 * asked, at most 30 seconds.
 *
 * @since 0.1.0
 * @category retries
 */
export const backoff: Schedule.Schedule<unknown, ResponseGenerationError> = Schedule.identity<
  ResponseGenerationError
>().pipe(
  Schedule.zipLeft(Schedule.jittered(Schedule.exponential(Duration.millis(500)))),
  Schedule.modifyDelay((error, delay) => Duration.min(error.retryAfter ?? delay, longestWait))
)

/** Failures of the provider, as opposed to failures of the call or the answer. */
const speaksAgainst = ({ reason }: ResponseGenerationError) =>
  reason === "rate_limited" || reason === "overloaded" || reason === "timeout" || reason === "network"

/**
 * Asks the candidates in order. After a transient failure the same candidate is tried again, then the next one; a
 * failure that would come again is final, and so is any after text was handed to `onPart`: a reader would see the
 * beginning of the answer twice.
 *
 * `ExecutionPlan` retries and falls back too, but it applies the schedule of a step before its first attempt, so a
 * healthy fallback would wait for the one that failed, and the breaker and the budget would have no place before each
 * attempt.
 *
 * @since 0.1.0
 * @category combinators
 */
export const ask = (
  candidates: ReadonlyArray<Candidate>,
  asked: ModelCall,
  observe: (record: ModelCallRecord) => Effect.Effect<void>
): Effect.Effect<ModelAnswer, ResponseGenerationError | BudgetExceeded> =>
  Effect.withFiberRuntime((fiber) => {
    const context = fiber.currentContext
    const budget = Context.get(context, Budget.Budget)
    const notices = Context.get(context, ModelNotices)
    const settings = Context.get(context, ModelSettings)
    const { purpose } = asked
    const options = ModelOptions.of(settings, purpose, asked.options)
    const limited = Budget.isLimited(budget)
    const labels = fiber.getFiberRef(FiberRef.currentMetricLabels)
    const { call: heard, spoken } = listen(options === undefined ? asked : { ...asked, options })

    const from = (index: number): Effect.Effect<ModelAnswer, ResponseGenerationError | BudgetExceeded> => {
      const candidate = candidates[index]!
      const { breaker, name, price } = candidate
      const next = candidates[index + 1]
      const call = { ...heard, prompt: fitted(heard.prompt, candidate.accepts) }
      const refused = fileRefused(call.prompt, candidate.accepts)
      if (refused !== undefined) {
        return next === undefined
          ? Effect.fail(failure({
            purpose,
            model: name,
            reason: "invalid_request",
            why: `it takes no ${refused}; give a model that does, or files.caption for those that do not`
          }))
          : Effect.zipRight(
            notices({ kind: "model_skipped", model: name, purpose, message: `it takes no ${refused}` }),
            from(index + 1)
          )
      }

      const notice = (kind: ModelNotice["kind"], message: string) => notices({ kind, model: name, purpose, message })
      let attempts = 0
      let last: string | undefined

      const once = (estimated: number) => {
        const record = (attempted: ModelCallRecord) => {
          last = attempted.failure?.reason
          const { failure, usage } = attempted
          // A provider that does not report usage must not make a budget void.
          const used = limited && failure === undefined && usage.inputTokens + usage.outputTokens === 0
            ? promptOnly(estimated)
            : usage
          const record = { ...attempted, usage: used, ...(price !== undefined && { cost: Budget.cost(price, used) }) }
          const told = Effect.map(observe(record), () => Meters.count(record, labels))
          return limited
            ? Effect.zipRight(
              told,
              budget.spend({ tokens: used.inputTokens + used.outputTokens, cost: record.cost ?? 0 })
            )
            : told
        }
        const attempted = Effect.suspend(() =>
          ++attempts === 1
            ? attempt(candidate.service, name, call, record)
            : Effect.zipRight(
              notice("model_retry", `attempt ${attempts} of ${candidate.attempts} after ${last ?? "a failure"}`),
              attempt(candidate.service, name, call, record)
            )
        )
        if (breaker === undefined) return attempted
        return breaker.guard(attempted, {
          isFailure: speaksAgainst,
          onOpen: (wait) =>
            failure({
              purpose,
              model: name,
              reason: "overloaded",
              why: `it failed too often and is not asked for another ${Duration.format(wait)}`,
              retryAfter: wait
            }),
          onChange: (to) =>
            to === "opened"
              ? notice("breaker_opened", `it failed too often (${last ?? "no answer"}) and is not asked for a while`)
              : notice("breaker_closed", "it works again")
        })
      }
      const budgeted = limited
        ? Effect.flatMap(Budget.estimate(call), (tokens) =>
          once(tokens).pipe(
            budget.guard({ tokens, cost: price === undefined ? 0 : Budget.cost(price, promptOnly(tokens)) })
          ))
        : once(0)

      const again = (error: ResponseGenerationError): Effect.Effect<boolean> => {
        if (!error.retryable || spoken()) return Effect.succeed(false)
        if (next !== undefined) {
          // After a timeout, or when a provider asks for time, asking the next model is faster than waiting.
          const long = error.retryAfter !== undefined && Duration.greaterThan(error.retryAfter, patience)
          if (error.reason === "timeout" || long) return Effect.succeed(false)
        }
        return breaker === undefined ? Effect.succeed(true) : Effect.map(breaker.open, Option.isNone)
      }
      // A call that succeeds at once needs no schedule: the failure of the first attempt is what the retries begin with.
      const retried = candidate.attempts <= 1 ? budgeted : Effect.catchAll(budgeted, (failed) => {
        const attempts = [Effect.fail(failed)]
        return Effect.retry(Effect.suspend(() => attempts.pop() ?? budgeted), {
          schedule: onlyFailures(candidate.schedule),
          times: candidate.attempts - 1,
          while: (error) => error._tag === "BudgetExceeded" ? Effect.succeed(false) : again(error)
        })
      })
      const known = options === undefined || Wire.of(candidate.service) !== undefined
        ? retried
        : Effect.zipRight(notice("model_options_ignored", "its layer does not read modelOptions"), retried)
      const tried = breaker === undefined ? known : Effect.zipRight(
        Effect.flatMap(
          breaker.open,
          Option.match({
            onNone: () => Effect.void,
            onSome: (wait) =>
              Effect.zipRight(
                Metric.update(Meters.of(name, purpose).skips, 1),
                notice("model_skipped", `its breaker is open for another ${Duration.format(wait)}`)
              )
          })
        ),
        known
      )
      if (next === undefined) return tried
      return Effect.catchTag(tried, "ResponseGenerationError", (error) =>
        error.retryable && !spoken()
          ? handOver(name, next.name, error).pipe(
            Effect.zipRight(notice("model_fallback", `${error.reason}, asking "${next.name}"`)),
            Effect.zipRight(from(index + 1))
          )
          : Effect.fail(error))
    }
    return from(0)
  })

const promptOnly = (inputTokens: number): ModelUsage => ({ inputTokens, outputTokens: 0, cachedInputTokens: 0 })

/** A candidate's schedule sees its failures only; an exceeded budget is never waited out. */
const onlyFailures = (
  schedule: Candidate["schedule"]
): Schedule.Schedule<unknown, ResponseGenerationError | BudgetExceeded> =>
  Schedule.mapInput(schedule, (error: ResponseGenerationError | BudgetExceeded) => error as ResponseGenerationError)

const handOver = (from: string, to: string, error: ResponseGenerationError) =>
  Effect.all([
    Metric.update(Meters.of(from, error.phase).fallbacks, 1),
    Effect.logWarning(`Model "${from}" failed (${error.reason}), asking "${to}"`),
    Effect.annotateCurrentSpan(`coxswain.fallback.${from}`, error.reason)
  ], { discard: true })

/** The call, and whether any of its text was handed over. */
const listen = (call: ModelCall): { readonly call: ModelCall; readonly spoken: () => boolean } => {
  const { onPart } = call
  if (onPart === undefined) return { call, spoken: () => false }
  let spoken = false
  const listening = (part: ModelPart) => {
    if (part._tag === "Text") spoken = true
    return onPart(part)
  }
  return { call: { ...call, onPart: listening }, spoken: () => spoken }
}
