/** The metrics that the library keeps. */
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

/** In seconds. */
const boundaries = MetricBoundaries.fromIterable([
  0.01,
  0.02,
  0.04,
  0.08,
  0.16,
  0.32,
  0.64,
  1.28,
  2.56,
  5.12,
  10.24,
  20.48,
  40.96,
  81.92
])
const tokenBoundaries = MetricBoundaries.exponential({ start: 1, factor: 4, count: 14 })

/** The metrics of turns, tool calls and model calls. */
export const metrics = {
  turns: Metric.counter("coxswain.turns", { description: "Turns, by how they ended", incremental: true }),
  turnDuration: Metric.histogram("coxswain.turn.duration", boundaries, "How long turns take, in seconds"),
  rejections: Metric.counter("coxswain.rejections", { description: "Values that a Schema refused", incremental: true }),
  conflicts: Metric.counter("coxswain.conflicts", {
    description: "Turns that another writer was faster than",
    incremental: true
  }),
  toolCalls: Metric.counter("coxswain.tool.calls", { description: "Tool calls, by outcome", incremental: true }),
  tokens: Metric.histogram("gen_ai.client.token.usage", tokenBoundaries, "Tokens of a model call"),
  operations: Metric.histogram("gen_ai.client.operation.duration", boundaries, "How long model calls take, in seconds")
}

/** Adds tags, given as a record, to a metric. */
export const tagged = <T, In, Out>(metric: Metric.Metric<T, In, Out>, tags: Readonly<Record<string, string>>) =>
  Object.entries(tags).reduce((one, [key, value]) => Metric.tagged(one, key, value), metric)
