/** The tag of an embedding model. */
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import * as Context from "effect/Context"

/**
 * The tag of `@effect/ai/EmbeddingModel`. Importing the tag from its module would load eleven files of three packages
 * into every process, even if the process has no embedding model.
 */
export const Embedding = Context.GenericTag<EmbeddingModel.EmbeddingModel, EmbeddingModel.Service>(
  "@effect/ai/EmbeddingModel"
)
