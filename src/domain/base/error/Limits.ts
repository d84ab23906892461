/**
 * Size limits of input from outside: `limits` of an agent. Lengths are in characters (UTF-16 code units, as in
 * `string.length`); the length of a value is that of its JSON text. Besides these limits, a value has at most 64 levels
 * of lists and objects and a million parts, which cannot be raised: deeper values overflow the stack of functions that
 * check, print or store them. A stored document, which contains such values, has at most 128 levels.
 */
import * as Schema from "effect/Schema"

export interface Limits {
  /** Characters of a request's `message`. Default 32,768; a longer one is `InvalidRequest`. */
  readonly message: number
  /** Characters of a request's `metadata` as JSON. Default 16,384; more is `InvalidRequest`. */
  readonly metadata: number
  /** Characters of a request's `context` as JSON. Default 65,536; more is `InvalidRequest`. */
  readonly context: number
  /** Characters of an event's payload as JSON. Default 65,536; more is `InvalidRequest`. */
  readonly payload: number
  /**
   * Characters of one call's arguments as JSON. Default 65,536; a call with more gets an `invalid` result and is not
   * run. This limit cannot exceed `dataValue`, because a tool must be able to write its arguments; a lower `dataValue`
   * also lowers this default.
   */
  readonly toolArguments: number
  /**
   * Characters of one field's value as JSON. Default 131,072; a longer value is rejected, as if its Schema had refused
   * it.
   */
  readonly dataValue: number
  /**
   * Characters of a tool's result for the model, if the tool has no `maxResultSizeChars`. Default 20,000; longer
   * results are cut.
   */
  readonly toolResult: number
  /** Characters of a result's `details`, and of its `meta`, as JSON. Default 65,536; larger ones are left out. */
  readonly toolDetails: number
}

/** The `limits` of an agent; all optional. */
export type Options = Partial<Limits>

export const defaults: Limits = {
  message: 32_768,
  metadata: 16_384,
  context: 65_536,
  payload: 65_536,
  toolArguments: 65_536,
  dataValue: 131_072,
  toolResult: 20_000,
  toolDetails: 65_536
}

const limit = Schema.optional(Schema.Int.pipe(Schema.positive()))

/** The Schema of `limits`: positive integers. */
export const Options = Schema.Struct({
  message: limit,
  metadata: limit,
  context: limit,
  payload: limit,
  toolArguments: limit,
  dataValue: limit,
  toolResult: limit,
  toolDetails: limit
}).pipe(
  Schema.filter(({ dataValue = Infinity, toolArguments = 0 }) =>
    toolArguments <= dataValue ? undefined : {
      path: ["toolArguments"],
      message: "is more than dataValue: a tool would take what it cannot write"
    }
  )
).annotations({ identifier: "Limits", parseOptions: { onExcessProperty: "error" } })

/**
 * Returns all limits: the given ones and the defaults of the others.
 *
 * @example
 * ```ts
 * import { Limits } from "coxswain"
 *
 * console.log(Limits.resolve({ message: 2_000 }).message, Limits.resolve().toolDetails) // 2000 65536
 * ```
 */
export const resolve = (options: { readonly [K in keyof Limits]?: number | undefined } = {}): Limits => {
  const or = (key: keyof Limits): number => options[key] ?? defaults[key]
  const dataValue = options.dataValue ?? Math.max(defaults.dataValue, options.toolArguments ?? 0)
  return {
    message: or("message"),
    metadata: or("metadata"),
    context: or("context"),
    payload: or("payload"),
    toolArguments: options.toolArguments ?? Math.min(defaults.toolArguments, dataValue),
    dataValue,
    toolResult: or("toolResult"),
    toolDetails: or("toolDetails")
  }
}
