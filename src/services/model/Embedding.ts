/** The tag of an embedding model. */
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import * as Context from "effect/Context"

/**
 * The tag of `@effect/ai/EmbeddingModel`. Importing that module for its tag would load eleven files of three packages
 * into every process, also into those that have no such model.
 */
export const Embedding = Context.GenericTag<EmbeddingModel.EmbeddingModel, EmbeddingModel.Service>(
  "@effect/ai/EmbeddingModel"
)
