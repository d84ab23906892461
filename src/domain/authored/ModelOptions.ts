/**
 * What a model is asked beside the words: temperature, effort, service tier, safety settings, headers. Each provider has
 * its own, under its own name, and they go into its request as they are.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Purpose } from "../base/error/Errors.js"
import { JsonObject } from "../base/Json.js"

/**
 * Fields of requests, by provider; a model reads those of its own provider only, so that fallbacks to another one may
 * have theirs beside them. The layer of a provider adds its fields to this type: `coxswain/layers/openai` adds `openai`,
 * and so do `anthropic`, `google` and `openai-compatible` (`openaiCompatible`, which OpenRouter reads too). `headers`
 * among them are headers of the request.
 *
 * @example
 * ```ts
 * import type { ModelOptions } from "coxswain"
 * import type {} from "coxswain/layers/anthropic"
 * import type {} from "coxswain/layers/openai"
 *
 * export const careful: ModelOptions.ModelOptions = {
 *   openai: { temperature: 0, service_tier: "priority" },
 *   anthropic: { temperature: 0, headers: { "anthropic-beta": "context-1m-2025-08-07" } }
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
// Each provider's layer adds its member.

export interface ModelOptions {}

/**
 * Options by what a model is asked for; `default` is laid under all of them. What signals have none for follows
 * `understand`.
 *
 * @since 0.1.0
 * @category models
 */
export type ByPurpose = { readonly [P in Purpose | "default"]?: ModelOptions }

/** What the library writes itself, and reads the answer by. */
const own = ["model", "messages", "input", "contents", "system", "stream", "stream_options", "tools"]

const Fields = JsonObject.pipe(
  Schema.filter((fields) => {
    const taken = own.find((name) => Object.hasOwn(fields, name))
    return taken === undefined ? undefined : `the library writes "${taken}" itself; give another field`
  })
)

/**
 * @since 0.1.0
 * @category schemas
 */
export const ModelOptions = Schema.Record({ key: Schema.String, value: Fields })
  .annotations({ identifier: "ModelOptions" })

/**
 * @since 0.1.0
 * @category schemas
 */
export const ByPurpose = Schema.Struct({
  default: Schema.optional(ModelOptions),
  understand: Schema.optional(ModelOptions),
  speak: Schema.optional(ModelOptions),
  signals: Schema.optional(ModelOptions),
  summarize: Schema.optional(ModelOptions),
  guard: Schema.optional(ModelOptions)
}).annotations({ identifier: "ModelOptionsByPurpose" })

/**
 * Lays fields over fields; objects within them are merged, everything else is replaced.
 *
 * @since 0.1.0
 * @category combinators
 */
export const laidOver = <A extends object>(under: A | undefined, over: A | undefined): A | undefined => {
  if (under === undefined || over === undefined) return over ?? under
  const merged: { [name: string]: unknown } = Object.fromEntries(Object.entries(under))
  for (const [name, value] of Object.entries(over)) {
    const before = merged[name]
    merged[name] = Predicate.isRecord(before) && Predicate.isRecord(value) ? laidOver(before, value) : value
  }
  // The same names with values of the same types.
  return merged as A
}

/**
 * The options for a purpose: the default, then those of the purpose, then those of the call.
 *
 * @since 0.1.0
 * @category getters
 */
export const of = (all: ByPurpose, purpose: Purpose, call?: ModelOptions): ModelOptions | undefined => {
  const own = all[purpose] ?? (purpose === "signals" ? all.understand : undefined)
  return laidOver(laidOver(all.default, own), call)
}
