/**
 * Calls models one after the other until one answers: several attempts with growing delays at each model, then the next
 * model.
 */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Metric from "effect/Metric"
import type * as MetricLabel from "effect/MetricLabel"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as ModelOptions from "../../../domain/authored/ModelOptions.js"
import type { BudgetExceeded, ResponseGenerationError } from "../../../domain/base/error/Errors.js"
import type * as Breaker from "../Breaker.js"
import * as Budget from "../Budget.js"
import * as Meters from "../Meters.js"
import { type ModelNotice, ModelNotices } from "../Notice.js"
import { ModelSettings } from "../Settings.js"
import { fileRefused, fitted } from "./AcceptedFiles.js"
import { attempt } from "./Attempt.js"
import { make as failure } from "./CallFailure.js"
import type { ModelAnswer, ModelCall, ModelCallRecord, ModelPart, ModelUsage } from "./ModelCall.js"
import * as Wire from "./Wire.js"

/** One model that can be asked. */
export interface Candidate {
  /** Name of the candidate in records and metrics. */
  readonly name: string
  readonly service: LanguageModel.Service
  /** Number of attempts before the next candidate is asked. */
  readonly attempts: number
  readonly schedule: Schedule.Schedule<unknown, ResponseGenerationError>
  readonly price?: Budget.Price | undefined
  /** The media types of files that the model accepts; undefined for all. */
  readonly accepts?: ReadonlyArray<string> | undefined
  readonly breaker?: Breaker.Breaker | undefined
}

const longestWait = Duration.seconds(30)

/** The longest `retryAfter` for which the call waits if there is another model. */
const patience = Duration.seconds(2)

/**
 * The delays between attempts after transient failures: 500 ms, then doubled each time, with jitter; or the time that
 * the provider asked for, at most 30 seconds.
 */
export const backoff: Schedule.Schedule<unknown, ResponseGenerationError> = Schedule.identity<
  ResponseGenerationError
>().pipe(
  Schedule.zipLeft(Schedule.jittered(Schedule.exponential(Duration.millis(500)))),
  Schedule.modifyDelay((error, delay) => Duration.min(error.retryAfter ?? delay, longestWait))
)

/** True if the provider failed; false if the call or its answer was at fault. */
const speaksAgainst = ({ reason }: ResponseGenerationError) =>
  reason === "rate_limited" || reason === "overloaded" || reason === "timeout" || reason === "network"

type AnswerEffect = Effect.Effect<ModelAnswer, ResponseGenerationError | BudgetExceeded>

/**
 * Asks the candidates in order. After a transient failure the same candidate is tried again, then the next one. A
 * failure that would recur is final. So is any failure after text was passed to `onPart`, because a reader would see
 * the first part of the answer twice.
 *
 * `ExecutionPlan` retries and falls back too, but it applies the schedule of a step before its first attempt, so a
 * healthy fallback would wait, and the breaker and the budget could not be checked before each attempt.
 */
export const ask = (
  candidates: ReadonlyArray<Candidate>,
  asked: ModelCall,
  observe: (record: ModelCallRecord) => Effect.Effect<void>
): AnswerEffect =>
  Effect.withFiberRuntime((fiber) => {
    const context = fiber.currentContext
    const options = ModelOptions.of(Context.get(context, ModelSettings), asked.purpose, asked.options)
    const budget = Context.get(context, Budget.Budget)
    return from({
      candidates,
      observe,
      ...listen(options === undefined ? asked : { ...asked, options }),
      hasOptions: options !== undefined,
      budget: Budget.isLimited(budget) ? budget : undefined,
      notices: Context.get(context, ModelNotices),
      labels: fiber.getFiberRef(FiberRef.currentMetricLabels)
    }, 0)
  })

