/** Metrics of model calls. */
import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"
import type { Purpose } from "../../domain/base/error/Errors.js"
import type { ModelCallRecord } from "./call/ModelCall.js"

const key = (name: string, description: string) => MetricKey.counter(name, { description, incremental: true })

const calls = key("coxswain_model_calls", "Attempts at model calls")
const failures = key("coxswain_model_failures", "Failed attempts")
const fallbacks = key("coxswain_model_fallbacks", "Calls handed on to the next model")
const skips = key("coxswain_model_skips", "Calls not made because the circuit breaker is open")
const tokens = key("coxswain_model_tokens", "Tokens, by direction")
const money = key("coxswain_model_cost", "Cost by the price table")

type Counter = Metric.Metric.Counter<number>

/** Makes a counter with fixed labels, because `Metric.tagged` looks up the counter at every update. */
const labelled = (counted: typeof calls, tags: Readonly<Record<string, string>>): Counter =>
  Metric.fromMetricKey(
    MetricKey.taggedWithLabels(counted, Object.entries(tags).map(([key, value]) => MetricLabel.make(key, value)))
  )

const make = (model: string, purpose: Purpose) => {
  const of = (counted: typeof calls, more?: Readonly<Record<string, string>>) =>
    labelled(counted, { model, purpose, ...more })
  return {
    calls: of(calls),
    failed: (reason: string) => of(failures, { reason }),
    fallbacks: of(fallbacks),
    skips: of(skips),
    input: of(tokens, { direction: "input" }),
    output: of(tokens, { direction: "output" }),
    cachedInput: of(tokens, { direction: "cached_input" }),
    money: of(money)
  }
}

type Meters = ReturnType<typeof make>

// The counters of each model and purpose, cached because making counters costs more than counting.
const known = new Map<string, { [P in Purpose]?: Meters }>()

/** Returns the counters of a model and a purpose. */
export const of = (model: string, purpose: Purpose): Meters => {
  let ofModel = known.get(model)
  if (ofModel === undefined) known.set(model, ofModel = {})
  return ofModel[purpose] ??= make(model, purpose)
}

/** Counts an attempt. `labels` are the metric labels of the calling fiber. */
export const count = (
  { cost = 0, failure, model, purpose, usage }: ModelCallRecord,
  labels: ReadonlyArray<MetricLabel.MetricLabel>
): void => {
  const meters = of(model, purpose)
  const add = (counter: Counter, value: number) => {
    if (value > 0) counter.unsafeUpdate(value, labels)
  }
  add(meters.calls, 1)
  if (failure !== undefined) add(meters.failed(failure.reason), 1)
  add(meters.input, usage.inputTokens)
  add(meters.output, usage.outputTokens)
  add(meters.cachedInput, usage.cachedInputTokens)
  add(meters.money, cost)
}
