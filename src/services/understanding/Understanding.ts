/** Judges a user's message: which flows it asks for, which values it states, which conditions hold. */
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Embedding } from "../model/Embedding.js"
import * as Model from "../model/Model.js"
import type { Options as EmbeddingOptions } from "./FromEmbedding.js"
import { fromEmbedding } from "./FromEmbedding.js"
import type { Options } from "./FromModel.js"
import { fromModel } from "./FromModel.js"
import { fromParts } from "./FromParts.js"
import type { Answers, Questions, Service } from "./Judgement.js"
import { isEmpty, none } from "./Judgement.js"

export { isEmpty, none }
export type { Answers, Questions, Service }

export {
  /** Scores flows by similarity, and lets another understanding answer all other questions. */
  fromEmbedding,
  /** Lets a model answer all questions in one request: the default of an agent without a provided `Understanding`. */
  fromModel,
  /** Lets another understanding answer the questions part by part, in parallel. */
  fromParts
}

export class Understanding extends Context.Tag("coxswain/Understanding")<Understanding, Service>() {}

/**
 * Provides an understanding that asks all questions in one model call: the default of an agent without a provided
 * `Understanding`.
 */
export const layer = (options?: Options): Layer.Layer<Understanding, never, LanguageModel.LanguageModel> =>
  Layer.effect(Understanding, Effect.map(Model.current, (model) => fromModel(model, options)))

/**
 * Provides an understanding that asks for the flows, for the values, and for the conditions with the signals in three
 * parallel calls: small models answer three small questions better than a large one.
 */
export const layerSplit = (options?: Options): Layer.Layer<Understanding, never, LanguageModel.LanguageModel> =>
  Layer.effect(Understanding, Effect.map(Model.current, (model) => fromParts(fromModel(model, options))))

/**
 * Provides an understanding that scores flows by the similarity of the message to their `when` texts. The model is
 * asked for values, conditions and signals only, and only if there are any.
 */
export const layerEmbedding = (
  options?: Options & EmbeddingOptions
): Layer.Layer<Understanding, never, EmbeddingModel.EmbeddingModel | LanguageModel.LanguageModel> =>
  Layer.effect(
    Understanding,
    Effect.zipWith(Embedding, Model.current, (embedding, model) =>
      fromEmbedding(embedding, fromModel(model, options), options))
  )