/** A call, and the settings that are the same for all its candidates. */
interface CandidateCall {
  readonly candidates: ReadonlyArray<Candidate>
  readonly observe: (record: ModelCallRecord) => Effect.Effect<void>
  readonly call: ModelCall
  /** Returns true after some text of the call was passed to `onPart`. */
  readonly spoken: () => boolean
  /** True if the call has `modelOptions`. */
  readonly hasOptions: boolean
  /** The budget of the turn; undefined when it has no limits. */
  readonly budget: Budget.Service | undefined
  readonly notices: (notice: ModelNotice) => Effect.Effect<void>
  readonly labels: ReadonlyArray<MetricLabel.MetricLabel>
}

const from = (asked: CandidateCall, index: number): AnswerEffect => {
  const { accepts } = asked.candidates[index]!
  const prompt = fitted(asked.call.prompt, accepts)
  const refused = fileRefused(prompt, accepts)
  const trying = new Trying(asked, index, { ...asked.call, prompt })
  return refused === undefined ? trying.answer() : trying.skipped(refused)
}

/**
 * The attempts at one candidate, and then at the next one. It is an object with methods, because closures would stay in
 * memory for the whole call.
 */
class Trying {
  private readonly candidate: Candidate
  private readonly next: Candidate | undefined
  private attempts = 0
  /** Reason of the last attempt's failure. */
  private last: string | undefined

  constructor(private readonly asked: CandidateCall, private readonly index: number, private readonly call: ModelCall) {
    this.candidate = asked.candidates[index]!
    this.next = asked.candidates[index + 1]
  }

  /** Skips the candidate, because it does not accept a file of this media type. */
  skipped(refused: string): AnswerEffect {
    return this.next === undefined
      ? Effect.fail(failure({
        purpose: this.call.purpose,
        model: this.candidate.name,
        reason: "invalid_request",
        why: `it takes no ${refused}; give a model that does, or files.caption for those that do not`
      }))
      : Effect.zipRight(this.notice("model_skipped", `it takes no ${refused}`), this.asNext())
  }

  answer(): AnswerEffect {
    const { next } = this
    if (next === undefined) return this.tried()
    return Effect.catchTag(this.tried(), "ResponseGenerationError", (error) =>
      error.retryable && !this.asked.spoken()
        ? handOver(this.candidate.name, next.name, error).pipe(
          Effect.zipRight(this.notice("model_fallback", `${error.reason}, asking "${next.name}"`)),
          Effect.zipRight(this.asNext())
        )
        : Effect.fail(error))
  }

  private asNext(): AnswerEffect {
    return Effect.suspend(() => from(this.asked, this.index + 1))
  }

  /** Asks the candidate, after reporting ignored options and an open breaker. */
  private tried(): AnswerEffect {
    const { breaker, service } = this.candidate
    const isIgnored = this.asked.hasOptions && Wire.of(service) === undefined
    const known = isIgnored
      ? Effect.zipRight(this.notice("model_options_ignored", "its layer does not read modelOptions"), this.retried())
      : this.retried()
    return breaker === undefined ? known : Effect.zipRight(this.tellOpen(breaker), known)
  }

  private tellOpen(breaker: Breaker.Breaker): Effect.Effect<void> {
    return Effect.flatMap(breaker.open, (wait) =>
      Option.isNone(wait) ? Effect.void : Effect.zipRight(
        Metric.update(Meters.of(this.candidate.name, this.call.purpose).skips, 1),
        this.notice("model_skipped", `its breaker is open for another ${Duration.format(wait.value)}`)
      ))
  }

  private retried(): AnswerEffect {
    const { attempts, schedule } = this.candidate
    const budgeted = this.budgeted()
    // A call that succeeds immediately needs no schedule. The schedule starts after the failure of the first attempt.
    return attempts <= 1 ? budgeted : Effect.catchAll(budgeted, (failed) => {
      const first = [Effect.fail(failed)]
      return Effect.retry(Effect.suspend(() => first.pop() ?? budgeted), {
        schedule: onlyFailures(schedule),
        times: attempts - 1,
        while: (error) => error._tag === "BudgetExceeded" ? Effect.succeed(false) : this.mayRepeat(error)
      })
    })
  }

