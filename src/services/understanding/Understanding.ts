/**
 * The judgement of a user's message: which flow it wants, which values it carries, what is true of it.
 *
 * @since 0.1.0
 */
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
  /**
   * Scores flows by similarity, leaves all else to another understanding.
   *
   * @since 0.1.0
   * @category constructors
   */
  fromEmbedding,
  /**
   * Asks a model everything at once: what an agent does unless an `Understanding` is provided.
   *
   * @since 0.1.0
   * @category constructors
   */
  fromModel,
  /**
   * Asks another understanding part by part, in parallel.
   *
   * @since 0.1.0
   * @category constructors
   */
  fromParts
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Understanding extends Context.Tag("coxswain/Understanding")<Understanding, Service>() {}

/**
 * One call of the model for everything: what an agent does unless an `Understanding` is provided.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options?: Options): Layer.Layer<Understanding, never, LanguageModel.LanguageModel> =>
  Layer.effect(Understanding, Effect.map(Model.current, (model) => fromModel(model, options)))

/**
 * Routing, values, and conditions with signals in parallel calls: for small models, which answer three small questions
 * better than a large one.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerSplit = (options?: Options): Layer.Layer<Understanding, never, LanguageModel.LanguageModel> =>
  Layer.effect(Understanding, Effect.map(Model.current, (model) => fromParts(fromModel(model, options))))

/**
 * Flows are scored by how close the message is to their `when` texts; the model is asked for values, conditions and
 * signals only, and not at all when there are none.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerEmbedding = (
  options?: Options & EmbeddingOptions
): Layer.Layer<Understanding, never, EmbeddingModel.EmbeddingModel | LanguageModel.LanguageModel> =>
  Layer.effect(
    Understanding,
    Effect.zipWith(Embedding, Model.current, (embedding, model) =>
      fromEmbedding(embedding, fromModel(model, options), options))
  )
