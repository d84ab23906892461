/**
 * A model of rules and templates instead of a language model: it needs no network, key or server, and is deterministic.
 * For demos, tutorials and tests. It does not understand language: it compares words, and finds dates, numbers, names
 * and places. It logs this when it starts.
 *
 * @example
 * ```ts
 * import * as Prompt from "@effect/ai/Prompt"
 * import { Effect, Schema } from "effect"
 * import { Understanding } from "coxswain"
 * import * as Offline from "coxswain/layers/offline"
 *
 * const program = Effect.gen(function*() {
 *   const { answer } = yield* Understanding.Understanding
 *   const { fields } = yield* answer({
 *     sessionId: "u1",
 *     message: "A room in Lisbon, please",
 *     history: Prompt.empty,
 *     flows: [],
 *     fields: [{ name: "city", schema: Schema.String, known: false, asked: false }],
 *     conditions: [],
 *     signals: []
 *   })
 *   return fields // { city: "Lisbon" }
 * })
 *
 * program.pipe(Effect.provide(Offline.layer), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Service } from "../../services/understanding/Understanding.js"
import { Understanding } from "../../services/understanding/Understanding.js"
import { judge } from "./Judge.js"
import { make } from "./Model.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Delay after each streamed word, to look like typing. Default: no wait. */
  readonly wordDelay?: Duration.DurationInput
}

const understanding: Service = {
  answer: (questions) => Effect.map(Clock.currentTimeMillis, (now) => judge(questions, new Date(now)))
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layerWith = (options: Options): Layer.Layer<Understanding | LanguageModel.LanguageModel> =>
  Layer.mergeAll(
    Layer.succeed(Understanding, understanding),
    Layer.effect(LanguageModel.LanguageModel, make(options.wordDelay)),
    Layer.effectDiscard(
      Effect.logInfo("The offline model is answering: rules and templates, not a language model.")
    )
  )

/**
 * Provides an `Understanding` and a `LanguageModel` that work by rules. Time comes from `Clock`, and days are days of
 * UTC.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Understanding | LanguageModel.LanguageModel> = layerWith({})