  private mayRepeat(error: ResponseGenerationError): Effect.Effect<boolean> {
    const { breaker } = this.candidate
    if (!error.retryable || this.asked.spoken()) return Effect.succeed(false)
    if (this.next !== undefined) {
      // After a timeout or a long `retryAfter`, asking the next model is faster than waiting.
      const long = error.retryAfter !== undefined && Duration.greaterThan(error.retryAfter, patience)
      if (error.reason === "timeout" || long) return Effect.succeed(false)
    }
    return breaker === undefined ? Effect.succeed(true) : Effect.map(breaker.open, Option.isNone)
  }

  private budgeted(): AnswerEffect {
    const { budget } = this.asked
    if (budget === undefined) return this.guarded(0)
    const { price } = this.candidate
    return Effect.flatMap(Budget.estimate(this.call), (tokens) =>
      this.guarded(tokens).pipe(
        budget.guard({ tokens, cost: price === undefined ? 0 : Budget.cost(price, promptOnly(tokens)) })
      ))
  }

  /**
   * Makes one attempt, if the breaker allows it. `estimated` is the number of tokens of the prompt; 0 without a budget.
   */
  private guarded(estimated: number): Effect.Effect<ModelAnswer, ResponseGenerationError> {
    const { breaker, name } = this.candidate
    const attempted = Effect.suspend(() => this.attempted(estimated))
    return breaker === undefined ? attempted : breaker.guard(attempted, {
      isFailure: speaksAgainst,
      onOpen: (wait) =>
        failure({
          purpose: this.call.purpose,
          model: name,
          reason: "overloaded",
          why: `it failed too often and is not asked for another ${Duration.format(wait)}`,
          retryAfter: wait
        }),
      onChange: (to) =>
        to === "opened"
          ? this.notice(
            "breaker_opened",
            `it failed too often (${this.last ?? "no answer"}) and is not asked for a while`
          )
          : this.notice("breaker_closed", "it works again")
    })
  }

  private attempted(estimated: number): Effect.Effect<ModelAnswer, ResponseGenerationError> {
    const { attempts, name, service } = this.candidate
    const attempted = attempt(service, name, this.call, (record) => this.record(record, estimated))
    return ++this.attempts === 1 ? attempted : Effect.zipRight(
      this.notice("model_retry", `attempt ${this.attempts} of ${attempts} after ${this.last ?? "a failure"}`),
      attempted
    )
  }

  private record(attempted: ModelCallRecord, estimated: number): Effect.Effect<void> {
    const { budget, labels, observe } = this.asked
    const { price } = this.candidate
    const { failure, usage } = attempted
    this.last = failure?.reason
    // Uses an estimate, because a provider that does not report usage must not disable a budget.
    const used = budget !== undefined && failure === undefined && usage.inputTokens + usage.outputTokens === 0
      ? promptOnly(estimated)
      : usage
    const record = { ...attempted, usage: used, ...(price !== undefined && { cost: Budget.cost(price, used) }) }
    const told = Effect.map(observe(record), () => Meters.count(record, labels))
    return budget === undefined
      ? told
      : Effect.zipRight(told, budget.spend({ tokens: used.inputTokens + used.outputTokens, cost: record.cost ?? 0 }))
  }

  private notice(kind: ModelNotice["kind"], message: string): Effect.Effect<void> {
    return this.asked.notices({ kind, model: this.candidate.name, purpose: this.call.purpose, message })
  }
}

const promptOnly = (inputTokens: number): ModelUsage => ({ inputTokens, outputTokens: 0, cachedInputTokens: 0 })

/** Limits a candidate's schedule to its failures, because a call that exceeds a budget is never retried. */
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

/** Wraps a call to record whether some of its text was passed to `onPart`. */
const listen = (call: ModelCall): { readonly call: ModelCall; readonly spoken: () => boolean } => {
  const { onPart } = call
  if (onPart === undefined) return { call, spoken: () => false }
  let spoken = false
  const listening = (part: ModelPart) => {
    if (part._tag === "Text" && part.text.trim() !== "") spoken = true
    return onPart(part)
  }
  return { call: { ...call, onPart: listening }, spoken: () => spoken }
}
