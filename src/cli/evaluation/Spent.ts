/** The time and the use of models that a message or a conversation took. */
export interface Spent {
  readonly millis: number
  readonly modelCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Cost of the model calls by the price table; absent if the table has no price for any called model. */
  readonly cost?: number
}

export const total = <A>(all: ReadonlyArray<A>, of: (one: A) => number): number =>
  all.reduce((sum, one) => sum + of(one), 0)

/** Adds up the time and the use of models. */
export const spentOn = (all: ReadonlyArray<Spent>): Spent => ({
  modelCalls: total(all, ({ modelCalls }) => modelCalls),
  inputTokens: total(all, ({ inputTokens }) => inputTokens),
  outputTokens: total(all, ({ outputTokens }) => outputTokens),
  millis: total(all, ({ millis }) => millis),
  ...(all.some(({ cost }) => cost !== undefined) && { cost: total(all, ({ cost = 0 }) => cost) })
})

/**
 * The cells of a table: calls, tokens in and out, seconds, and cost. `digits` is the number of decimals of the seconds.
 */
export const cellsOf = (
  { cost, inputTokens, millis, modelCalls, outputTokens }: Spent,
  digits: number
): ReadonlyArray<string> => [
  String(modelCalls),
  String(inputTokens),
  String(outputTokens),
  `${(millis / 1000).toFixed(digits)} s`,
  cost === undefined ? "-" : cost.toFixed(4)
]
