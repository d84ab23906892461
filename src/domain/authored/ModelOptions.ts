/**
 * Provider options of model requests: temperature, effort, service tier, safety settings, headers. They are grouped by
 * provider and copied unchanged into its requests.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Purpose } from "../base/error/Errors.js"
import { JsonObject } from "../base/Json.js"

/**
 * Request fields by provider. A model reads only its own provider's fields, so options for a fallback model of another
 * provider can be given too. The layer of a provider adds its fields to this type: `coxswain/layers/openai` adds
 * `openai`, and so do `anthropic`, `google` and `openai-compatible` (`openaiCompatible`, which OpenRouter reads too). A
 * field `headers` sets headers of the request.
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
 */
// Each provider's layer adds its member.

export interface ModelOptions {}

/**
 * Options by purpose of the model call; `default` is the base for all of them. Signals without own options use those of
 * `understand`.
 */
export type ByPurpose = { readonly [P in Purpose | "default"]?: ModelOptions }

/** Request fields that the library writes itself. */
const own = ["model", "messages", "input", "contents", "system", "stream", "stream_options", "tools"]

const Fields = JsonObject.pipe(
  Schema.filter((fields) => {
    const taken = own.find((name) => Object.hasOwn(fields, name))
    return taken === undefined ? undefined : `the library writes "${taken}" itself; give another field`
  })
)

export const ModelOptions = Schema.Record({ key: Schema.String, value: Fields })
  .annotations({ identifier: "ModelOptions" })

export const ByPurpose = Schema.partial(
  Schema.Record({ key: Schema.Literal("default", ...Purpose.literals), value: ModelOptions })
).annotations({ identifier: "ModelOptionsByPurpose" })

/** Merges `over` into `under`: nested objects are merged, all other values are replaced. */
export const laidOver = <A extends object>(under: A | undefined, over: A | undefined): A | undefined => {
  if (under === undefined || over === undefined) return over ?? under
  const merged: { [name: string]: unknown } = Object.fromEntries(Object.entries(under))
  for (const [name, value] of Object.entries(over)) {
    const before = merged[name]
    merged[name] = Predicate.isRecord(before) && Predicate.isRecord(value) ? laidOver(before, value) : value
  }
  // Safe: the result has the same keys, with values of the same types.
  return merged as A
}

/**
 * Returns the options for a purpose: the defaults, overlaid by the options of the purpose, then by the options of the
 * call.
 */
export const of = (all: ByPurpose, purpose: Purpose, call?: ModelOptions): ModelOptions | undefined => {
  const own = all[purpose] ?? (purpose === "signals" ? all.understand : undefined)
  return laidOver(laidOver(all.default, own), call)
}
