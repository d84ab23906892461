/**
 * What an embedding model is found by.
 *
 * @since 0.1.0
 */
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import * as Context from "effect/Context"

/**
 * The tag of `@effect/ai/EmbeddingModel`. Importing that module for it would bring eleven files of three packages into
 * every process, also those that have no such model.
 *
 * @since 0.1.0
 * @category tags
 */
export const Embedding = Context.GenericTag<EmbeddingModel.EmbeddingModel, EmbeddingModel.Service>(
  "@effect/ai/EmbeddingModel"
)
